import { useId, useRef, useState } from 'react'
import { verifyBill } from '#contract/bill/bill'
import { readProof, rootOf, type RootProof, verifyRoots } from '#contract/bill/roots'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import styles from './verify-bill.module.css'

type Published =
  | { kind: 'same' | 'none' | 'unread' }
  | { kind: 'other'; root: string }
  | { kind: 'broken'; line: number }
type Checked =
  | { ok: false; fault: 'form' | 'head' | 'path' }
  | { ok: true; proof: RootProof; published: Published }

/** Larger files are no proofs. */
const longestProof = 64 * 1024

async function checkProof(bill: Uint8Array, file: File): Promise<Checked> {
  const proof = file.size > longestProof ? null : readProof(await file.text())
  if (proof === null) return { ok: false, fault: 'form' }
  const verdict = await verifyBill(bill, [proof.head])
  if (!verdict.ok || verdict.kept[0]?.line !== proof.line) return { ok: false, fault: 'head' }
  if ((await rootOf(proof)) !== proof.root) return { ok: false, fault: 'path' }
  return { ok: true, proof, published: await publishedOf(proof) }
}

/** Reads the roots of all days, so that the request does not reveal which day is checked. */
async function publishedOf({ day, root }: RootProof): Promise<Published> {
  const text = await call('bill_roots', {}).catch(() => null)
  if (text === null) return { kind: 'unread' }
  const verdict = await verifyRoots(text)
  if (!verdict.ok) return { kind: 'broken', line: verdict.line }
  const published = verdict.roots.get(day)
  if (published === undefined) return { kind: 'none' }
  return published === root ? { kind: 'same' } : { kind: 'other', root: published }
}

/** Verifies that a line of the bill is in the published root of a day. */
export function Proof({ bytes, lines }: { bytes: Uint8Array; lines: number }) {
  const { t } = useTranslation('bill')
  const [checked, setChecked] = useState<Checked | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const inputId = useId()
  const check = async (file: File | undefined) => {
    if (file === undefined) return
    setChecked(await checkProof(bytes, file).catch(() => ({ ok: false, fault: 'form' }) as const))
  }
  return (
    <>
      <h3>{t('proof.title')}</h3>
      <p className={styles.quiet}>{t('proof.text')}</p>
      <div>
        <label htmlFor={inputId} className="sr-only">
          {t('proof.choose')}
        </label>
        <input
          ref={input}
          id={inputId}
          type="file"
          accept=".json,application/json"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void check(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <Button onClick={() => input.current?.click()}>{t('proof.choose')}</Button>
      </div>
      {checked?.ok === false && <p className={styles.bad}>{t(`proof.fault.${checked.fault}`)}</p>}
      {checked?.ok === true && <Root {...checked} lines={lines} />}
    </>
  )
}

function Root({ proof, published, lines }: { proof: RootProof; published: Published; lines: number }) {
  const { t } = useTranslation('bill')
  const { day, line, root } = proof
  const rest = lines - line
  const isBad = published.kind !== 'same' && published.kind !== 'unread'
  return (
    <>
      <p>{t('proof.leads', { line })}</p>
      {rest > 0 && <p>{t('proof.newer', { rest })}</p>}
      <p className={styles.quiet}>{t('proof.root', { day })}</p>
      <code translate="no" className={styles.line}>
        {root}
      </code>
      <p className={isBad ? styles.bad : undefined}>
        {published.kind === 'other'
          ? t('proof.published.other', { root: published.root })
          : published.kind === 'broken'
            ? t('proof.published.broken', { line: published.line })
            : t(`proof.published.${published.kind}`)}
      </p>
    </>
  )
}

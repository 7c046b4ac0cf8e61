import { useState } from 'react'
import { type BillVerdict, type KeptHead, verifyBill } from '#contract/bill/bill'
import { hashFromText } from '#contract/bill/digest'
import { pools } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Proof } from './proof.tsx'
import styles from './verify-bill.module.css'

/** The time as written in the file; word joiners prevent line breaks at its hyphens. */
const unbroken = (time: string) => time.replaceAll('-', '\u2060-\u2060')

/** What a file proves, and what it does not. */
export function Verdict({ name, bytes, verdict }: { name: string; bytes: Uint8Array; verdict: BillVerdict }) {
  const { t } = useTranslation('bill')
  if (!verdict.ok)
    return (
      <>
        <h2 className={styles.bad}>{t('bad', { line: verdict.line })}</h2>
        <p className={styles.quiet}>{t('file', { name })}</p>
        <p>{t(`fault.${verdict.fault}`)}</p>
        {verdict.text !== '' && (
          <code translate="no" className={styles.line}>
            {verdict.text}
          </code>
        )}
      </>
    )
  const { lines, from, through, head } = verdict
  return (
    <>
      <h2 className={styles.good}>{t('ok')}</h2>
      <p className={styles.quiet}>{t('file', { name })}</p>
      <p>
        {lines === 0
          ? t('okEmpty')
          : t('okText', { lines, from: unbroken(from ?? ''), through: unbroken(through ?? '') })}
      </p>
      <Pools verdict={verdict} />
      <p>{t('alone')}</p>
      <p className={styles.quiet}>{t('head')}</p>
      <code translate="no" className={styles.line}>
        {head}
      </code>
      <p className={styles.quiet}>{t('headText')}</p>
      <Compared key={head} bytes={bytes} verdict={verdict} />
      <Proof key={`proof of ${head}`} bytes={bytes} lines={lines} />
    </>
  )
}

function Pools({ verdict }: { verdict: BillVerdict & { ok: true } }) {
  const { t } = useTranslation(['bill', 'header'])
  const { number } = useFormat()
  const nameOf = (pool: string) => {
    const known = pools.find((each) => each === pool)
    return known === undefined ? pool : t(`header:pools.${known}`)
  }
  return verdict.pools.map(({ pool, creditedBytes, chargedBytes, balanceBytes }) => (
    <dl key={pool} className={styles.pool} aria-label={nameOf(pool)}>
      <div>
        <dt>{t('pool')}</dt>
        <dd>{nameOf(pool)}</dd>
      </div>
      <div>
        <dt>{t('credited')}</dt>
        <dd translate="no" className="mono">
          {number(Number(creditedBytes))}
        </dd>
      </div>
      <div>
        <dt>{t('charged')}</dt>
        <dd translate="no" className="mono">
          {number(Number(chargedBytes))}
        </dd>
      </div>
      <div>
        <dt>{t('balance')}</dt>
        <dd translate="no" className="mono">
          {number(Number(balanceBytes))}
        </dd>
      </div>
    </dl>
  ))
}

/** Compares the file with a fingerprint from elsewhere, of its last line or of an earlier one. */
function Compared({ bytes, verdict }: { bytes: Uint8Array; verdict: BillVerdict & { ok: true } }) {
  const { t } = useTranslation('bill')
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<KeptHead | null>(null)
  const given = hashFromText(typed)
  const data = found !== null && found.head === given ? found : undefined
  const compare = async (text: string) => {
    setTyped(text)
    const hash = hashFromText(text)
    if (hash === null) return
    const verified = await verifyBill(bytes, [hash])
    setFound(verified.ok ? (verified.kept[0] ?? null) : null)
  }
  const isBad = (typed.trim() !== '' && given === null) || data?.line === null
  const { head, lines } = verdict
  const said =
    given === null
      ? t('notHash')
      : data === undefined
        ? undefined
        : data.line === null
          ? t('other', { head })
          : given === head
            ? t('same')
            : t('earlier', { line: data.line, rest: lines - data.line })
  return (
    <TextField
      mono
      label={t('expected')}
      value={typed}
      autoComplete="off"
      spellCheck={false}
      error={isBad ? said : undefined}
      hint={isBad || given === null ? undefined : said}
      onChange={(event) => void compare(event.target.value)}
    />
  )
}

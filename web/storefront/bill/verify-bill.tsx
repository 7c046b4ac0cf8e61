import { type DragEvent, useId, useRef, useState } from 'react'
import { type BillVerdict, longestBill, verifyBill } from '#contract/bill/bill'
import { pools } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { CardPage } from '../card-page.tsx'
import styles from './verify-bill.module.css'

type State =
  | { kind: 'none' }
  | { kind: 'checking' }
  | { kind: 'failed'; why: 'unreadable' | 'insecure' | 'tooLarge' }
  | { kind: 'done'; name: string; verdict: BillVerdict }

/** Verifies the file of a bill in the browser; nothing is sent anywhere. */
export function VerifyBillPage() {
  const { t } = useTranslation('bill')
  const [state, setState] = useState<State>({ kind: 'none' })
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const inputId = useId()

  const check = async (file: File | undefined) => {
    if (file === undefined) return
    // Only pages of https, and of this machine, may compute hashes.
    if (!window.isSecureContext) return setState({ kind: 'failed', why: 'insecure' })
    if (file.size > longestBill) return setState({ kind: 'failed', why: 'tooLarge' })
    setState({ kind: 'checking' })
    try {
      const verdict = await verifyBill(new Uint8Array(await file.arrayBuffer()))
      setState({ kind: 'done', name: file.name, verdict })
    } catch {
      setState({ kind: 'failed', why: 'unreadable' })
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void check(event.dataTransfer.files[0])
  }
  return (
    <CardPage title={t('title')} heading={t('title')} back="/account?tab=bill">
      <p className={styles.lead}>{t('lead')}</p>
      <div
        className={classNames(styles.drop, isOver && styles.over)}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <label htmlFor={inputId} className="sr-only">
          {t('choose')}
        </label>
        <input
          ref={input}
          id={inputId}
          type="file"
          accept=".csv,text/csv"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void check(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <Button variant="primary" onClick={() => input.current?.click()}>
          {t('choose')}
        </Button>
        <span className={styles.quiet}>{t('drop')}</span>
      </div>
      <div role="status" className={styles.result}>
        {state.kind === 'checking' && <Spinner label={t('checking')} />}
        {state.kind === 'failed' && <p className={styles.bad}>{t(state.why)}</p>}
        {state.kind === 'done' && <Verdict name={state.name} verdict={state.verdict} />}
      </div>
    </CardPage>
  )
}

/** A time as the file has it, which is never broken at a hyphen: word joiners hold it together. */
const unbroken = (time: string) => time.replaceAll('-', '\u2060-\u2060')

function Verdict({ name, verdict }: { name: string; verdict: BillVerdict }) {
  const { t } = useTranslation(['bill', 'header'])
  const { number } = useFormat()
  const [expected, setExpected] = useState('')
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
  const nameOf = (pool: string) => {
    const known = pools.find((each) => each === pool)
    return known === undefined ? pool : t(`header:pools.${known}`)
  }
  const typed = expected.trim().toLowerCase()
  return (
    <>
      <h2 className={styles.good}>{t('ok')}</h2>
      <p className={styles.quiet}>{t('file', { name })}</p>
      <p>
        {lines === 0
          ? t('okEmpty')
          : t('okText', { lines, from: unbroken(from ?? ''), through: unbroken(through ?? '') })}
      </p>
      {verdict.pools.map(({ pool, creditedBytes, chargedBytes, balanceBytes }) => (
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
      ))}
      <p className={styles.quiet}>{t('head')}</p>
      <code translate="no" className={styles.line}>
        {head}
      </code>
      <p className={styles.quiet}>{t('headText')}</p>
      <TextField
        mono
        label={t('expected')}
        value={expected}
        autoComplete="off"
        spellCheck={false}
        error={typed === '' || typed === head ? undefined : t('other')}
        hint={typed === head ? t('same') : undefined}
        onChange={(event) => setExpected(event.target.value)}
      />
    </>
  )
}

import { type DragEvent, useId, useRef, useState } from 'react'
import { type BillVerdict, longestBill, verifyBill } from '#contract/bill/bill'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { CardPage } from '../card-page.tsx'
import { Verdict } from './verdict.tsx'
import styles from './verify-bill.module.css'

type State =
  | { kind: 'none' }
  | { kind: 'checking' }
  | { kind: 'failed'; why: 'unreadable' | 'insecure' | 'tooLarge' }
  | { kind: 'done'; name: string; bytes: Uint8Array; verdict: BillVerdict }

/** Verifies the file of a bill in the browser; nothing is sent anywhere. */
export function VerifyBillPage() {
  const { t } = useTranslation('bill')
  const [state, setState] = useState<State>({ kind: 'none' })
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const inputId = useId()

  const check = async (file: File | undefined) => {
    if (file === undefined) return
    // Browsers compute hashes only in secure contexts: https pages and localhost.
    if (!window.isSecureContext) return setState({ kind: 'failed', why: 'insecure' })
    if (file.size > longestBill) return setState({ kind: 'failed', why: 'tooLarge' })
    setState({ kind: 'checking' })
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      setState({ kind: 'done', name: file.name, bytes, verdict: await verifyBill(bytes) })
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
        {state.kind === 'done' && <Verdict name={state.name} bytes={state.bytes} verdict={state.verdict} />}
      </div>
    </CardPage>
  )
}

import { useQuery } from '@tanstack/react-query'
import ExternalLink from 'lucide-react/icons/external-link'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { isEmail } from '#contract/account-rules'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import { InvoiceState } from '../../subjects/invoice-state.tsx'
import styles from './payments.module.css'
import { Verdict } from './verdict.tsx'
import { useMethodName } from '../../subjects/method-name.ts'

const stepMs = 3000

interface TestPurchaseDialogProps {
  method: string
  /** The purchase gets a receipt like a customer's, and the receipt needs an e-mail address. */
  asksEmail: boolean
  onClose: () => void
}

/** Makes a test purchase at a processor, then shows each step of it as it happens. */
export function TestPurchaseDialog({ method, asksEmail, onClose }: TestPurchaseDialogProps) {
  const { t } = useTranslation(['deskMoney', 'desk'])
  const [key] = useState(() => crypto.randomUUID())
  const [email, setEmail] = useState('')
  const methodName = useMethodName()
  const { pending, fault, result, run } = useAct('test_purchase')
  if (result === undefined)
    return (
      <ActDialog
        title={t('test.title', { method: methodName(method) })}
        description={t('test.text')}
        submit={t('test.act')}
        pending={pending}
        fault={fault}
        onClose={onClose}
        ready={!asksEmail || isEmail(email.trim())}
        onSubmit={(reason) =>
          run({ method, reason, key, ...(asksEmail ? { receipt_email: email.trim() } : {}) })
        }
      >
        {asksEmail && (
          <TextField
            type="email"
            label={t('test.receiptEmail')}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            autoComplete="email"
            maxLength={254}
          />
        )}
      </ActDialog>
    )
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('test.title', { method: methodName(method) })}
      closeLabel={t('desk:close')}
      footer={<Button onClick={onClose}>{t('desk:close')}</Button>}
    >
      {result.fault !== null && <Fault text={t('test.noPage', { fault: result.fault })} />}
      {result.payment_url !== null && (
        <p>
          <a className={styles.pay} href={result.payment_url} target="_blank" rel="noreferrer">
            <span>{t('test.pay')}</span> <ExternalLink size={16} aria-hidden="true" />
          </a>
        </p>
      )}
      <Steps number={result.number} />
    </Dialog>
  )
}

/** The current state of the purchase; read again every few seconds. */
function Steps({ number }: { number: string }) {
  const invoice = useQuery({ ...query('invoice', { number }), refetchInterval: stepMs })
  const facts = useSteps()
  return <Loaded query={invoice}>{(known) => <Facts facts={facts(known)} />}</Loaded>
}

function useSteps(): (invoice: DeskOutput<'invoice'>) => Fact[] {
  const { t } = useTranslation('deskMoney')
  const { usd, traffic } = useFigures()
  const list = (items: ReactNode[], none: string) =>
    items.length === 0 ? (
      none
    ) : (
      <ul className={styles.verdicts}>
        {items.map((item, index) => (
          // The list only grows, and its items have no state.
          <li key={index}>{item}</li>
        ))}
      </ul>
    )
  return (invoice) => [
    {
      name: t('test.made'),
      value: (
        <>
          <Link to={`/invoices/${invoice.number}`} className="mono">
            {`${invoice.number.slice(0, 8)}…`}
          </Link>{' '}
          <span translate="no">{usd(invoice.cost_micros)}</span>{' '}
          <InvoiceState state={invoice.state} disputed={false} />
        </>
      ),
    },
    {
      name: t('test.paid'),
      value: list(
        invoice.payments.map(({ received_micros: micros, at }) => (
          <>
            <span translate="no">{usd(micros)}</span> <Moment iso={at} />
          </>
        )),
        t('test.notYet'),
      ),
    },
    {
      name: t('test.told'),
      value: list(
        invoice.events.map(({ verdict, at }) => (
          <>
            <Verdict verdict={verdict} /> <Moment iso={at} />
          </>
        )),
        t(invoice.payments.length === 0 ? 'test.notYet' : 'test.untold'),
      ),
    },
    ...(invoice.processor_verdict === null
      ? []
      : [{ name: t('test.answered'), value: <Verdict verdict={invoice.processor_verdict} /> }]),
    {
      name: t('test.credited'),
      value: invoice.credited_bytes === '0' ? t('test.notYet') : traffic(invoice.credited_bytes),
    },
  ]
}

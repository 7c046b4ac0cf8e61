import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Timeline, type TimelineItem } from '../../parts/timeline.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { headersText, RawText } from '../../parts/raw-text.tsx'
import styles from './invoice.module.css'
import { useMethodName } from '../../subjects/method-name.ts'
import { useVerdictName } from '../../subjects/verdict-name.ts'

type Invoice = DeskOutput<'invoice'>

/** The history of an invoice: its states, each payment, each notification with its verdict. */
export function InvoiceTimeline({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer'])
  const { usd } = useFigures()
  const methodName = useMethodName()
  const verdictName = useVerdictName()
  const may = useMay()
  const [shown, setShown] = useState<string | null>(null)
  const point = (at: string | null, key: string, text: string): TimelineItem[] =>
    at === null ? [] : [{ key, at, text }]
  const items: TimelineItem[] = [
    ...point(invoice.created_at, 'created', t('timeline.created', { amount: usd(invoice.cost_micros) })),
    ...point(invoice.settled_at, 'settled', t('timeline.settled', { amount: usd(invoice.received_micros) })),
    ...point(invoice.disputed_at, 'disputed', t('timeline.disputed')),
    ...point(
      invoice.refunded_at,
      'refunded',
      t('timeline.refunded', { amount: usd(invoice.refunded_micros) }),
    ),
    ...invoice.payments.map((payment) => ({
      key: `payment-${payment.external_id}`,
      at: payment.at,
      text: t('timeline.payment', { amount: usd(payment.received_micros) }),
    })),
    ...invoice.events.map((event) => ({
      key: `event-${event.id}`,
      at: event.at,
      text: t('timeline.notification', {
        method: methodName(event.method),
        verdict: verdictName(event.verdict),
      }),
      action: may('payment_event') && (
        <button type="button" className={styles.raw} onClick={() => setShown(event.id)}>
          {t('timeline.raw')}
        </button>
      ),
    })),
    ...invoice.acts.map((act, index) => ({
      key: `act-${index}`,
      at: act.at,
      text: isKnownAct(act.action)
        ? t(`deskCustomer:invoiceAct.${act.action}`, {
            verdict: act.verdict === null ? '' : verdictName(act.verdict),
          })
        : t('event.act', { action: act.action }),
      note: [act.by.name, act.reason].filter(Boolean).join(': '),
    })),
  ]
  return (
    <>
      <Timeline items={items.toSorted((a, b) => (a.at < b.at ? 1 : -1))} />
      {shown !== null && <Notification id={shown} onClose={() => setShown(null)} />}
    </>
  )
}

const knownActs = [
  'ask_processor',
  'replay_payment_event',
  'drop_refund',
  'plan_refund',
  'refund_invoice',
  'send_refund',
  'register_receipt',
  'settle_return',
  'test_purchase',
] as const
const isKnownAct = (action: string): action is (typeof knownActs)[number] =>
  (knownActs as readonly string[]).includes(action)

/** A notification as received, with its verdict; it can be processed again. */
function Notification({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer', 'desk'])
  const mayReplay = useMay()('replay_payment_event')
  const replay = useAct('replay_payment_event')
  const methodName = useMethodName()
  const verdictName = useVerdictName()
  const event = useQuery(query('payment_event', { id }))
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t('notification.title', { id })}
      closeLabel={t('desk:close')}
      footer={
        mayReplay && (
          <Button pending={replay.pending} onClick={() => replay.run({ id })}>
            {t('deskCustomer:replay')}
          </Button>
        )
      }
    >
      {replay.fault !== undefined && <Fault text={replay.fault} />}
      {replay.result !== undefined && (
        <p role="status" className={styles.verdict}>
          {t('deskCustomer:verdict', { verdict: verdictName(replay.result.verdict) })}
        </p>
      )}
      <Loaded query={event}>
        {(data) => (
          <>
            <p>
              <span>{`${methodName(data.method)},`}</span> <Moment iso={data.at} />
              <span>{`: ${verdictName(data.verdict)}`}</span>
            </p>
            <RawText text={headersText(data.headers)} />
            <RawText text={data.body} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

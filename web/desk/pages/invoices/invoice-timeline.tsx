import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Timeline, type TimelineItem } from '../../parts/timeline.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import styles from './invoice.module.css'

type Invoice = DeskOutput<'invoice'>

/** The life of an invoice: what it became, each payment, each notification with the verdict on it. */
export function InvoiceTimeline({ invoice }: { invoice: Invoice }) {
  const { t } = useTranslation('deskPages')
  const { usd } = useFigures()
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
        method: event.method,
        verdict: event.verdict ?? t('timeline.unjudged'),
      }),
      action: may('payment_event') && (
        <button type="button" className={styles.raw} onClick={() => setShown(event.id)}>
          {t('timeline.raw')}
        </button>
      ),
    })),
  ]
  return (
    <>
      <Timeline items={items.toSorted((a, b) => (a.at < b.at ? 1 : -1))} />
      {shown !== null && <Notification id={shown} onClose={() => setShown(null)} />}
    </>
  )
}

/** A notification as it came, beside the verdict. */
function Notification({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const event = useQuery(query('payment_event', { id }))
  return (
    <Dialog open wide onClose={onClose} title={t('notification.title', { id })} closeLabel={t('desk:close')}>
      <Loaded query={event}>
        {(data) => (
          <>
            <p>
              {data.method}, <Moment iso={data.at} />: {data.verdict ?? t('timeline.unjudged')}
            </p>
            <pre className={styles.body}>
              {Object.entries(data.headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            </pre>
            <pre className={styles.body}>{data.body}</pre>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

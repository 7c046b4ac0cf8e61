import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'

type Event = DeskOutput<'customer_timeline'>['rows'][number]

/** All that happened to a customer and their money, the newest first. */
export function CustomerTimeline({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  const sentence = useSentence()
  const read = useInfiniteQuery({
    queryKey: ['customer_timeline', id],
    queryFn: ({ signal, pageParam }) =>
      call('customer_timeline', { id, ...(pageParam === null ? {} : { after: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  if (read.data === undefined)
    return read.error === null ? <Waiting /> : <Loaded query={read}>{() => null}</Loaded>
  const events = read.data.pages.flatMap(({ rows }) => rows)
  return (
    <>
      <Timeline
        items={events.map((event, index) => ({
          key: `${event.at}-${index}`,
          at: event.at,
          text: sentence(event),
          note: [event.by?.name, event.facts['reason']].filter(Boolean).join(': ') || null,
        }))}
      />
      {read.hasNextPage && (
        <div>
          <Button size="small" pending={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
            {t('customer.older')}
          </Button>
        </div>
      )}
    </>
  )
}

const isPool = (text: string): text is Pool => (pools as readonly string[]).includes(text)

/** The sentence of an event. */
function useSentence(): (event: Event) => ReactNode {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, usdChange, trafficChange } = useFigures()
  return ({ kind, subject_id: subject, facts }) => {
    const fact = (name: string) => facts[name] ?? ''
    const money = (name: string) => usd(facts[name] ?? '0')
    const invoice = (text: string) => (
      <>
        {text} <Link to={`/invoices/${encodeURIComponent(subject)}`}>{t('event.openInvoice')}</Link>
      </>
    )
    const account = fact('account')
    switch (kind) {
      case 'invoice_made':
        return invoice(t('event.invoiceMade', { gb: fact('gb'), amount: money('cost_micros') }))
      case 'invoice_settled':
        return invoice(t('event.invoiceSettled', { amount: money('received_micros') }))
      case 'invoice_refunded':
        return invoice(t('event.invoiceRefunded', { amount: money('refunded_micros') }))
      case 'invoice_disputed':
        return invoice(t('event.invoiceDisputed'))
      case 'balance_changed':
        return t('event.balance', {
          account: isPool(account) ? t(`header:pools.${account}`) : t('customer.referral'),
          change: isPool(account) ? trafficChange(facts['amount'] ?? '0') : usdChange(facts['amount'] ?? '0'),
          kind: fact('kind'),
        })
      case 'note':
        return t('event.note', { text: fact('text') })
      case 'staff_act':
        return t('event.act', { action: fact('action') })
      case 'signed_up':
      case 'email_confirmed':
      case 'blocked':
      case 'letter':
        return t(`event.${kind}`)
    }
  }
}

import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { pagesKey } from '../../../state/reads/pages-key.ts'
import { Button } from '../../../ui/button.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'
import { useActionName, useLedgerKind } from '../../subjects/action-name.ts'
import { useLetterName } from '../../subjects/letter-name.ts'

type Event = DeskOutput<'customer_timeline'>['rows'][number]

/** All events of a customer, those about money included, the newest first. */
export function CustomerTimeline({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  const sentence = useSentence()
  const read = useInfiniteQuery({
    queryKey: pagesKey('customer_timeline', id),
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
          note:
            [event.by?.name, event.facts['reason'], event.facts['fault']].filter(Boolean).join(': ') || null,
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

const letterStates = ['waiting', 'sent', 'failed'] as const
const isPool = (text: string): text is Pool => (pools as readonly string[]).includes(text)

/** Returns a function that describes an event in one sentence. */
function useSentence(): (event: Event) => ReactNode {
  const { t } = useTranslation(['deskPages', 'deskCustomer', 'header'])
  const letterName = useLetterName()
  const { usd, usdChange, trafficChange } = useFigures()
  const actionName = useActionName()
  const ledgerKind = useLedgerKind()
  return ({ kind, subject_id: subject, facts }) => {
    const fact = (name: string) => facts[name] ?? ''
    const money = (name: string) => usd(facts[name] ?? '0')
    const invoice = (text: string) => (
      <>
        <span>{text}</span>{' '}
        <Link to={`/invoices/${encodeURIComponent(subject)}`}>{t('event.openInvoice')}</Link>
      </>
    )
    const account = fact('account')
    switch (kind) {
      case 'invoice_made':
        return invoice(
          facts['promo_code'] == null
            ? t('event.invoiceMade', { gb: fact('gb'), amount: money('cost_micros') })
            : t('event.invoiceMadeWith', {
                gb: fact('gb'),
                amount: money('cost_micros'),
                code: fact('promo_code'),
              }),
        )
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
          kind: ledgerKind(fact('kind')),
        })
      case 'note':
        return t('event.note', { text: fact('text') })
      case 'staff_act':
        return actionName(fact('action'))
      case 'letter': {
        const state = letterStates.find((one) => one === fact('state')) ?? 'waiting'
        return t('event.letter', {
          name: letterName(fact('template')),
          state: t(`deskCustomer:letters.state.${state}`),
        })
      }
      case 'invited':
        return (
          <>
            <span>{t('event.invited')}</span>{' '}
            <Link to={`/customers/${subject}`}>{facts['name'] ?? `#${subject}`}</Link>
          </>
        )
      case 'address_listed':
        return t('event.addressListed', {
          ip: fact('ip'),
          pool: isPool(fact('pool')) ? t(`header:pools.${fact('pool') as Pool}`) : fact('pool'),
        })
      case 'signed_up':
      case 'email_confirmed':
      case 'telegram_linked':
      case 'signed_in':
      case 'erasure_asked':
      case 'blocked':
        return t(`event.${kind}`)
    }
  }
}

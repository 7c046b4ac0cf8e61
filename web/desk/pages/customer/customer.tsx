import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import type { DeskName } from '#contract/desk/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { customerName } from '../../subjects/customer-name.ts'
import { CustomerState } from '../../subjects/customer-state.tsx'
import { Access } from './access.tsx'
import { Acts } from './acts.tsx'
import { Balances } from './balances.tsx'
import styles from './customer.module.css'
import {
  CustomerInvitees,
  CustomerInvoices,
  CustomerLedger,
  CustomerLetters,
  CustomerPromoUses,
} from './lists.tsx'
import { LiveConnections } from './live.tsx'
import { Notes } from './notes.tsx'
import { CustomerRefusals } from './refusals.tsx'
import { Tags } from './tags.tsx'
import { CustomerTimeline } from './timeline.tsx'
import type { Customer } from './types.ts'
import { CustomerUsage } from './usage.tsx'
import { Who } from './who.tsx'

export function CustomerPage() {
  const { t } = useTranslation('deskPages')
  const { id = '' } = useParams()
  const customer = useQuery(query('customer', { id }))
  if (customer.data === undefined)
    return (
      <>
        <PageHead title={`#${id}`} back={{ to: '/customers', label: t('customers.title') }} />
        <Loaded query={customer}>{() => null}</Loaded>
      </>
    )
  return <Content key={id} customer={customer.data} />
}

/** The lists of a customer, each with the call that a member must be allowed to make to see it. */
const tabs = {
  timeline: 'customer_timeline',
  refusals: 'customer_refusals',
  live: 'live_connections',
  usage: 'customer_usage',
  ledger: 'customer_ledger',
  invoices: 'invoices',
  access: 'customer_limits',
  promo: 'customer_promo_uses',
  invited: 'customers',
  letters: 'customer_letters',
} as const satisfies Record<string, DeskName>
type Tab = keyof typeof tabs

function Content({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskPages')
  return (
    <>
      <PageHead
        title={customerName(customer)}
        back={{ to: '/customers', label: t('customers.title') }}
        meta={<CustomerState state={customer.state} />}
        actions={<Acts customer={customer} />}
      />
      <div className={styles.columns}>
        <div className={styles.main}>
          {customer.blocked !== null && <BlockNotice customer={customer} reason={customer.blocked.reason} />}
          <Balances customer={customer} />
          <Lists customer={customer} />
        </div>
        <aside className={styles.side} aria-label={t('customer.about')}>
          <Who customer={customer} />
          <Tags customer={customer} />
          <Notes customer={customer} />
        </aside>
      </div>
    </>
  )
}

/** States that the customer is blocked or erased, and why. */
function BlockNotice({ customer, reason }: { customer: Customer; reason: string | null }) {
  const { t } = useTranslation('deskPages')
  const isErased = customer.erased_at !== null
  return (
    <p className={styles.blocked}>
      {isErased ? t('customer.erasedPlain') : [t('customer.blockedPlain'), reason].join(' ').trim()}
    </p>
  )
}

/** The lists of past events and open items; the selected list is stored in the address. */
function Lists({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const may = useMay()
  const [search, setParameter] = useSearchParameter()
  const { id } = customer
  const offered = (Object.keys(tabs) as Tab[]).filter((tab) => may(tabs[tab]))
  const tab = offered.find((each) => each === search.get('tab')) ?? 'timeline'
  return (
    <section className={styles.lists} aria-label={t(`lists.${tab}`)}>
      <Segmented<Tab>
        label={t('deskPages:customer.show')}
        value={tab}
        options={offered.map((value) => ({ value, label: t(`lists.${value}`) }))}
        onChange={(next) => setParameter('tab', next === 'timeline' ? null : next)}
      />
      {tab === 'timeline' && <CustomerTimeline id={id} />}
      {tab === 'refusals' && <CustomerRefusals id={id} />}
      {tab === 'live' && <LiveConnections customer={customer} />}
      {tab === 'usage' && <CustomerUsage id={id} />}
      {tab === 'ledger' && <CustomerLedger id={id} />}
      {tab === 'invoices' && <CustomerInvoices id={id} />}
      {tab === 'access' && <Access customer={customer} />}
      {tab === 'promo' && <CustomerPromoUses id={id} />}
      {tab === 'invited' && <CustomerInvitees id={id} />}
      {tab === 'letters' && <CustomerLetters id={id} />}
    </section>
  )
}

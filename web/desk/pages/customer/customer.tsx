import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { customerName } from '../../subjects/customer-name.ts'
import { CustomerState } from '../../subjects/customer-state.tsx'
import { Acts } from './acts.tsx'
import { Balances } from './balances.tsx'
import styles from './customer.module.css'
import { CustomerInvoices, CustomerLedger, CustomerUsage } from './lists.tsx'
import { Notes } from './notes.tsx'
import { Tags } from './tags.tsx'
import { CustomerTimeline } from './timeline.tsx'
import type { Customer } from './types.ts'
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

const tabs = ['timeline', 'ledger', 'invoices', 'usage'] as const

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
          <Balances customer={customer} />
          <Lists id={customer.id} />
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

/** What happened, four ways; the choice stays in the address. */
function Lists({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const [search] = useSearchParams()
  const [, setParameter] = useSearchParameter()
  const offered = tabs.filter((tab) => tab !== 'invoices' || may('invoices'))
  const tab = offered.find((each) => each === search.get('tab')) ?? 'timeline'
  return (
    <section className={styles.lists} aria-label={t(`customer.tab.${tab}`)}>
      <Segmented
        label={t('customer.show')}
        value={tab}
        options={offered.map((value) => ({ value, label: t(`customer.tab.${value}`) }))}
        onChange={(next) => setParameter('tab', next === 'timeline' ? null : next)}
      />
      {tab === 'timeline' && <CustomerTimeline id={id} />}
      {tab === 'ledger' && <CustomerLedger id={id} />}
      {tab === 'invoices' && <CustomerInvoices id={id} />}
      {tab === 'usage' && <CustomerUsage id={id} />}
    </section>
  )
}

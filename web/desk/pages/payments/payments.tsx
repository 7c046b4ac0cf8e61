import { useSearchParams } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Disputes } from './disputes.tsx'
import { SavedViews } from '../../table/views.tsx'
import { Events } from './events.tsx'
import { Payouts } from './payouts.tsx'
import styles from './payments.module.css'
import { Receipts } from './receipts.tsx'
import { Processors } from './processors.tsx'
import { Refunds } from './refunds.tsx'

const tabs = ['events', 'refunds', 'receipts', 'payouts', 'disputes', 'processors'] as const

/**
 * Notifications of processors, refunds, fiscal receipts, payouts to customers, disputes, and the state of the
 * processors.
 */
export function PaymentsPage() {
  const { t } = useTranslation('deskMoney')
  const [search] = useSearchParams()
  const [, setParameter] = useSearchParameter()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'events'
  return (
    <>
      <PageHead title={t('payments.title')} actions={<SavedViews />} />
      <div className={styles.page}>
        <div className={styles.tabs}>
          <Segmented
            label={t('payments.show')}
            value={tab}
            options={tabs.map((value) => ({ value, label: t(`payments.tab.${value}`) }))}
            onChange={(value) => setParameter('tab', value === 'events' ? null : value)}
          />
        </div>
        {tab === 'events' && <Events />}
        {tab === 'refunds' && <Refunds />}
        {tab === 'receipts' && <Receipts />}
        {tab === 'payouts' && <Payouts />}
        {tab === 'disputes' && <Disputes />}
        {tab === 'processors' && <Processors />}
      </div>
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../../state/i18n.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { headersText, RawText } from '../../parts/raw-text.tsx'
import styles from './payments.module.css'
import { Verdict } from './verdict.tsx'

/** A notification exactly as received, with its verdict. */
export function EventDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation(['deskMoney', 'desk'])
  const { number } = useFigures()
  const event = useQuery(query('payment_event', { id }))
  return (
    <Dialog open wide onClose={onClose} title={t('payments.event', { id })} closeLabel={t('desk:close')}>
      <Loaded query={event}>
        {(data) => (
          <div className={styles.page}>
            <Facts
              facts={[
                { name: t('payments.verdictColumn'), value: <Verdict verdict={data.verdict} /> },
                { name: t('payments.received'), value: <Moment iso={data.at} exact /> },
                {
                  name: t('payments.judged'),
                  value: data.judged_at !== null && <Moment iso={data.judged_at} exact />,
                },
                { name: t('payments.ip'), value: data.ip },
                { name: t('payments.size'), value: number(data.body_bytes) },
              ]}
            />
            <h3>{t('payments.body')}</h3>
            <RawText text={data.body} />
            <h3>{t('payments.headers')}</h3>
            <RawText text={headersText(data.headers)} />
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

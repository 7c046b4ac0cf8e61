import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'
import styles from './reports.module.css'

type Answer = DeskOutput<'margin_report'>

/** The total revenue and the paid, unused traffic, compared with the ledger. */
export function MarginBooks({ answer: { foot, agrees } }: { answer: Answer }) {
  const { t } = useTranslation('deskMoney')
  const { usd } = useFigures()
  const row = (key: string) => {
    const found = foot.find((one) => one.key === key)
    return {
      revenue: usd(found?.revenue_micros ?? '0'),
      fee: usd(found?.fee_micros ?? '0'),
      referral: usd(found?.share_micros ?? '0'),
    }
  }
  const { revenue, fee, referral } = row(agrees === 'differs' ? 'difference' : 'ledger')
  const [earned, unused, other] = [row('earned').revenue, row('unused').revenue, row('other').revenue]
  return (
    <>
      <p className={styles.books}>{t('reports.ever', { earned, unused, other })}</p>
      <p className={agrees === 'equal' ? styles.books : styles.wrong}>
        {t(`reports.marginBooks.${agrees}`, { revenue, fee, referral })}
      </p>
    </>
  )
}

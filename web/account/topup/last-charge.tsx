import { numberFormat, withoutBreaks } from '#contract/amounts'
import type { Output } from '#contract/contract'
import { declineWords } from '#contract/topup/words'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { formatRecentTime } from '../../ui/format-time.ts'
import styles from './topup-card.module.css'

type Charge = NonNullable<Output<'get_top_ups'>['pools'][number]['last']>

/** An amount of a currency as its reader writes it. */
export function priceText({ currency, amount }: Charge['price'], language: 'ru' | 'en'): string {
  return withoutBreaks(numberFormat(language, { style: 'currency', currency }).format(amount))
}

/** The outcome of the last charge; while the bank requires the customer, the page on which they pay. */
export function LastCharge({ charge }: { charge: Charge | null }) {
  const { t } = useTranslation('userBtns')
  const language = useLanguage()
  if (charge === null) return null
  const { state, reason, payment_url: url } = charge
  const facts = { price: priceText(charge.price, language), date: formatRecentTime(charge.made_at, language) }
  const say =
    state === 'succeeded'
      ? t('topUp.lastSucceeded', facts)
      : state === 'failed'
        ? t('topUp.lastFailed', facts)
        : state === 'awaiting_customer'
          ? t('topUp.lastAwaiting', facts)
          : t('topUp.lastUnderWay', facts)
  return (
    <>
      <p className={styles.quiet}>
        {`${say} ${reason !== null && state === 'failed' ? declineWords[language][reason] : ''}`}
      </p>
      {url !== null && (
        <Button href={url} variant="primary" size="small">
          {t('topUp.pay')}
        </Button>
      )}
    </>
  )
}

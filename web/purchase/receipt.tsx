import type { Pool } from '#contract/wire'
import { useTranslation } from '../app/i18n.ts'
import { useFormat } from '../app/use-format.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { Odometer } from '../ui/odometer.tsx'
import { PoolMark } from '../ui/pool-mark.tsx'
import type { Quote } from './quote.ts'
import styles from './receipt.module.css'

interface ReceiptProps {
  pool: Pool
  gb: number
  quote: Quote
  promoDiscount: number
  /** Paid from the referral balance: no payment page opens. */
  byReferral: boolean
  pending: boolean
}

/** The ticket: what is bought, how its price comes about, and the button that pays. */
export function Receipt({ pool, gb, quote, promoDiscount, byReferral, pending }: ReceiptProps) {
  const { t } = useTranslation(['purchase', 'header'])
  const { usd, percent, number } = useFormat()
  const { price, volumeDiscount, state, basePrices } = quote
  const base = basePrices[pool]
  const known = state === 'ready'
  return (
    <section className={styles.receipt} aria-label={t('receipt')}>
      <h2 className={styles.what}>
        <PoolMark pool={pool} size={24} />
        <span className={styles.pool}>{t(`header:pools.${pool}`)}</span>
        <span className="mono">{t('preset', { formatted: number(gb) })}</span>
      </h2>
      <dl className={styles.lines}>
        <Line name={t('basePrice')} value={base === undefined ? '—' : usd(base)} />
        {volumeDiscount > 0 && <Line name={t('volumeDiscount')} value={`−${percent(volumeDiscount)}`} good />}
        {promoDiscount > 0 && <Line name={t('promoDiscount')} value={`−${percent(promoDiscount)}`} good />}
        <Line name={t('perGb')} value={base === undefined ? '—' : usd(price.perGbUsd)} />
      </dl>
      <div className={styles.foot}>
        <p className={classes(styles.cost, state === 'loading' && styles.settling)}>
          <span className={styles.costName}>{t('cost')}</span>
          <Odometer value={usd(price.finalUsd)} className={styles.sum} />
        </p>
        {state === 'failed' && <p className={styles.failed}>{t('pricesFailed')}</p>}
        <Button type="submit" variant="paint" size="large" wide pending={pending}>
          {known && price.finalUsd > 0 ? t('pay', { cost: usd(price.finalUsd) }) : t('payPlain')}
        </Button>
      </div>
      <p className={styles.note}>{t(byReferral ? 'referralNote' : 'payNote')}</p>
    </section>
  )
}

function Line({ name, value, good }: { name: string; value: string; good?: boolean }) {
  return (
    <div className={styles.line}>
      <dt>{name}</dt>
      <dd className={classes('mono', good && styles.good)}>{value}</dd>
    </div>
  )
}

import { hasFractionsOfCent } from '#contract/price'
import { payloadOf } from '#contract/traffic'
import type { Pool } from '#contract/wire'
import { useCurrency, usePrice } from '../../state/currency.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatDay } from '../../ui/format-time.ts'
import { formatRate } from '../../ui/format.ts'
import { Odometer } from '../../ui/odometer.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import type { Quote } from './quote.ts'
import styles from './order-summary.module.css'

interface OrderSummaryProps {
  pool: Pool
  gb: number
  quote: Quote
  promoDiscount: number
  /** The balance that pays, without a payment page; null: none. */
  byBalance: 'referral' | 'balance' | null
  /** It is not known whether the order was made, which is sent again unchanged. */
  isUnsure: boolean
  pending: boolean
}

/** The order: pool and amount, how the price is computed, and the button that pays. */
const notes = { processor: 'payNote', referral: 'referralNote', balance: 'balanceNote' } as const

export function OrderSummary(props: OrderSummaryProps) {
  const { pool, gb, quote, promoDiscount, byBalance, isUnsure, pending } = props
  const { t } = useTranslation(['purchase', 'header'])
  const { usd, percent, number, decimal } = useFormat()
  const language = useLanguage()
  const shown = usePrice()
  const isShown = useCurrency() !== null
  const { price, volumeDiscount, state, basePrices, isAgreed } = quote
  const base = basePrices[pool]
  const payload = payloadOf(gb)
  const isKnown = state === 'ready'
  const isUnsold = state === 'unsold'
  return (
    <section className={styles.summary} aria-label={t('receipt')}>
      <h2 className={styles.order}>
        <PoolIcon pool={pool} size={24} />
        <span className={styles.pool}>{t(`header:pools.${pool}`)}</span>
        <span translate="no" className="mono">
          {t('preset', { formatted: number(gb) })}
        </span>
      </h2>
      <dl className={styles.lines}>
        <Line
          isBase
          name={t(isAgreed ? 'agreedPrice' : 'basePrice')}
          value={base === undefined ? '—' : shown(base)}
        />
        {volumeDiscount > 0 && (
          <Line name={t('volumeDiscount')} value={`−${percent(volumeDiscount)}`} isDiscount />
        )}
        {promoDiscount > 0 && (
          <Line name={t('promoDiscount')} value={`−${percent(promoDiscount)}`} isDiscount />
        )}
        <Line name={t('perGb')} value={base === undefined ? '—' : shown(price.perGbUsd)} />
      </dl>
      {gb > 0 && (
        <p className={styles.exact}>
          {t('payload', { plain: decimal(payload.plain), targeted: decimal(payload.targeted) })}
        </p>
      )}
      {isKnown && !isShown && hasFractionsOfCent(price.perGbUsd) && (
        <p className={styles.exact}>{t('exactPerGb', { price: exactUsd(price.perGbUsd, language) })}</p>
      )}
      <div className={styles.foot}>
        <p className={classNames(styles.cost, state === 'loading' && styles.loading)}>
          <span className={styles.costName}>{t(isShown ? 'costShown' : 'cost')}</span>
          <Odometer value={shown(price.finalUsd)} className={styles.sum} />
        </p>
        {!isUnsold && <DueNote usd={usd(price.finalUsd)} />}
        {state === 'failed' && (
          <div className={styles.failed} role="status">
            <p>{t('pricesFailed')}</p>
            <Button size="small" onClick={quote.retry}>
              {t('retry')}
            </Button>
          </div>
        )}
        {isUnsold && (
          <p className={styles.failed} role="status">
            {t('notSold', { pool: t(`header:pools.${pool}`) })}
          </p>
        )}
        {isUnsure && (
          <p className={styles.failed} role="alert">
            {t('unsure')}
          </p>
        )}
        <Button
          type="submit"
          variant="primary"
          size="large"
          wide
          pending={pending}
          disabled={isUnsold && !isUnsure}
        >
          {isKnown && price.finalUsd > 0 && !isUnsure
            ? t('pay', { cost: usd(price.finalUsd) })
            : t('payPlain')}
        </Button>
      </div>
      <p className={styles.note}>{t(notes[byBalance ?? 'processor'])}</p>
    </section>
  )
}

const exactUsd = (usd: number, language: string): string =>
  usd.toLocaleString(language, { style: 'currency', currency: 'USD', maximumFractionDigits: 6 })

/** What is due, where the price is shown in another currency. */
function DueNote({ usd }: { usd: string }) {
  const { t } = useTranslation('purchase')
  const language = useLanguage()
  const currency = useCurrency()
  if (currency === null) return null
  const { code, per_usd: rate, on } = currency
  return (
    <p className={styles.due}>
      {t('shownAt', { usd, code, rate: formatRate(rate, language), day: formatDay(on, language) })}
    </p>
  )
}

function Line(props: { name: string; value: string; isDiscount?: boolean; isBase?: boolean }) {
  const { name, value, isDiscount, isBase } = props
  return (
    <div className={classNames(styles.line, isBase && styles.base)}>
      <dt>{name}</dt>
      <dd translate="no" className={classNames('mono', isDiscount && styles.discount)}>
        {value}
      </dd>
    </div>
  )
}

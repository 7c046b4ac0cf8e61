import { hasFractionsOfCent } from '#contract/price'
import type { Pool } from '#contract/wire'
import { usePrice } from '../../state/currency.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Odometer } from '../../ui/odometer.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './tariff-card.module.css'
import { amountLabel, recommendedGb, type Tariff } from './tariffs.ts'

interface TariffCardProps {
  gb: number
  pool: Pool
  /** Null while prices or discounts are unknown. */
  tariff: Tariff | null
  isFailed: boolean
}

/** One offer: an amount, its price, the price per gigabyte and the volume discount. */
export function TariffCard({ gb, pool, tariff, isFailed }: TariffCardProps) {
  const { t } = useTranslation('home')
  const { number, percent } = useFormat()
  const { unit, value } = amountLabel(gb)
  const amount = t(`pricing.${unit}`, { formatted: number(value) })
  const isRecommended = gb === recommendedGb
  return (
    <Card as="li" tone={isRecommended ? 'highlighted' : 'surface'} className={styles.card}>
      <div className={styles.head}>
        <h3>{amount}</h3>
        {isRecommended && <span className={styles.recommended}>{t('pricing.recommended')}</span>}
        {!isRecommended && tariff !== null && tariff.discount > 0 && (
          <span className={styles.off}>{t('pricing.off', { percent: percent(tariff.discount) })}</span>
        )}
      </div>
      <TariffPrice tariff={tariff} isFailed={isFailed} isRecommended={isRecommended} />
      <Button
        variant={isRecommended ? 'primary' : 'secondary'}
        href={`/purchase?amount=${gb}&pool=${pool}`}
        wide
      >
        {t('pricing.buy', { amount })}
      </Button>
    </Card>
  )
}

function TariffPrice({
  tariff,
  isFailed,
  isRecommended,
}: {
  tariff: Tariff | null
  isFailed: boolean
  isRecommended: boolean
}) {
  const { t } = useTranslation('home')
  const { percent } = useFormat()
  const shown = usePrice()
  if (tariff === null) {
    return (
      <div className={styles.prices}>
        <p className={styles.final}>{isFailed ? '—' : <Skeleton characters={7} />}</p>
        <p className={styles.perGb}>{isFailed ? '\u00a0' : <Skeleton characters={14} />}</p>
        <p className={styles.note}>{isFailed ? '\u00a0' : <Skeleton characters={16} />}</p>
      </div>
    )
  }
  const { discount } = tariff
  const note = [
    ...(isRecommended && discount > 0 ? [t('pricing.off', { percent: percent(discount) })] : []),
    discount > 0 ? t('pricing.before', { price: shown(tariff.originalUsd) }) : t('pricing.base'),
  ].join(', ')
  return (
    <div className={styles.prices}>
      <p className={styles.final}>
        <Odometer value={shown(tariff.finalUsd)} />
      </p>
      <p className={styles.perGb}>
        {hasFractionsOfCent(tariff.perGbUsd) && <span>≈ </span>}
        <span>{t('pricing.perGb', { price: shown(tariff.perGbUsd) })}</span>
      </p>
      <p className={styles.note}>{note}</p>
    </div>
  )
}

import type { Pool } from '#contract/wire'
import { useTranslation } from '../../app/i18n.ts'
import { useFormat } from '../../app/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Odometer } from '../../ui/odometer.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './tariff-card.module.css'
import { amountLabel, recommendedGb, type Tariff } from './tariffs.ts'

interface TariffCardProps {
  gb: number
  pool: Pool
  /** Null until prices and discounts are known. */
  tariff: Tariff | null
  failed: boolean
}

/** One amount of one pool: what it costs, what a gigabyte of it costs, what the volume saves. */
export function TariffCard({ gb, pool, tariff, failed }: TariffCardProps) {
  const { t } = useTranslation('home')
  const { number, percent } = useFormat()
  const { unit, value } = amountLabel(gb)
  const amount = t(`pricing.${unit}`, { formatted: number(value) })
  const recommended = gb === recommendedGb
  return (
    <Card as="li" tone={recommended ? 'painted' : 'surface'} className={styles.card}>
      <div className={styles.head}>
        <h3>{amount}</h3>
        {recommended && <span className={styles.recommended}>{t('pricing.recommended')}</span>}
        {!recommended && tariff !== null && tariff.discount > 0 && (
          <span className={styles.off}>{t('pricing.off', { percent: percent(tariff.discount) })}</span>
        )}
      </div>
      <TariffPrice tariff={tariff} failed={failed} recommended={recommended} />
      <Button variant={recommended ? 'paint' : 'plain'} href={`/purchase?amount=${gb}&pool=${pool}`} wide>
        {t('pricing.buy', { amount })}
      </Button>
    </Card>
  )
}

function TariffPrice({
  tariff,
  failed,
  recommended,
}: {
  tariff: Tariff | null
  failed: boolean
  recommended: boolean
}) {
  const { t } = useTranslation('home')
  const { usd, percent } = useFormat()
  if (tariff === null) {
    return (
      <div className={styles.prices}>
        <p className={styles.final}>{failed ? '—' : <Skeleton characters={7} />}</p>
        <p className={styles.perGb}>{failed ? '\u00a0' : <Skeleton characters={14} />}</p>
        <p className={styles.note}>{failed ? '\u00a0' : <Skeleton characters={16} />}</p>
      </div>
    )
  }
  const { discount } = tariff
  const note = [
    ...(recommended && discount > 0 ? [t('pricing.off', { percent: percent(discount) })] : []),
    discount > 0 ? t('pricing.before', { price: usd(tariff.originalUsd) }) : t('pricing.base'),
  ].join(', ')
  return (
    <div className={styles.prices}>
      <p className={styles.final}>
        <Odometer value={usd(tariff.finalUsd)} />
      </p>
      <p className={styles.perGb}>{t('pricing.perGb', { price: usd(tariff.perGbUsd) })}</p>
      <p className={styles.note}>{note}</p>
    </div>
  )
}

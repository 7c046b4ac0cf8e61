import { useQuery } from '@tanstack/react-query'
import { hasFractionsOfCent, offeredGb } from '#contract/price'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useContacts } from '../../state/site.ts'
import { useSitePools } from '../../state/places/sold-pools.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import page from './home.module.css'
import styles from './pricing.module.css'
import { TariffCard } from './tariff-card.tsx'
import { discountedGb, tariffs } from './tariffs.ts'

interface PricingProps {
  pool: Pool
  onPool: (pool: Pool) => void
}

export function Pricing({ pool, onPool }: PricingProps) {
  const { t } = useTranslation('home')
  const prices = useQuery(query('prices', {}))
  const discounts = useQuery(query('calculate', { amounts: [...discountedGb] }))
  const base = prices.data?.[pool]
  const offers = base === undefined || discounts.data === undefined ? null : tariffs(base, discounts.data)
  const isFailed = prices.isError || discounts.isError || (prices.data !== undefined && base === undefined)
  if (useSitePools().sold.length === 0) return null
  return (
    <section className={styles.section} id="prices" aria-labelledby="prices-heading">
      <div className={classNames(page.halves, page.ground)}>
        <h2 id="prices-heading">{t('pricing.heading')}</h2>
        <p className={page.lead}>{t('pricing.lead')}</p>
      </div>
      <div className={styles.offer}>
        <PoolSelector pool={pool} onPool={onPool} />
        <ul className={styles.cards}>
          {offeredGb.map((gb, index) => (
            <TariffCard key={gb} gb={gb} pool={pool} tariff={offers?.[index] ?? null} isFailed={isFailed} />
          ))}
          <EnterpriseCard />
        </ul>
        {offers?.some(({ perGbUsd }) => hasFractionsOfCent(perGbUsd)) === true && (
          <p className={styles.rounded}>{t('pricing.rounded')}</p>
        )}
      </div>
    </section>
  )
}

function PoolSelector({ pool, onPool }: PricingProps) {
  const { t } = useTranslation(['home', 'header'])
  const { sold } = useSitePools()
  return (
    <fieldset className={styles.selector}>
      <legend className="sr-only">{t('home:pricing.pool')}</legend>
      {sold.map((each) => (
        <label key={each} className={styles.choice}>
          <input
            type="radio"
            name="pricing-pool"
            className="sr-only"
            value={each}
            checked={each === pool}
            onChange={() => onPool(each)}
          />
          <PoolIcon pool={each} size={22} />
          <span>{t(`header:pools.${each}`)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function EnterpriseCard() {
  const { t } = useTranslation('home')
  const { enterprise, support } = useContacts()
  const contact = enterprise ?? support
  return (
    <Card as="li" tone="raised" className={styles.enterprise}>
      <h3>{t('pricing.enterprise.title')}</h3>
      <p className={styles.enterpriseText}>{t('pricing.enterprise.text')}</p>
      {contact !== null && (
        <Button href={contact} wide>
          {t('pricing.enterprise.act')}
        </Button>
      )}
    </Card>
  )
}

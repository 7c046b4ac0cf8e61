import { useQuery } from '@tanstack/react-query'
import { query } from '../../state/reads/queries.ts'
import { usePrice } from '../../state/currency.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useSite } from '../../state/site.ts'
import { useSoldKinds } from '../../state/places/sold-pools.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './hero.module.css'
import page from './home.module.css'
import { LineBuilder } from './line-builder.tsx'

export function Hero() {
  const { t } = useTranslation('home')
  const home = useSite()?.home
  const kinds = useSoldKinds()
  const lead = kinds === null ? t('hero.leadPlain') : t('hero.lead', { kinds })
  return (
    <section className={`${page.halves} ${page.ground} ${styles.hero}`}>
      <div className={styles.intro}>
        <h1 className={styles.heading}>{home?.heading ?? t('hero.heading')}</h1>
        <p className={page.lead}>{home?.lead ?? lead}</p>
        <div className={styles.action}>
          <Button variant="primary" size="large" href="/purchase">
            {t('hero.buy')}
          </Button>
          <CheapestPrice />
        </div>
      </div>
      <LineBuilder />
    </section>
  )
}

/** The lowest price per gigabyte of all pools; left out when the prices cannot be loaded. */
function CheapestPrice() {
  const { t } = useTranslation('home')
  const shown = usePrice()
  const { data, isError } = useQuery(query('prices', {}))
  if (isError || (data !== undefined && Object.keys(data).length === 0)) return null
  const lowest = data === undefined ? undefined : Math.min(...Object.values(data))
  return (
    <span className={styles.from}>
      {lowest === undefined ? <Skeleton characters={14} /> : t('hero.from', { price: shown(lowest) })}
    </span>
  )
}

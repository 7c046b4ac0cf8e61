import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { type Pool, pools } from '#contract/wire'
import { query } from '../../app/api.ts'
import { countriesQuery } from '../../app/countries.ts'
import { DemoNote } from '../../app/demo-note.tsx'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { useFormat } from '../../app/use-format.ts'
import { useLocal } from '../../app/use-local.ts'
import { Card } from '../../ui/card.tsx'
import { classes } from '../../ui/classes.ts'
import { PoolMark } from '../../ui/pool-mark.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './features.module.css'
import page from './home.module.css'

/** What each pool is for, with its live numbers; the residential one leads. */
export function Features() {
  const { t } = useTranslation('home')
  return (
    <section className={styles.section}>
      <div className={classes(page.halves, page.ground)}>
        <h2>{t('features.heading')}</h2>
        <p className={page.lead}>
          {t('features.lead')} <DemoNote />
        </p>
      </div>
      <ul className={styles.pools}>
        {pools.map((pool) => (
          <PoolCard key={pool} pool={pool} leads={pool === 'residential'} />
        ))}
      </ul>
    </section>
  )
}

function PoolCard({ pool, leads }: { pool: Pool; leads: boolean }) {
  const { t } = useTranslation(['home', 'header'])
  const local = useLocal()
  const name = t(`header:pools.${pool}`)
  return (
    <Card
      as="li"
      tone={leads ? 'asphalt' : 'surface'}
      className={classes(styles.pool, leads && styles.leads)}
    >
      <PoolMark pool={pool} size={leads ? 48 : 28} className={styles.mark} />
      {leads && <p className={styles.highlight}>{t('home:features.highlight')}</p>}
      <h3 className={styles.name}>
        <Link
          className={styles.link}
          to={local(`/?pool=${pool}#prices`)}
          aria-label={t('home:features.choose', { pool: name })}
        >
          {name}
        </Link>
      </h3>
      <p className={styles.about}>{t(`home:features.about.${pool}`)}</p>
      {leads && <BusiestCountries pool={pool} />}
      <PoolNumbers pool={pool} />
    </Card>
  )
}

/** Where most of the pool's addresses are, as live as the list itself. */
function BusiestCountries({ pool }: { pool: Pool }) {
  const language = useLanguage()
  const { number } = useFormat()
  const { data, isError } = useQuery(countriesQuery(pool, language))
  if (isError) return null
  const rows = data?.slice(0, 5) ?? Array.from({ length: 5 }, () => null)
  return (
    <ol className={styles.busiest}>
      {rows.map((country, index) => (
        <li key={country?.code ?? index}>
          <span>{country === null ? <Skeleton characters={10} /> : country.name}</span>
          <span className="mono">
            {country === null ? <Skeleton characters={6} /> : number(country.count)}
          </span>
        </li>
      ))}
    </ol>
  )
}

function PoolNumbers({ pool }: { pool: Pool }) {
  const { t } = useTranslation('home')
  const { usd, number } = useFormat()
  const prices = useQuery(query('prices', {}))
  const countries = useQuery(countriesQuery(pool, useLanguage()))
  const places = countries.data?.length ?? 0
  const addresses = countries.data?.reduce((sum, country) => sum + country.count, 0) ?? 0
  const price = prices.data?.[pool]
  const show = (value: string | undefined, failed: boolean) =>
    value ?? (failed ? '—' : <Skeleton characters={5} />)
  return (
    <dl className={styles.numbers}>
      <Number label={t('features.perGb')} strong>
        {show(price === undefined ? undefined : usd(price), prices.isError)}
      </Number>
      <Number label={t('features.countries', { count: places })}>
        {show(countries.data && number(places), countries.isError)}
      </Number>
      <Number label={t('features.addresses', { count: addresses })}>
        {show(countries.data && number(addresses), countries.isError)}
      </Number>
    </dl>
  )
}

function Number({ label, strong, children }: { label: string; strong?: boolean; children: React.ReactNode }) {
  return (
    <div className={styles.number}>
      <dt>{label}</dt>
      <dd className={strong ? styles.strong : undefined}>{children}</dd>
    </div>
  )
}

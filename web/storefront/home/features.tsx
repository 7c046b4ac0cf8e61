import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { countriesQuery } from '../../state/places/countries.ts'
import { usePrice } from '../../state/currency.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useLocalPath } from '../../state/language.ts'
import { useDemoNote } from '../../state/site.ts'
import { useSitePools } from '../../state/places/sold-pools.ts'
import { useFormat } from '../../state/use-format.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Note } from '../../ui/note.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './features.module.css'
import page from './home.module.css'

const counts = ['one', 'two', 'three', 'four'] as const

/** The pools on sale with their purpose and current numbers, the first one featured; then those announced. */
export function Features() {
  const { t } = useTranslation('home')
  const demoNote = useDemoNote()
  const { sold, soon } = useSitePools()
  const count = counts[sold.length - 1]
  if (count === undefined) return null
  return (
    <section className={styles.section}>
      <div className={classNames(page.halves, page.ground)}>
        <h2>{t(`features.heading.${count}`)}</h2>
        <p className={page.lead}>
          <span>{t(sold.length === 1 ? 'features.leadOne' : 'features.lead')}</span>{' '}
          {demoNote !== null && <Note>{demoNote}</Note>}
        </p>
      </div>
      <ul className={styles.pools}>
        {sold.map((pool, index) => (
          <PoolCard key={pool} pool={pool} isFeatured={index === 0} />
        ))}
        {soon.map((pool) => (
          <SoonCard key={pool} pool={pool} />
        ))}
      </ul>
    </section>
  )
}

function PoolCard({ pool, isFeatured }: { pool: Pool; isFeatured: boolean }) {
  const { t } = useTranslation(['home', 'header'])
  const localPath = useLocalPath()
  const name = t(`header:pools.${pool}`)
  return (
    <Card
      as="li"
      tone={isFeatured ? 'dark' : 'surface'}
      className={classNames(styles.pool, isFeatured && styles.featured)}
    >
      <PoolIcon pool={pool} size={isFeatured ? 48 : 28} className={styles.icon} />
      {pool === 'residential' && <p className={styles.highlight}>{t('home:features.highlight')}</p>}
      <h3 className={styles.name}>
        <Link
          className={styles.link}
          to={localPath(`/?pool=${pool}#prices`)}
          aria-label={t('home:features.choose', { pool: name })}
        >
          {name}
        </Link>
      </h3>
      <p className={styles.about}>{t(`home:features.about.${pool}`)}</p>
      {isFeatured && <TopCountries pool={pool} />}
      <PoolNumbers pool={pool} />
    </Card>
  )
}

/** A pool that is announced: it has no price, and nothing to choose. */
function SoonCard({ pool }: { pool: Pool }) {
  const { t } = useTranslation(['home', 'header'])
  return (
    <Card as="li" tone="surface" className={styles.pool}>
      <PoolIcon pool={pool} size={28} className={styles.icon} />
      <p className={styles.highlight}>{t('home:features.soon')}</p>
      <h3 className={styles.name}>{t(`header:pools.${pool}`)}</h3>
      <p className={styles.about}>{t(`home:features.about.${pool}`)}</p>
    </Card>
  )
}

/** The five countries with the most addresses. */
function TopCountries({ pool }: { pool: Pool }) {
  const language = useLanguage()
  const { number } = useFormat()
  const { data, isError } = useQuery(countriesQuery(pool, language))
  if (isError) return null
  if (data?.length === 0) return null
  const rows = data?.slice(0, 5) ?? Array.from({ length: 5 }, () => null)
  return (
    <ol className={styles.topCountries}>
      {rows.map((country, index) => (
        <li key={country?.code ?? index}>
          <span>{country === null ? <Skeleton characters={10} /> : country.name}</span>
          <span translate="no" className="mono">
            {country === null ? <Skeleton characters={6} /> : number(country.count)}
          </span>
        </li>
      ))}
    </ol>
  )
}

function PoolNumbers({ pool }: { pool: Pool }) {
  const { t } = useTranslation('home')
  const { number } = useFormat()
  const shown = usePrice()
  const prices = useQuery(query('prices', {}))
  const countries = useQuery(countriesQuery(pool, useLanguage()))
  const countryCount = countries.data?.length ?? 0
  const addressCount = countries.data?.reduce((sum, country) => sum + country.count, 0) ?? 0
  const price = prices.data?.[pool]
  const show = (value: string | undefined, isFailed: boolean) =>
    value ?? (isFailed ? '—' : <Skeleton characters={5} />)
  return (
    <dl className={styles.numbers}>
      <Figure label={t('features.perGb')} strong>
        {show(price === undefined ? undefined : shown(price), prices.isError || prices.data !== undefined)}
      </Figure>
      {/* Without an inventory the counts are unknown, not zero: exits may still serve all places. */}
      {countries.data?.length !== 0 && (
        <>
          <Figure label={t('features.countries', { count: countryCount })}>
            {show(countries.data && number(countryCount), countries.isError)}
          </Figure>
          <Figure label={t('features.addresses', { count: addressCount })}>
            {show(countries.data && number(addressCount), countries.isError)}
          </Figure>
        </>
      )}
    </dl>
  )
}

function Figure({ label, strong, children }: { label: string; strong?: boolean; children: React.ReactNode }) {
  return (
    <div className={styles.number}>
      <dt>{label}</dt>
      <dd className={strong ? styles.strong : undefined}>{children}</dd>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Pool } from '#contract/wire'
import { type Countries, countriesQuery } from '../../state/places/countries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Flag } from '../../ui/graphics/flag.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import styles from './pool-column.module.css'
import { findCountries, sortByCount } from './find-countries.ts'

/**
 * The countries that a column shows before it is expanded; on phones half of them. The style sheet has the
 * same numbers.
 */
const collapsedRows = 20

/** One pool: its totals, and its countries by their number of addresses. */
export function PoolColumn({ pool, query }: { pool: Pool; query: string }) {
  const { t } = useTranslation(['proxyOnline', 'header'])
  const language = useLanguage()
  const id = useId()
  const { data, isError, isFetching, refetch } = useQuery(countriesQuery(pool, language))
  return (
    <section className={styles.column} aria-labelledby={id}>
      <header className={styles.head}>
        <PoolIcon pool={pool} size={26} className={styles.icon} />
        <h2 id={id} className={styles.name}>
          {t(`header:pools.${pool}`)}
        </h2>
        <Totals countries={data} />
      </header>
      {data !== undefined ? (
        <CountryList countries={data} query={query} />
      ) : isError && !isFetching ? (
        <div className={styles.state}>
          <p>{t('failed')}</p>
          <Button size="small" onClick={() => void refetch()}>
            {t('retry')}
          </Button>
        </div>
      ) : (
        <div className={styles.state}>
          <Spinner label={t('loading')} />
          <noscript>{t('offline')}</noscript>
        </div>
      )}
    </section>
  )
}

function Totals({ countries }: { countries: Countries | undefined }) {
  const { t } = useTranslation('proxyOnline')
  const { number } = useFormat()
  // Without an inventory the totals are unknown; the column says so.
  if (countries?.length === 0) return null
  if (countries === undefined) return <p className={styles.totals}>{'\u00a0'}</p>
  const addresses = countries.reduce((sum, { count }) => sum + count, 0)
  return (
    <p className={styles.totals}>
      <span>{t('countries', { count: countries.length, formatted: number(countries.length) })}</span>{' '}
      <span>{t('addresses', { count: addresses, formatted: number(addresses) })}</span>
    </p>
  )
}

function CountryList({ countries, query }: { countries: Countries; query: string }) {
  const { t } = useTranslation('proxyOnline')
  const { number } = useFormat()
  const language = useLanguage()
  const [isExpanded, setExpanded] = useState(false)
  const id = useId()
  const shown = findCountries(sortByCount(countries, language), query)
  const isSearch = query.trim() !== ''
  if (shown.length === 0)
    return <p className={styles.state}>{t(countries.length === 0 ? 'empty' : 'nothing')}</p>
  return (
    <>
      <ol id={id} className={styles.list} data-expanded={isExpanded || isSearch || undefined}>
        {shown.map(({ code, name, count }) => (
          <li key={code} className={styles.row}>
            <Flag country={code} />
            <span className={styles.country}>{name}</span>
            <span translate="no" className={styles.count}>
              {number(count)}
            </span>
          </li>
        ))}
      </ol>
      {!isSearch && shown.length > collapsedRows / 2 && (
        <div className={styles.more} data-long={shown.length > collapsedRows || undefined}>
          <Button
            size="small"
            wide
            aria-expanded={isExpanded}
            aria-controls={id}
            onClick={() => setExpanded(!isExpanded)}
          >
            {isExpanded ? t('less') : t('more', { formatted: number(shown.length) })}
          </Button>
        </div>
      )}
    </>
  )
}

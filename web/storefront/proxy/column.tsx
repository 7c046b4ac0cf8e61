import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Pool } from '#contract/wire'
import { type Countries, countriesQuery } from '../../app/countries.ts'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { useFormat } from '../../app/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Flag } from '../../ui/flag.tsx'
import { PoolMark } from '../../ui/pool-mark.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import styles from './column.module.css'
import { found, ranked } from './find.ts'

/** A column shows so many countries until it is asked for all; on a phone half of them. The style sheet counts too. */
const fewest = 20

/** One pool: how much it has in all, then country by country, the largest first. */
export function Column({ pool, typed }: { pool: Pool; typed: string }) {
  const { t } = useTranslation(['proxyOnline', 'header'])
  const language = useLanguage()
  const id = useId()
  const { data, isError, isFetching, refetch } = useQuery(countriesQuery(pool, language))
  return (
    <section className={styles.column} aria-labelledby={id}>
      <header className={styles.head}>
        <PoolMark pool={pool} size={26} className={styles.mark} />
        <h2 id={id} className={styles.name}>
          {t(`header:pools.${pool}`)}
        </h2>
        <Totals countries={data} />
      </header>
      {data !== undefined ? (
        <List countries={data} typed={typed} />
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
  if (countries === undefined) return <p className={styles.totals}>{'\u00a0'}</p>
  const addresses = countries.reduce((sum, { count }) => sum + count, 0)
  return (
    <p className={styles.totals}>
      <span>{t('countries', { count: countries.length, formatted: number(countries.length) })}</span>{' '}
      <span>{t('addresses', { count: addresses, formatted: number(addresses) })}</span>
    </p>
  )
}

function List({ countries, typed }: { countries: Countries; typed: string }) {
  const { t } = useTranslation('proxyOnline')
  const { number } = useFormat()
  const language = useLanguage()
  const [isWhole, setWhole] = useState(false)
  const id = useId()
  const shown = found(ranked(countries, language), typed)
  const isSearch = typed.trim() !== ''
  if (shown.length === 0)
    return <p className={styles.state}>{t(countries.length === 0 ? 'empty' : 'nothing')}</p>
  return (
    <>
      <ol id={id} className={styles.list} data-whole={isWhole || isSearch || undefined}>
        {shown.map(({ code, name, count }) => (
          <li key={code} className={styles.row}>
            <Flag country={code} />
            <span className={styles.country}>{name}</span>
            <span className={styles.count}>{number(count)}</span>
          </li>
        ))}
      </ol>
      {!isSearch && shown.length > fewest / 2 && (
        <div className={styles.more} data-long={shown.length > fewest || undefined}>
          <Button
            size="small"
            wide
            aria-expanded={isWhole}
            aria-controls={id}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? t('less') : t('more', { formatted: number(shown.length) })}
          </Button>
        </div>
      )}
    </>
  )
}

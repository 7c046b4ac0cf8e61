import SearchIcon from 'lucide-react/icons/search'
import { useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { useDemoNote } from '../../state/site.ts'
import { useSitePools, useSoldKinds } from '../../state/places/sold-pools.ts'
import { Note } from '../../ui/note.tsx'
import { Page } from '../page.tsx'
import { PoolColumn } from './pool-column.tsx'
import styles from './proxy.module.css'

/** The countries of the pools on sale, side by side. */
export function ProxyPage() {
  const { t } = useTranslation('proxyOnline')
  const [query, setQuery] = useState('')
  // Made-up counts get a plainer description.
  const demoNote = useDemoNote()
  const isDemo = demoNote !== null
  const { sold } = useSitePools()
  const kinds = useSoldKinds()
  return (
    <Page
      title={t('title')}
      description={isDemo || kinds === null ? t('leadDemo') : t('description', { kinds })}
      heading={t('heading')}
      lead={
        isDemo ? (
          <>
            <span>{t('leadDemo')}</span> <Note>{demoNote}</Note>
          </>
        ) : (
          t('lead')
        )
      }
    >
      <label className={styles.search}>
        <span className={styles.searchLabel}>{t('search')}</span>
        <span className={styles.searchBox}>
          <SearchIcon size={20} strokeWidth={1.75} aria-hidden="true" />
          <input
            type="search"
            className={styles.input}
            value={query}
            placeholder={t('placeholder')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setQuery(event.target.value)}
          />
        </span>
      </label>
      {sold.length === 0 && <p className={styles.columns}>{t('noneSold')}</p>}
      <div className={styles.columns}>
        {sold.toSorted().map((pool) => (
          <PoolColumn key={pool} pool={pool} query={query} />
        ))}
      </div>
    </Page>
  )
}

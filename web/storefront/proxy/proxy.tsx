import SearchIcon from 'lucide-react/icons/search'
import { useState } from 'react'
import { pools } from '#contract/wire'
import { useCountryNames } from '../../app/country-name.ts'
import { DemoNote } from '../../app/demo-note.tsx'
import { useTranslation } from '../../app/i18n.ts'
import { useSite } from '../../app/site.ts'
import { Page } from '../page.tsx'
import { Column } from './column.tsx'
import styles from './proxy.module.css'

/** Every pool's countries, side by side. */
export function ProxyPage() {
  const { t } = useTranslation('proxyOnline')
  const [typed, setTyped] = useState('')
  useCountryNames(typed !== '')
  // Made-up numbers are not praised.
  const isDemo = useSite()?.demo_inventory === true
  return (
    <Page
      title={t('title')}
      description={t(isDemo ? 'leadDemo' : 'description')}
      heading={t('heading')}
      lead={
        isDemo ? (
          <>
            {t('leadDemo')} <DemoNote />
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
            value={typed}
            placeholder={t('placeholder')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </span>
      </label>
      <div className={styles.columns}>
        {pools.toSorted().map((pool) => (
          <Column key={pool} pool={pool} typed={typed} />
        ))}
      </div>
    </Page>
  )
}

import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Flag } from '../../ui/graphics/flag.tsx'
import { StateName } from './state-name.tsx'
import type { Status } from './status-query.ts'
import styles from './status.module.css'

/** The places with enough traffic, the worst first. */
export function PlaceList({ places }: { places: Status['places'] }) {
  const { t } = useTranslation(['status', 'header'])
  const language = useLanguage()
  const { share } = useFormat()
  return (
    <section aria-labelledby="places" className={styles.section}>
      <h2 id="places">{t('places')}</h2>
      {places.length === 0 ? (
        <p className={styles.quiet}>{t('noPlaces')}</p>
      ) : (
        <div className={styles.tableBox} role="region" aria-labelledby="places" tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('place')}</th>
                <th scope="col">{t('pool')}</th>
                <th scope="col">{t('now')}</th>
                <th scope="col" className={styles.number}>
                  {t('success')}
                </th>
              </tr>
            </thead>
            <tbody>
              {places.map(({ pool, country, state, success }) => (
                <tr key={`${pool} ${country}`}>
                  <th scope="row">
                    <span className={styles.place}>
                      <Flag country={country} />
                      <span>{countryName(country, language)}</span>
                    </span>
                  </th>
                  <td>{t(`header:pools.${pool}`)}</td>
                  <td>
                    <StateName state={state} scope="one" />
                  </td>
                  <td translate="no" className={`${styles.number} mono`}>
                    {success === null ? '—' : share(success)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

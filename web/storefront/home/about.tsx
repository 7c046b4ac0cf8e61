import { useTranslation } from '../../state/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './about.module.css'
import page from './home.module.css'

const rates = [
  { what: 'both', times: 1 },
  { what: 'narrow', times: 2 },
  { what: 'handshake', times: 0 },
  { what: 'refused', times: 0 },
  { what: 'silent', times: 0 },
] as const

/** What is charged, and what is free. */
export function About() {
  const { t } = useTranslation('home')
  return (
    <section className={page.halves} id="about">
      <div className={classNames(page.intro, page.ground)}>
        <h2>{t('about.heading')}</h2>
        <p className={page.lead}>{t('about.first')}</p>
        <p className={page.lead}>{t('about.second')}</p>
      </div>
      <Card padding="none" className={styles.receipt}>
        <table className={styles.table}>
          <caption className={styles.caption}>{t('about.receipt')}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">{t('about.what')}</th>
              <th scope="col">{t('about.rate')}</th>
            </tr>
          </thead>
          <tbody>
            {rates.map(({ what, times }) => (
              <tr key={what}>
                <th scope="row">{t(`about.${what}`)}</th>
                <td data-free={times === 0 || undefined}>{times === 0 ? t('about.free') : `×${times}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </section>
  )
}

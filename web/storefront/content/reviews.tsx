import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import { useTranslation } from '../../state/i18n.ts'
import { useSite } from '../../state/site.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState, Page } from '../page.tsx'
import { hostOf } from './link-host.ts'
import styles from './reviews.module.css'

/** Links to discussions of the shop on other sites. */
export function ReviewsPage() {
  const { t } = useTranslation('reviews')
  const site = useSite()
  const threads = site?.reviews.links ?? []
  const support = site?.links.support ?? null
  return (
    <Page
      title={t('title')}
      description={t('description')}
      heading={t('heading')}
      lead={site?.reviews.intro ?? t('intro')}
      back
    >
      {threads.length > 0 ? (
        <ul className={styles.threads}>
          {threads.map(({ name, link }) => (
            <li key={link}>
              <a className={styles.thread} href={link} target="_blank" rel="noreferrer">
                <span className={styles.name}>{name}</span>
                <span className={styles.host}>{hostOf(link)}</span>
                <ArrowUpRight className={styles.arrow} size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className="sr-only">{t('newTab')}</span>
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState title={t('emptyTitle')} text={t('empty')}>
          {support !== null && <Button href={support}>{t('support')}</Button>}
        </EmptyState>
      )}
    </Page>
  )
}

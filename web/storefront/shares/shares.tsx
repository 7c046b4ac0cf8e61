import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { useLocal } from '../../app/use-local.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Empty, Page } from '../page.tsx'
import styles from './shares.module.css'

/** What is on right now, as the operator's pictures. */
export function SharesPage() {
  const { t } = useTranslation('reviews')
  return (
    <Page
      title={t('shares.title')}
      description={t('shares.description')}
      heading={t('shares.heading')}
      lead={t('shares.lead')}
    >
      <Banners />
    </Page>
  )
}

function Banners() {
  const { t } = useTranslation('reviews')
  const local = useLocal()
  const { data, isError, isFetching, refetch } = useQuery(query('get_banners', {}))
  if (data === undefined && isError && !isFetching) {
    return (
      <div className={styles.state}>
        <p>{t('shares.failed')}</p>
        <Button onClick={() => void refetch()}>{t('shares.retry')}</Button>
      </div>
    )
  }
  if (data === undefined) {
    return (
      <div className={styles.state}>
        <Spinner label={t('shares.loading')} />
      </div>
    )
  }
  if (data.length === 0) {
    return (
      <Empty title={t('shares.emptyTitle')} text={t('shares.empty')}>
        <Button variant="paint" href={local('/#prices')}>
          {t('shares.prices')}
        </Button>
      </Empty>
    )
  }
  return (
    <ul className={styles.banners}>
      {data.map(({ id, name, link }, index) => (
        <li key={id} className={index % 2 === 0 ? styles.fromLeft : styles.fromRight}>
          <a
            className={styles.banner}
            href={link}
            target="_blank"
            rel="noreferrer"
            aria-label={t('shares.open', { name })}
          >
            <img
              className={styles.picture}
              src={`/api/rpc/get_banner_blob?id=${id}`}
              alt={name}
              width={1200}
              height={400}
              fetchPriority={index === 0 ? 'high' : 'auto'}
              loading={index > 1 ? 'lazy' : 'eager'}
            />
          </a>
        </li>
      ))}
    </ul>
  )
}

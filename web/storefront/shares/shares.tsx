import { useQuery } from '@tanstack/react-query'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useLocalPath } from '../../state/language.ts'
import { Button } from '../../ui/button.tsx'
import { Banner } from '../../ui/site/banner.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { EmptyState, Page } from '../page.tsx'
import styles from './shares.module.css'

/** The current offers, as banners of the operator. */
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
  const localPath = useLocalPath()
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
      <EmptyState title={t('shares.emptyTitle')} text={t('shares.empty')}>
        <Button variant="primary" href={localPath('/#prices')}>
          {t('shares.prices')}
        </Button>
      </EmptyState>
    )
  }
  return (
    <ul className={styles.banners}>
      {data.map(({ id, version, name, link }, index) => (
        <li key={id} className={index % 2 === 0 ? styles.fromLeft : styles.fromRight}>
          <Banner
            src={`/api/rpc/get_banner_blob?id=${id}&version=${version}`}
            name={name}
            link={link}
            label={t('shares.open', { name })}
            index={index}
          />
        </li>
      ))}
    </ul>
  )
}

import { useQuery } from '@tanstack/react-query'
import { statusFeedPath, worstState } from '#contract/status/rules'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { formatUtc } from '../../ui/format-time.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { Page } from '../page.tsx'
import { Incidents } from './incidents.tsx'
import { PlaceList } from './place-list.tsx'
import { PoolBars } from './pool-bars.tsx'
import { StateName } from './state-name.tsx'
import { type Status, statusQuery } from './status-query.ts'
import styles from './status.module.css'

/** The state of pools and places, from the gateways' reports, and the incidents that staff describe. */
export function StatusPage() {
  const { t } = useTranslation('status')
  const language = useLanguage()
  const { data, isError, isFetching, refetch } = useQuery(statusQuery(language))
  return (
    <Page title={t('title')} description={t('description')} heading={t('heading')} lead={t('lead')}>
      {data !== undefined ? (
        <Known status={data} />
      ) : isError && !isFetching ? (
        <div className={styles.waiting} role="alert">
          <p>{t('failed')}</p>
          <Button size="small" onClick={() => void refetch()}>
            {t('retry')}
          </Button>
        </div>
      ) : (
        <div className={styles.waiting}>
          <Spinner label={t('loading')} />
        </div>
      )}
    </Page>
  )
}

function Known({ status: { updated_at: madeAt, pools, places, incidents } }: { status: Status }) {
  const { t } = useTranslation('status')
  const language = useLanguage()
  const open = incidents.filter(({ state }) => state !== 'resolved')
  const past = incidents.filter(({ state }) => state === 'resolved')
  return (
    <>
      <div className={styles.overall}>
        <StateName state={worstState(pools.map(({ state }) => state))} scope="overall" />
        <p className={styles.quiet}>
          {madeAt === null ? t('never') : t('updated', { time: formatUtc(madeAt, language) })}
        </p>
      </div>
      {open.length > 0 && <Incidents heading={t('open')} incidents={open} />}
      <section aria-labelledby="pools" className={styles.section}>
        <h2 id="pools">{t('pools')}</h2>
        <div className={styles.pools}>
          {pools.map((pool) => (
            <PoolBars key={pool.pool} of={pool} />
          ))}
        </div>
      </section>
      <PlaceList places={places} />
      <Incidents heading={t('past')} incidents={past} empty={t('noIncidents')} />
      <section aria-labelledby="rule" className={styles.section}>
        <h2 id="rule">{t('rule')}</h2>
        <p className={styles.text}>{t('ruleText')}</p>
        <p>
          <a href={statusFeedPath(language)} type="application/atom+xml">
            {t('feed')}
          </a>
        </p>
      </section>
    </>
  )
}

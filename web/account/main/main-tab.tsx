import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { knownPools, usablePools } from '../profile.ts'
import { AttentionCard } from './attention-card.tsx'
import { Balances } from './balances.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { DayCard } from './day-card.tsx'
import { FirstSteps, isThrough } from './first-steps.tsx'
import { LastRequests } from './last-requests.tsx'
import styles from './main-tab.module.css'
import { RefusalsCard } from './refusals-card.tsx'
import { WeekCard } from './week-card.tsx'
import { WhoCard } from './who-card.tsx'

const intervalMs = 30_000

/** The overview: the balances, the last day, and the next steps. */
export function MainTab({ user }: { user: Session }) {
  const { t } = useTranslation(['userBtns', 'requests'])
  const overview = useQuery({ ...query('get_overview', {}), staleTime: 0, refetchInterval: intervalMs })
  const day = overview.data
  // Times of the visitor's zone and heights of bars are left to the browser.
  const isServer = import.meta.env.SSR
  const isNew = knownPools(user).length === 0
  const mayBuy = roleAllows(user, 'create_invoice_web')
  return (
    <div className={styles.main}>
      <Balances user={user} day={day} />
      {day !== undefined && user.acting === undefined && <FirstSteps user={user} day={day} />}
      {day !== undefined && <AttentionCard user={user} day={day} withoutMail={!isThrough(user, day)} />}
      {usablePools(user).length === 0 && !isNew && (
        <section className={styles.empty}>
          <div>
            <h2 className={styles.emptyTitle}>{t('requests:overview.allUsed')}</h2>
            <p className={styles.emptyText}>{t('requests:overview.allUsedText')}</p>
          </div>
          {mayBuy && (
            <Button variant="primary" size="large" href="/purchase">
              {t('requests:repair.buy')}
            </Button>
          )}
        </section>
      )}
      <div className={styles.lower}>
        <div className={styles.column}>
          {roleAllows(user, 'get_proxy') && <ConnectionCard user={user} />}
          {day !== undefined && !isServer && (!isNew || day.has_requests) && (
            <>
              <DayCard day={day} />
              {day.has_requests && roleAllows(user, 'get_requests') && <LastRequests />}
              <RefusalsCard day={day} />
            </>
          )}
          {day === undefined && (
            <Card className={styles.day}>
              {overview.isError ? (
                <div role="status">
                  <p>{t('requests:overview.failed')}</p>
                  <Button onClick={() => void overview.refetch()}>{t('requests:overview.retry')}</Button>
                </div>
              ) : (
                <Skeleton characters={40} />
              )}
            </Card>
          )}
        </div>
        <div className={styles.column}>
          <WhoCard user={user} />
          {!isNew && !isServer && <WeekCard />}
          {!isServer && mayBuy && (
            <Link to="/promocode" className={styles.promocode}>
              {t('userBtns:promocode')}
            </Link>
          )}
        </div>
      </div>
    </div>
  )
}

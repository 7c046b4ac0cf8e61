import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link } from 'react-router'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import type { Session } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { knownPools, usablePools } from '../profile.ts'
import { Balances } from './balances.tsx'
import { DayCard } from './day-card.tsx'
import { FirstSteps, isThrough } from './first-steps.tsx'
import styles from './main-tab.module.css'
import { ProfileCard } from './profile-card.tsx'
import { RefusalsCard } from './refusals-card.tsx'

const ConnectionCard = lazyPart(async () => (await import('./connection-card.tsx')).ConnectionCard)

const TopUpCard = lazyPart(async () => (await import('../topup/topup-card.tsx')).TopUpCard)
const AttentionCard = lazyPart(async () => (await import('./attention-card.tsx')).AttentionCard)
const NoticesCard = lazyPart(async () => (await import('./notices-card.tsx')).NoticesCard)

const intervalMs = 30_000

/** The overview: the balances, the last day, and the next steps. */
export function MainTab({ user }: { user: Session }) {
  const { t } = useTranslation(['userBtns', 'requests'])
  const overview = useQuery({ ...query('get_overview', {}), staleTime: 0, refetchInterval: intervalMs })
  const day = overview.data
  const isNew = knownPools(user).length === 0
  // Beside the cards of events; a new customer has none.
  const notices = (
    <Suspense fallback={null}>
      <NoticesCard user={user} />
    </Suspense>
  )
  return (
    <div className={styles.main}>
      <Balances user={user} day={day} />
      {day !== undefined && <FirstSteps user={user} day={day} />}
      {day !== undefined && (
        <Suspense fallback={null}>
          <AttentionCard user={user} day={day} withoutMail={!isThrough(user, day)} />
        </Suspense>
      )}
      {usablePools(user).length === 0 && !isNew && (
        <section className={styles.empty}>
          <div>
            <h2 className={styles.emptyTitle}>{t('requests:overview.allUsed')}</h2>
            <p className={styles.emptyText}>{t('requests:overview.allUsedText')}</p>
          </div>
          <Button variant="primary" size="large" href="/purchase">
            {t('requests:repair.buy')}
          </Button>
        </section>
      )}
      <div className={styles.lower}>
        <div className={styles.column}>
          <Suspense
            fallback={
              <Card className={styles.day}>
                <Skeleton characters={40} />
              </Card>
            }
          >
            <ConnectionCard user={user} />
          </Suspense>
          {day !== undefined && (!isNew || day.has_requests) && (
            <>
              <DayCard day={day} />
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
          <Suspense fallback={null}>
            <TopUpCard />
          </Suspense>
          {isNew && notices}
        </div>
        <div className={styles.column}>
          <ProfileCard user={user} />
          {!isNew && notices}
          <Link to="/promocode" className={styles.promocode}>
            {t('userBtns:promocode')}
          </Link>
        </div>
      </div>
    </div>
  )
}

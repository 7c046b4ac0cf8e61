import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { tabHref } from '#contract/account-tabs'
import { EndOwn } from './end-own.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filterNames, type Filters, filtersIn } from './filters.ts'
import { RequestList } from './request-list.tsx'
import { RequestPage } from './request-page.tsx'
import styles from './requests-tab.module.css'
import { useRequests } from './use-requests.ts'

/** The requests as they happen, or the one that the address names. */
export function RequestsTab() {
  const [search] = useSearchParams()
  const id = search.get('request')
  if (id !== null) return <RequestPage key={id} id={id} />
  return <LiveRequests search={search} />
}

function LiveRequests({ search }: { search: URLSearchParams }) {
  const { t } = useTranslation('requests')
  const kept = filterNames.map((name) => search.get(name)).join('\n')
  // The address may change for other reasons: the list is loaded again only for another choice.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const filters = useMemo(() => filtersIn(search), [kept])
  const { list, requests, waiting, isOpen, isPartial, isPaused, setPaused } = useRequests(filters)
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = list
  return (
    <div className={styles.page}>
      <div className={styles.state}>
        <p className={classNames(styles.live, isPaused && styles.paused)} role="status">
          <span className={classNames(styles.dot, isOpen && !isPaused && styles.on)} aria-hidden="true" />
          <span>{t(isPaused ? 'paused' : isOpen ? 'live' : 'connecting')}</span>
          {waiting > 0 && <span className={styles.waiting}>{t('waiting', { count: waiting })}</span>}
        </p>
        <span className={styles.acts}>
          <EndOwn />
          <Button
            size="small"
            icon={isPaused ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
            onClick={() => setPaused(!isPaused)}
          >
            {t(isPaused ? 'resume' : 'pause')}
          </Button>
        </span>
      </div>
      <FilterBar filters={filters} />
      {isPartial && (
        <div className={styles.partial} role="status">
          <p>{t('partial')}</p>
          <Button size="small" onClick={() => void refetch()}>
            {t('reload')}
          </Button>
        </div>
      )}
      {data === undefined && isError && (
        <Card className={styles.message} role="status">
          <p>{t('failed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </Card>
      )}
      {data === undefined && !isError && <ListSkeleton />}
      {data !== undefined && requests.length === 0 && <Nothing filters={filters} />}
      {requests.length > 0 && <RequestList requests={requests} search={search.toString()} />}
      {hasNextPage && (
        <Button className={styles.older} pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('older')}
        </Button>
      )}
    </div>
  )
}

function Nothing({ filters }: { filters: Filters }) {
  const { t } = useTranslation('requests')
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Card className={styles.message}>
      <p className={styles.title}>{t(isFiltered ? 'none' : 'empty')}</p>
      <p>{t(isFiltered ? 'noneText' : 'emptyText')}</p>
      {isFiltered ? (
        <Button href={tabHref('requests')}>{t('clear')}</Button>
      ) : (
        <Button variant="primary" href={tabHref('panel')}>
          {t('emptyButton')}
        </Button>
      )}
    </Card>
  )
}

function ListSkeleton() {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {Array.from({ length: 8 }, (_, row) => (
        <Skeleton key={row} characters={60} />
      ))}
    </div>
  )
}

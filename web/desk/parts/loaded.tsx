import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './loaded.module.css'

/** The loaded data, or the error with a retry button. Shows nothing during the first 300 ms. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null)
    return (
      <Fault text={query.error.message} pending={query.isFetching} onRetry={() => void query.refetch()} />
    )
  return <Waiting />
}

export function Waiting() {
  const { t } = useTranslation('desk')
  return (
    <div className={styles.waiting} role="status">
      <span className="sr-only">{t('loading')}</span>
      {[34, 52, 44, 58].map((characters) => (
        <Skeleton key={characters} characters={characters} className={styles.bar} />
      ))}
    </div>
  )
}

interface FaultProps {
  text: string
  pending?: boolean
  onRetry?: () => void
}

/** An error shown in place of the data: its cause, and what to do. */
export function Fault({ text, pending = false, onRetry }: FaultProps) {
  const { t } = useTranslation('desk')
  return (
    <div className={styles.fault} role="alert">
      <p>{text}</p>
      {onRetry !== undefined && (
        <Button size="small" pending={pending} onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  )
}

const intoSight = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

/** The same in a long dialog: below its edge the button would seem to do nothing. Each text is scrolled to. */
export const FaultInSight = ({ text }: Pick<FaultProps, 'text'>) => (
  <div key={text} ref={intoSight}>
    <Fault text={text} />
  </div>
)

import { useTranslation } from '../state/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import styles from './read-failed.module.css'

interface ReadFailedProps {
  /** What could not be read, as its heading names it. */
  what: string
  /** Its name stands beside it. */
  named?: boolean
  pending: boolean
  onRetry: () => void
}

/** In place of what could not be read: it is not gone, and it is not empty. */
export function ReadFailed({ what, named = false, pending, onRetry }: ReadFailedProps) {
  const { t } = useTranslation('header')
  return (
    <div className={styles.failed} role="status">
      <p>{named ? t('unread.short') : t('unread.text', { what })}</p>
      <Button size="small" pending={pending} aria-label={t('unread.retryOf', { what })} onClick={onRetry}>
        {t('unread.retry')}
      </Button>
    </div>
  )
}

interface ReadState {
  isFetching: boolean
  refetch: () => Promise<unknown>
}

/** The same as a card of its own. */
export function ReadFailedCard({ what, read }: { what: string; read: ReadState }) {
  return (
    <Card as="section" aria-label={what}>
      <ReadFailed what={what} pending={read.isFetching} onRetry={() => void read.refetch()} />
    </Card>
  )
}

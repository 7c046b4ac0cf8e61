import { useTranslation } from '../state/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import styles from './read-failed.module.css'

interface ReadFailedProps {
  /** The name of the data that could not be read, from its heading. */
  what: string
  /** Its name is beside it. */
  named?: boolean
  pending: boolean
  onRetry: () => void
}

/** Shown in place of data that could not be read, so that it does not look empty or deleted. */
export function ReadFailed({ what, named = false, pending, onRetry }: ReadFailedProps) {
  const { t } = useTranslation('userBtns')
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

/** The same, as a card of its own. */
export function ReadFailedCard({ what, read }: { what: string; read: ReadState }) {
  return (
    <Card as="section" aria-label={what}>
      <ReadFailed what={what} pending={read.isFetching} onRetry={() => void read.refetch()} />
    </Card>
  )
}

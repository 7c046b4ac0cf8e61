import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CallError } from '#contract/client'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { splitLines } from '../panel/lines.ts'
import { useDebounced } from '../use-debounced.ts'
import styles from './live-line.module.css'
import { inputOf, type Wish } from './wish.ts'

const settledMs = 300

/**
 * The line that the settings make, built as they change. Lines without a password are only made on demand:
 * each list of them replaces the settings of its ports.
 */
export function LiveLine({ user, ...wish }: Wish & { user: Session }) {
  const { t } = useTranslation(['generator', 'userPanel', 'userBtns'])
  const isSlots = wish.settings.access_format === 'hostname:port'
  const { password, balance } = user[wish.settings.pool]
  const enabled = !isSlots && password !== null && balance !== 0
  const text = useDebounced(JSON.stringify({ ...inputOf(wish), quantity: 1 }), settledMs)
  const input = JSON.parse(text) as ReturnType<typeof inputOf>
  const { data, error, isFetching, refetch } = useQuery({
    ...query('get_proxy', input),
    enabled: enabled && input.format !== 'hostname:port',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    retry: false,
  })
  if (!enabled) return isSlots ? <p className={styles.note}>{t('live.slots')}</p> : null
  const line = splitLines(data ?? '')[0] ?? ''
  return (
    <div className={styles.live}>
      <span className={styles.title}>{t('live.title')}</span>
      {error instanceof CallError ? (
        <Unmade error={error} pending={isFetching} onRetry={() => void refetch()} />
      ) : (
        <div className={styles.row}>
          <code
            translate="no"
            className={styles.text}
            tabIndex={0}
            role="region"
            aria-label={t('live.title')}
          >
            {line}
          </code>
          <CopyButton
            iconOnly
            text={line}
            label={t('live.copy')}
            copiedLabel={t('userBtns:copy.done')}
            failedLabel={t('userBtns:copy.failed')}
          />
        </div>
      )}
    </div>
  )
}

/** The reason why there is no line, with a retry button for a failure that may be temporary. */
function Unmade(props: { error: CallError; pending: boolean; onRetry: () => void }) {
  const { t } = useTranslation('userBtns')
  const { error, pending, onRetry } = props
  return (
    <div className={styles.row}>
      <p className={styles.note}>{error.message}</p>
      {(error.status === 0 || error.status >= 500) && (
        <Button size="small" pending={pending} onClick={onRetry}>
          {t('unread.retry')}
        </Button>
      )}
    </div>
  )
}

import { useTranslation } from '../../state/i18n.ts'
import { Fault } from '../parts/loaded.tsx'
import { useFailedReads } from '../state/told-read.ts'

/** Reports above the page that parts of it could not be read. */
export function FailedReads() {
  const { t } = useTranslation('desk')
  const [count, retry] = useFailedReads()
  return count === 0 ? null : <Fault text={t('unread')} onRetry={retry} />
}

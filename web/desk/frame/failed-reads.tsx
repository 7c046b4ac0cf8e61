import { useTranslation } from '../../state/i18n.ts'
import { Fault } from '../parts/loaded.tsx'
import { useFailedReads } from '../state/told-read.ts'

/** Tells that parts of the page could not be read, above the page. */
export function FailedReads() {
  const { t } = useTranslation('desk')
  const [count, retry] = useFailedReads()
  return count === 0 ? null : <Fault text={t('unread')} onRetry={retry} />
}

import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { logError } from '../../state/log.ts'
import { Fault } from '../parts/loaded.tsx'

/** A page that failed: its code could not be fetched, or it has a bug. */
export function ErrorPage() {
  const { t } = useTranslation('desk')
  const error = useRouteError()
  useEffect(() => logError('a page of the desk failed', error), [error])
  return (
    <main>
      <Fault text={t('pageFailed')} onRetry={() => window.location.reload()} />
    </main>
  )
}

import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router'
import type { DeskName } from '#contract/desk/wire'
import { useTranslation } from '../../state/i18n.ts'
import { PageHead } from '../parts/page-head.tsx'
import { useMay } from '../state/session.ts'
import { pages } from './pages.ts'

/**
 * A page, or the reason why the member may not see it. Instead of a start page that they may not see, members
 * get the first that they may.
 */
export function Allowed({ needs, children }: { needs: DeskName; children: ReactNode }) {
  const { t } = useTranslation('desk')
  const may = useMay()
  const { pathname } = useLocation()
  if (may(needs)) return children
  const first = pages.find((page) => may(page.needs))
  if (pathname === '/' && first !== undefined) return <Navigate to={first.path} replace />
  return (
    <>
      <PageHead title={t('forbidden.title')} />
      <p>{t('forbidden.text')}</p>
    </>
  )
}

import ArrowLeft from 'lucide-react/icons/arrow-left'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { isSettingUp } from '../state/setting-up.ts'
import { usePageTitle } from '../state/page-title.ts'
import styles from './page-head.module.css'

interface PageHeadProps {
  title: string
  /** The list that the page belongs to. */
  back?: { to: string; label: string }
  /** Beside the title: states. */
  meta?: ReactNode
  actions?: ReactNode
}

export function PageHead({ title, back, meta, actions }: PageHeadProps) {
  usePageTitle(title)
  const { t } = useTranslation('deskPages')
  // The steps of the set-up lead to pages all over the desk.
  const way = back ?? (isSettingUp() ? { to: '/setup', label: t('setup.title') } : undefined)
  return (
    <header className={styles.head}>
      <div className={styles.titles}>
        {way !== undefined && (
          <Link to={way.to} className={styles.back}>
            <ArrowLeft size={14} aria-hidden="true" />
            <span>{way.label}</span>
          </Link>
        )}
        <div className={styles.line}>
          <h1 className={styles.title}>{title}</h1>
          {meta}
        </div>
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}

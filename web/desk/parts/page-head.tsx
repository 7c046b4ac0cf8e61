import ArrowLeft from 'lucide-react/icons/arrow-left'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
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
  return (
    <header className={styles.head}>
      <div className={styles.titles}>
        {back !== undefined && (
          <Link to={back.to} className={styles.back}>
            <ArrowLeft size={14} aria-hidden="true" />
            <span>{back.label}</span>
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

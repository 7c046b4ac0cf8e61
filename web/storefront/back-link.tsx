import ArrowLeft from 'lucide-react/icons/arrow-left'
import type { MouseEvent } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import styles from './back-link.module.css'
import { useTranslation } from '../state/i18n.ts'

/**
 * A link to the previous page. It leads to `fallback` when this page was the first of the visit, before
 * scripts run, and with `always`.
 */
export function BackLink({ fallback, always = false }: { fallback: string; always?: boolean }) {
  const { t } = useTranslation('header')
  const navigate = useNavigate()
  const isFirst = useLocation().key === 'default'
  const goBack = (event: MouseEvent) => {
    if (isFirst || always) return
    event.preventDefault()
    void navigate(-1)
  }
  return (
    <Link to={fallback} className={styles.back} aria-label={t('back')} title={t('back')} onClick={goBack}>
      <ArrowLeft size={22} strokeWidth={1.75} aria-hidden="true" />
    </Link>
  )
}

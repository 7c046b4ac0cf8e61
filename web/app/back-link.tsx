import ArrowLeft from 'lucide-react/icons/arrow-left'
import type { MouseEvent } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import styles from './back-link.module.css'
import { useTranslation } from './i18n.ts'

/**
 * Back to the page the visitor came from. It is a link to `otherwise`, which is where it leads when this page was the
 * first, before any script runs, and `always` where it was asked for.
 */
export function BackLink({ otherwise, always = false }: { otherwise: string; always?: boolean }) {
  const { t } = useTranslation('header')
  const navigate = useNavigate()
  const isFirst = useLocation().key === 'default'
  const back = (event: MouseEvent) => {
    if (isFirst || always) return
    event.preventDefault()
    void navigate(-1)
  }
  return (
    <Link to={otherwise} className={styles.back} aria-label={t('back')} title={t('back')} onClick={back}>
      <ArrowLeft size={22} strokeWidth={1.75} aria-hidden="true" />
    </Link>
  )
}

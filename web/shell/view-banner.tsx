import Eye from 'lucide-react/icons/eye'
import { useState } from 'react'
import { useLanguage, useTranslation } from '../state/i18n.ts'
import { useSession } from '../state/session.ts'
import { toast } from '../state/toast.ts'
import { useView } from '../state/view.ts'
import { endView } from '../state/view-calls.ts'
import { Button } from '../ui/button.tsx'
import styles from './view-banner.module.css'

/** Shown on every page of a view: whose account it is, who looks at it, and until when. */
export default function ViewBanner() {
  const { t } = useTranslation('seeAs')
  const language = useLanguage()
  const user = useSession()
  const view = useView()
  const [isEnding, setEnding] = useState(false)
  const end = () => {
    setEnding(true)
    endView()
      .catch((error: unknown) => toast.error((error as Error).message))
      .finally(() => setEnding(false))
  }
  if (view === null) return null
  const until = new Date(view.ends_at).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  const name = user?.username ?? `#${user?.user_id ?? ''}`
  return (
    <section className={styles.banner} aria-label={t('title')}>
      <Eye className={styles.eye} size={20} strokeWidth={1.75} aria-hidden="true" />
      <p className={styles.text}>
        <strong>{t('whose', { name })}</strong> <span>{t('what', { staff: view.staff, until })}</span>
      </p>
      <Button size="small" pending={isEnding} onClick={end}>
        {t('end')}
      </Button>
    </section>
  )
}

import { useTranslation } from '../state/i18n.ts'
import { Button } from '../ui/button.tsx'
import styles from './error-page.module.css'

/**
 * Replaces a page that threw or whose code did not load. Part of the first chunk, because nothing else may
 * load.
 */
export function ErrorPage() {
  const { t } = useTranslation('header')
  return (
    <div className={styles.page}>
      <title>{t('failed.title')}</title>
      <h1>{t('failed.title')}</h1>
      <p>{t('failed.text')}</p>
      <Button variant="primary" onClick={() => window.location.reload()}>
        {t('failed.reload')}
      </Button>
    </div>
  )
}

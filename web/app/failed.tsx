import { Button } from '../ui/button.tsx'
import styles from './failed.module.css'
import { useTranslation } from './i18n.ts'

/** Where a page that threw, or whose code did not arrive, would have been. Part of what every page has at hand. */
export function FailedPage() {
  const { t } = useTranslation('header')
  return (
    <div className={styles.page}>
      <title>{t('failed.title')}</title>
      <h1>{t('failed.title')}</h1>
      <p>{t('failed.text')}</p>
      <Button variant="paint" onClick={() => window.location.reload()}>
        {t('failed.reload')}
      </Button>
    </div>
  )
}

import { useTranslation } from '../state/i18n.ts'
import { useLocalPath } from '../state/language.ts'
import { Button } from '../ui/button.tsx'
import { DashedLine } from '../ui/graphics/dashed-line.tsx'
import styles from './not-found.module.css'

/** Shown for addresses without a page: the line down the page ends at a barrier. */
export function NotFoundPage() {
  const { t } = useTranslation('header')
  const localPath = useLocalPath()
  return (
    <div className={styles.page}>
      <title>{t('missing.title')}</title>
      <DashedLine className={styles.line} />
      <div className={styles.barrier} aria-hidden="true">
        <span className={styles.sign}>404</span>
      </div>
      <h1>{t('missing.title')}</h1>
      <p className={styles.text}>{t('missing.text')}</p>
      <Button variant="primary" href={localPath('/')}>
        {t('missing.home')}
      </Button>
    </div>
  )
}

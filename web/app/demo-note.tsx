import styles from './demo-note.module.css'
import { useTranslation } from './i18n.ts'
import { useSite } from './site.ts'

/** Beside numbers of addresses: says that they are made up, where they are. */
export function DemoNote() {
  const { t } = useTranslation('header')
  if (useSite()?.demo_inventory !== true) return null
  return <span className={styles.note}>{t('demo')}</span>
}

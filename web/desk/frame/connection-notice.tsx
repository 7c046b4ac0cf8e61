import { useTranslation } from '../../state/i18n.ts'
import { useIsUnreachable } from '../../state/loading/connection.ts'
import styles from './connection-notice.module.css'

/** Says that the desk waits for the server. Part of the frame, because nothing else can be loaded then. */
export function ConnectionNotice() {
  const { t } = useTranslation('desk')
  const isUnreachable = useIsUnreachable()
  return (
    <div role="status" className={styles.place}>
      {isUnreachable && <p className={styles.notice}>{t('unreachable')}</p>}
    </div>
  )
}

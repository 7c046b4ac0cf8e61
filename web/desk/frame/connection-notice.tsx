import { useTranslation } from '../../state/i18n.ts'
import { useConnection } from '../../state/connection.ts'
import styles from './connection-notice.module.css'

/** Says that the desk waits for the server. Part of the frame, because nothing else can be loaded then. */
export function ConnectionNotice() {
  const { t } = useTranslation('desk')
  const connection = useConnection()
  return (
    <div role="status" className={styles.place}>
      {connection !== 'online' && <p className={styles.notice}>{t(connection)}</p>}
    </div>
  )
}

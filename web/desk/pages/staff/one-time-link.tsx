import { useTranslation } from '../../../state/i18n.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Moment } from '../../parts/moment.tsx'
import styles from './staff.module.css'

/** The link at which a person sets a password and a second factor; it is shown only once. */
export function OneTimeLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  const { t } = useTranslation(['deskPages', 'desk'])
  return (
    <>
      <p role="status">
        <span>{t('staff.linkText')}</span> <Moment iso={expiresAt} />
      </p>
      <code translate="no" className={styles.link}>
        {url}
      </code>
      <div>
        <CopyButton
          text={url}
          label={t('desk:copy.act')}
          copiedLabel={t('desk:copy.done')}
          failedLabel={t('desk:copy.failed')}
          variant="primary"
        />
      </div>
    </>
  )
}

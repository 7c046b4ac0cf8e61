import { useTranslation } from '../../state/i18n.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { curlSample, maskedCurl, type SampleRequest } from '../samples/samples.ts'
import { useSecretLabels } from '../secret-labels.ts'
import styles from './connection-card.module.css'

interface CurlCommandProps {
  request: SampleRequest
  /** Whether the password is shown. */
  isShown: boolean
}

/** The command that sends one request through a line. */
export function CurlCommand({ request, isShown }: CurlCommandProps) {
  const { t } = useTranslation('requests')
  const labels = useSecretLabels()
  const command = curlSample(request)
  return (
    <>
      <div className={styles.curl}>
        <h3 className={styles.curlTitle}>{t('overview.card.curl')}</h3>
        <CopyButton
          text={command}
          label={t('overview.card.copyCurl')}
          copiedLabel={labels.copied}
          failedLabel={labels.copyFailed}
        />
      </div>
      <div className={styles.block}>
        <pre translate="no" className={styles.command} tabIndex={0} aria-label={t('overview.card.curl')}>
          <code>{isShown ? command : maskedCurl(request)}</code>
        </pre>
      </div>
    </>
  )
}

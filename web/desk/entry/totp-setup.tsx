import { useTranslation } from '../../state/i18n.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { QrCode } from './qr-code.tsx'
import styles from './totp-setup.module.css'

interface TotpSetupProps {
  totp: { secret: string; uri: string }
  code: string
  onCode: (code: string) => void
}

/** The secret for an authenticator app, and the field for its first code. */
export function TotpSetup({ totp, code, onCode }: TotpSetupProps) {
  const { t } = useTranslation('desk')
  return (
    <div className={styles.setup}>
      <div className={styles.secret}>
        <QrCode text={totp.uri} label={t('totp.qr')} />
        <div className={styles.text}>
          <p>{t('totp.scan')}</p>
          <p className={styles.quiet}>{t('totp.orType')}</p>
          <code className={styles.code}>{totp.secret.match(/.{1,4}/g)?.join(' ')}</code>
          <CopyButton
            text={totp.secret}
            label={t('copy.act')}
            copiedLabel={t('copy.done')}
            failedLabel={t('copy.failed')}
          />
        </div>
      </div>
      <TextField
        label={t('totp.code')}
        hint={t('factor.totpHint')}
        value={code}
        onChange={(event) => onCode(event.target.value)}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        mono
      />
    </div>
  )
}

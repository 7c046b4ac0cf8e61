import { CopyButton } from '../copy-button.tsx'
import { TextField } from '../fields/text-field.tsx'
import type { FactorWords } from './factor-words.ts'
import { QrCode } from './qr-code.tsx'
import styles from './totp-setup.module.css'

interface TotpSetupProps {
  words: FactorWords
  totp: { secret: string; uri: string }
  code: string
  onCode: (code: string) => void
}

/** The secret for an authenticator app, and the field for its first code. */
export function TotpSetup({ words, totp, code, onCode }: TotpSetupProps) {
  return (
    <div className={styles.setup}>
      <div className={styles.secret}>
        <QrCode text={totp.uri} label={words.qr} />
        <div className={styles.text}>
          <p>{words.scan}</p>
          <p className={styles.quiet}>{words.orType}</p>
          <code translate="no" className={styles.code}>
            {totp.secret.match(/.{1,4}/g)?.join(' ')}
          </code>
          <CopyButton
            text={totp.secret}
            label={words.copy}
            copiedLabel={words.copied}
            failedLabel={words.copyFailed}
          />
        </div>
      </div>
      <TextField
        label={words.firstCode}
        hint={words.totpHint}
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

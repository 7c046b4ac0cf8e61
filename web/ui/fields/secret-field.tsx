import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { CopyButton } from '../copy-button.tsx'
import styles from './secret-field.module.css'

interface SecretFieldProps {
  /** What is hidden. */
  label: string
  text: string
  shown: boolean
  onToggle: () => void
  labels: { show: string; hide: string; hidden: string; copy: string; copied: string; copyFailed: string }
}

/** A password or a token: hidden until it is shown on demand; it can be copied in both states. */
export function SecretField({ label, text, shown, onToggle, labels }: SecretFieldProps) {
  const Icon = shown ? EyeOff : Eye
  return (
    <div className={styles.secret} role="group" aria-label={label}>
      {shown ? (
        <code translate="no" className={styles.text}>
          {text}
        </code>
      ) : (
        <span className={styles.dots}>
          <span className="sr-only">{labels.hidden}</span>
          <span aria-hidden="true">{'•'.repeat(16)}</span>
        </span>
      )}
      <button
        type="button"
        className={styles.toggle}
        aria-label={shown ? labels.hide : labels.show}
        title={shown ? labels.hide : labels.show}
        onClick={onToggle}
      >
        <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
      </button>
      <CopyButton
        text={text}
        label={labels.copy}
        copiedLabel={labels.copied}
        failedLabel={labels.copyFailed}
        iconOnly
      />
    </div>
  )
}

import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { CopyButton } from './copy-button.tsx'
import styles from './secret.module.css'

interface SecretProps {
  /** Names what is hidden. */
  label: string
  text: string
  shown: boolean
  onToggle: () => void
  words: { show: string; hide: string; hidden: string; copy: string; copied: string; copyFailed: string }
}

/** A password or a token: hidden from people behind the chair, shown on demand, copied either way. */
export function Secret({ label, text, shown, onToggle, words }: SecretProps) {
  const Icon = shown ? EyeOff : Eye
  return (
    <div className={styles.secret} role="group" aria-label={label}>
      {shown ? (
        <code className={styles.text}>{text}</code>
      ) : (
        <span className={styles.dots}>
          <span className="sr-only">{words.hidden}</span>
          <span aria-hidden="true">{'•'.repeat(16)}</span>
        </span>
      )}
      <button
        type="button"
        className={styles.toggle}
        aria-label={shown ? words.hide : words.show}
        title={shown ? words.hide : words.show}
        onClick={onToggle}
      >
        <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
      </button>
      <CopyButton
        text={text}
        label={words.copy}
        copiedLabel={words.copied}
        failedLabel={words.copyFailed}
        iconOnly
      />
    </div>
  )
}

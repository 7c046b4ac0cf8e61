import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { Button } from './button.tsx'
import { useCopy } from './copy.ts'
import styles from './copy-button.module.css'

interface CopyButtonProps {
  text: string
  /** Names the act: what is copied. */
  label: string
  copiedLabel: string
  failedLabel: string
  /** Only the icon is seen; the label is still the name. */
  iconOnly?: boolean
  variant?: 'paint' | 'plain' | 'quiet'
}

/** Copies, answers with a tick for two seconds, and tells a screen reader. */
export function CopyButton(props: CopyButtonProps) {
  const { text, label, copiedLabel, failedLabel, iconOnly = false, variant = 'plain' } = props
  const { state, copy } = useCopy()
  const icon =
    state === 'copied' ? (
      <Check size={18} aria-hidden="true" className={styles.done} />
    ) : (
      <Copy size={18} aria-hidden="true" />
    )
  const answer = state === 'copied' ? copiedLabel : state === 'failed' ? failedLabel : ''
  return (
    <>
      {iconOnly ? (
        <button type="button" className={styles.icon} aria-label={label} onClick={() => copy(text)}>
          {icon}
        </button>
      ) : (
        <Button variant={variant} icon={icon} onClick={() => copy(text)}>
          {label}
        </Button>
      )}
      <span className="sr-only" role="status">
        {answer}
      </span>
    </>
  )
}

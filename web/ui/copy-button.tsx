import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { Button } from './button.tsx'
import { useCopy } from './clipboard.ts'
import styles from './copy-button.module.css'

interface CopyButtonProps {
  text: string
  /** What is copied. */
  label: string
  copiedLabel: string
  failedLabel: string
  /** Shows the icon only; the label stays the accessible name. */
  iconOnly?: boolean
  variant?: 'primary' | 'secondary' | 'ghost'
}

/** Copies a text, shows a tick for two seconds, and announces the result to screen readers. */
export function CopyButton(props: CopyButtonProps) {
  const { text, label, copiedLabel, failedLabel, iconOnly = false, variant = 'secondary' } = props
  const { state, copy } = useCopy()
  const icon =
    state === 'copied' ? (
      <Check size={18} aria-hidden="true" className={styles.done} />
    ) : (
      <Copy size={18} aria-hidden="true" />
    )
  const announcement = state === 'copied' ? copiedLabel : state === 'failed' ? failedLabel : ''
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
        {announcement}
      </span>
    </>
  )
}

import { Dialog as Base } from '@base-ui/react/dialog'
import X from 'lucide-react/icons/x'
import type { ReactNode, RefObject } from 'react'
import { classes } from './classes.ts'
import styles from './dialog.module.css'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  /** What the title does not say; read out with it. */
  description?: ReactNode
  closeLabel: string
  /** The acts, at the foot, always in view. */
  footer?: ReactNode
  wide?: boolean
  /** On a phone only as high as what it holds, at the foot of the screen. */
  low?: boolean
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}

/** A window over the page; on a phone a sheet as high as the screen. Esc closes it, focus goes back. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, closeLabel, footer, wide, low, initialFocus, children } = props
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          className={classes(styles.popup, wide && styles.wide, low && styles.low)}
          {...(initialFocus === undefined ? {} : { initialFocus })}
        >
          <header className={styles.head}>
            <div className={styles.words}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {description !== undefined && (
                <Base.Description render={<div />} className={styles.description}>
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close className={styles.close} aria-label={closeLabel}>
              <X size={20} aria-hidden="true" />
            </Base.Close>
          </header>
          <div className={styles.body}>{children}</div>
          {footer !== undefined && <footer className={styles.foot}>{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

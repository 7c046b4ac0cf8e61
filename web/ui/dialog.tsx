import { Dialog as Base } from '@base-ui/react/dialog'
import X from 'lucide-react/icons/x'
import type { ReactNode, RefObject } from 'react'
import { classNames } from './class-names.ts'
import { DialogFailure } from './dialog-failure.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  /** The accessible description, shown below the title. */
  description?: ReactNode
  closeLabel: string
  /** The buttons, always in view at the bottom. */
  footer?: ReactNode
  wide?: boolean
  /** On phones a sheet as high as its content, at the bottom of the screen. */
  compact?: boolean
  initialFocus?: RefObject<HTMLElement | null>
  children: ReactNode
}

/** A modal dialog; on phones a full-height sheet. Esc closes it and the focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, description, closeLabel, footer, wide, compact, initialFocus, children } =
    props
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup
          className={classNames(styles.popup, wide && styles.wide, compact && styles.compact)}
          {...(initialFocus === undefined ? {} : { initialFocus })}
        >
          <header className={styles.head}>
            <div className={styles.titles}>
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
          <DialogFailure />
          {footer !== undefined && <footer className={styles.foot}>{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

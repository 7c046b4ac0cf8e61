import { Tooltip } from '@base-ui/react/tooltip'
import { type ReactElement, useId } from 'react'
import styles from './disabled-reason.module.css'

/**
 * Explains why a control is disabled. A disabled control cannot be focused, so the wrapper is; the reason is also its
 * accessible description, because screen readers do not see the tooltip.
 */
export function DisabledReason({
  text,
  label,
  children,
}: {
  text: string
  label: string
  children: ReactElement
}) {
  const id = useId()
  return (
    <Tooltip.Root>
      <Tooltip.Trigger
        delay={150}
        closeOnClick={false}
        render={
          // Takes the place of the disabled control in the tab order and for screen readers.
          <span role="group" tabIndex={0} aria-label={label} aria-describedby={id} className={styles.wrapper}>
            {children}
            <span id={id} className="sr-only">
              {text}
            </span>
          </span>
        }
      />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className={styles.positioner}>
          {/* Screen readers read the description of the control. */}
          <Tooltip.Popup aria-hidden="true" className={styles.popup}>
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

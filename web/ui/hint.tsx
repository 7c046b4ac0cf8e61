import { Tooltip } from '@base-ui/react/tooltip'
import { type ReactElement, useId } from 'react'
import styles from './hint.module.css'

/**
 * Says why a control cannot be used. A disabled control takes no focus, so the wrapper does; the reason is also
 * its accessible description, because a tooltip is for eyes only.
 */
export function Hint({ text, label, children }: { text: string; label: string; children: ReactElement }) {
  const id = useId()
  return (
    <Tooltip.Root>
      <Tooltip.Trigger
        delay={150}
        closeOnClick={false}
        render={
          // The wrapper stands for the disabled control: it is what a keyboard reaches and a reader announces.
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
          {/* A reader has heard it from the control already. */}
          <Tooltip.Popup aria-hidden="true" className={styles.popup}>
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

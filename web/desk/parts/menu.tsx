import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useRef } from 'react'
import { classNames } from '../../ui/class-names.ts'
import styles from './menu.module.css'

interface MenuProps {
  label: string
  icon?: ReactNode
  /** Looks like a button among buttons. */
  framed?: boolean
  /** On a phone the list begins below the start of its button; otherwise it ends below the end. */
  start?: boolean
  children: ReactNode
}

/**
 * A list that opens below a button: closes on Esc, when the focus leaves it, and when a link in it is
 * followed.
 */
export function Menu({ label, icon, framed = false, start = false, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => menu.current?.removeAttribute('open')
  const onBlur = (event: FocusEvent) => {
    // A click on a label moves the focus nowhere for a moment.
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget as Node)) close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    close()
    menu.current?.querySelector('summary')?.focus()
  }
  const onClick = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('a') !== null) close()
  }
  return (
    <details ref={menu} className={styles.menu} onBlur={onBlur} onKeyDown={onKeyDown} onClick={onClick}>
      <summary className={classNames(styles.button, framed && styles.framed)}>
        {icon}
        <span>{label}</span>
      </summary>
      <div className={classNames(styles.list, start && styles.start)}>{children}</div>
    </details>
  )
}

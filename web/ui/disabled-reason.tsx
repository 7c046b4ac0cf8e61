import { type ReactElement, useEffect, useId, useRef, useState } from 'react'
import styles from './disabled-reason.module.css'

const hoverMs = 150
const distance = 6
const edge = 16

/**
 * Explains why a control is disabled. A disabled control cannot take the focus, so its wrapper does; the
 * reason is also the wrapper's accessible description. The browser shows its own popover above everything
 * else; Esc closes only the popover.
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
  const wrapper = useRef<HTMLSpanElement>(null)
  const popup = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [open, setOpen] = useState(false)
  const show = (afterMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(true), afterMs)
  }
  const hide = () => {
    clearTimeout(timer.current)
    setOpen(false)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    const [around, shown] = [wrapper.current, popup.current]
    if (!open || around === null || shown === null) return undefined
    shown.showPopover()
    place(shown, around.getBoundingClientRect())
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setOpen(false)
    }
    const leave = () => setOpen(false)
    document.addEventListener('keydown', close, true)
    // Scrolling moves the control, but not this text.
    document.addEventListener('scroll', leave, true)
    return () => {
      document.removeEventListener('keydown', close, true)
      document.removeEventListener('scroll', leave, true)
      shown.hidePopover()
    }
  }, [open])
  return (
    // Takes the place of the disabled control in the tab order and for screen readers.
    <span
      ref={wrapper}
      role="group"
      tabIndex={0}
      aria-label={label}
      aria-describedby={id}
      className={styles.wrapper}
      onPointerEnter={() => show(hoverMs)}
      onPointerLeave={hide}
      onFocus={() => show(0)}
      onBlur={hide}
    >
      {children}
      {/* Inside the wrapper, so that it stays open when the pointer moves onto it. */}
      <span ref={popup} id={id} role="tooltip" popover="manual" className={styles.popup}>
        {text}
      </span>
    </span>
  )
}

/** Places the popover centred below the control, or above it where there is no room below. */
function place(popup: HTMLElement, around: DOMRect): void {
  const { width, height } = popup.getBoundingClientRect()
  const farthest = document.documentElement.clientWidth - edge - width
  const left = around.left + (around.width - width) / 2
  const below = around.bottom + distance
  const top = below + height <= window.innerHeight ? below : around.top - distance - height
  popup.style.left = `${Math.max(edge, Math.min(left, farthest))}px`
  popup.style.top = `${top}px`
}

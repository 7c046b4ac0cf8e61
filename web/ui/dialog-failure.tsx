import { useEffect, useRef, useState } from 'react'
import styles from './dialog.module.css'
import { openPlace } from './dialog-failures.ts'

/**
 * Shows why the last act of a dialog failed, until the dialog is submitted again or typed in. Shows nothing
 * where a field of the dialog has the same error.
 */
export function DialogFailure() {
  const [failure, setFailure] = useState<{ text: string; count: number } | null>(null)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const dialog = place.current?.closest('[role="dialog"]')
    const saysField = (text: string) =>
      [...(dialog?.querySelectorAll('[aria-invalid="true"]') ?? [])].some(
        (field) =>
          document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent === text,
      )
    let counted = 0
    let frame = 0
    const show = (text: string | null) => {
      cancelAnimationFrame(frame)
      if (text === null) return setFailure(null)
      counted += 1
      const count = counted
      // The error of a field is on the page by the next frame.
      frame = requestAnimationFrame(() => setFailure(saysField(text) ? null : { text, count }))
    }
    const close = openPlace(show)
    const clear = () => setFailure(null)
    dialog?.addEventListener('input', clear)
    dialog?.addEventListener('submit', clear)
    return () => {
      close()
      cancelAnimationFrame(frame)
      dialog?.removeEventListener('input', clear)
      dialog?.removeEventListener('submit', clear)
    }
  }, [])
  return (
    <div ref={place}>
      {failure !== null && (
        <p key={failure.count} role="alert" className={styles.failure}>
          {failure.text}
        </p>
      )}
    </div>
  )
}

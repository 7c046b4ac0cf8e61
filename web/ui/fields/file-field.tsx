import { type DragEvent, type ReactNode, useId, useState } from 'react'
import buttons from '../button.module.css'
import { classNames } from '../class-names.ts'
import { useErrorFocus } from './error-focus.ts'
import styles from './file-field.module.css'

interface FileFieldProps {
  label: ReactNode
  /** The text of the button. */
  choose: string
  /** The name of the chosen file, or what stands in its place. */
  chosen: string
  /** The types and the size that are accepted; it stays beside an error. */
  hint: ReactNode
  error?: string | undefined
  /** The types that the browser offers; what is chosen or dropped may be another. */
  accept: string
  onFile: (file: File) => void
}

/**
 * A file, chosen by its button or dropped. The browser's own field speaks the language of the browser, not that
 * of the page: it is there for the keyboard and screen readers, and its labels are what is seen.
 */
export function FileField({ label, choose, chosen, hint, error, accept, onFile }: FileFieldProps) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  useErrorFocus(id, error)
  const take = (file: File | undefined) => {
    if (file !== undefined) onFile(file)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files[0])
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div
        className={classNames(styles.box, isOver && styles.over, error !== undefined && styles.invalid)}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <input
          id={id}
          type="file"
          className={classNames('sr-only', styles.input)}
          accept={accept}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={`${id}-chosen ${id}-hint${error === undefined ? '' : ` ${id}-error`}`}
          // What looks like a button opens by both keys of a button; the browser knows the space bar only.
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            event.currentTarget.click()
          }}
          onChange={({ target }) => {
            take(target.files?.[0])
            // The same file can be chosen again after it was corrected.
            target.value = ''
          }}
        />
        <label
          htmlFor={id}
          className={classNames(buttons.button, buttons.secondary, buttons.small, styles.button)}
        >
          {choose}
        </label>
        <span id={`${id}-chosen`} className={styles.chosen}>
          {chosen}
        </span>
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

import { type DragEvent, type ReactNode, useId, useState } from 'react'
import buttons from '../button.module.css'
import { classNames } from '../class-names.ts'
import { useErrorFocus } from './error-focus.ts'
import styles from './file-field.module.css'

interface FileFieldProps {
  label: ReactNode
  /** The text of the button. */
  choose: string
  /** The name of the chosen file, or a text while no file is chosen. */
  chosen: string
  /** The accepted types and size; also shown beside an error. */
  hint: ReactNode
  error?: string | undefined
  /** The types that the browser's dialog offers; the chosen or dropped file may have another type. */
  accept: string
  onFile: (file: File) => void
}

/**
 * A file, chosen with a button or dropped. The texts of the browser's own field are in the browser's
 * language. So that field is hidden and serves the keyboard and screen readers, and its labels are visible.
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
          // The field looks like a button, so Enter opens it too; by default only Space does.
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

import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import { useErrorFocus } from './error-focus.ts'
import styles from './text-field.module.css'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'size'> {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** Shown inside the field at its end: a unit, a button. */
  end?: ReactNode
  /** Monospaced, for numbers, codes and addresses. */
  mono?: boolean
  /** Only screen readers get the label. */
  labelHidden?: boolean
}

export function TextField(props: TextFieldProps) {
  const { label, hint, error, end, mono, labelHidden, id, className, ...input } = props
  const ownId = useId()
  const inputId = id ?? ownId
  const noteId = `${inputId}-note`
  const note = error ?? hint
  useErrorFocus(inputId, error)
  return (
    <div className={classNames(styles.field, className)}>
      <label htmlFor={inputId} className={labelHidden ? 'sr-only' : styles.label}>
        {label}
      </label>
      <div
        className={classNames(
          styles.box,
          error !== undefined && styles.invalid,
          input.disabled && styles.disabled,
        )}
      >
        <input
          {...input}
          id={inputId}
          className={classNames(styles.input, mono && 'mono')}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={note === undefined ? undefined : noteId}
        />
        {end}
      </div>
      {note !== undefined && (
        <p id={noteId} className={error === undefined ? styles.hint : styles.error}>
          {note}
        </p>
      )}
    </div>
  )
}

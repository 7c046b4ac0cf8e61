import { type ComponentProps, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'
import styles from './text-field.module.css'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'size'> {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** Stands inside the field at its end: a unit, a toggle. */
  end?: ReactNode
  /** Figures, codes and addresses are set in mono. */
  mono?: boolean
  /** The label is read out but not shown. */
  labelHidden?: boolean
}

export function TextField(props: TextFieldProps) {
  const { label, hint, error, end, mono, labelHidden, id, className, ...input } = props
  const ownId = useId()
  const inputId = id ?? ownId
  const noteId = `${inputId}-note`
  const note = error ?? hint
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={inputId} className={labelHidden ? 'sr-only' : styles.label}>
        {label}
      </label>
      <div
        className={classes(
          styles.box,
          error !== undefined && styles.wrong,
          input.disabled && styles.disabled,
        )}
      >
        <input
          {...input}
          id={inputId}
          className={classes(styles.input, mono && 'mono')}
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

import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import { useErrorFocus } from './error-focus.ts'
import own from './text-area.module.css'
import styles from './text-field.module.css'

interface TextAreaProps extends ComponentProps<'textarea'> {
  label: ReactNode
  labelHidden?: boolean
  hint?: ReactNode
  error?: string | undefined
}

/** A text of several lines. */
export function TextArea({ label, labelHidden, hint, error, className, ...rest }: TextAreaProps) {
  const id = useId()
  const note = error ?? hint
  useErrorFocus(id, error)
  return (
    <div className={classNames(styles.field, className)}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : styles.label}>
        {label}
      </label>
      <div className={classNames(styles.box, error !== undefined && styles.invalid)}>
        <textarea
          rows={3}
          {...rest}
          id={id}
          className={classNames(styles.input, own.area)}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
        />
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? styles.hint : styles.error}>
          {note}
        </p>
      )}
    </div>
  )
}

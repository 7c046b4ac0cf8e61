import ChevronDown from 'lucide-react/icons/chevron-down'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import own from './select-field.module.css'
import styles from './text-field.module.css'

interface SelectFieldProps<V extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  label: ReactNode
  labelHidden?: boolean
  value: V
  options: readonly { value: V; label: string }[]
  onChange: (value: V) => void
}

/** One of a list, with the browser's own menu. */
export function SelectField<V extends string>(props: SelectFieldProps<V>) {
  const { label, labelHidden, value, options, onChange, className, ...rest } = props
  const id = useId()
  return (
    <div className={classNames(styles.field, className)}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : styles.label}>
        {label}
      </label>
      <div className={classNames(styles.box, own.box)}>
        <select
          {...rest}
          id={id}
          className={classNames(styles.input, own.select)}
          value={value}
          onChange={(event) => onChange(event.target.value as V)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown size={16} aria-hidden="true" className={own.arrow} />
      </div>
    </div>
  )
}

import { type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'
import styles from './segmented.module.css'

interface Option<V extends string> {
  value: V
  label: ReactNode
}

interface SegmentedProps<V extends string> {
  label: string
  value: V
  options: readonly Option<V>[]
  onChange: (value: V) => void
  /** The options share the available width. */
  wide?: boolean
}

/**
 * A choice of one of a few: radio buttons in a row, so that arrow keys choose and the group is one tab stop.
 */
export function Segmented<V extends string>({ label, value, options, onChange, wide }: SegmentedProps<V>) {
  const name = useId()
  return (
    <fieldset className={classNames(styles.group, wide && styles.wide)}>
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles.option}>
          <input
            type="radio"
            name={name}
            className={styles.input}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className={styles.face}>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}

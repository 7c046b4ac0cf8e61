import type { KeyboardEvent, ReactNode } from 'react'
import styles from './number-field.module.css'
import { TextField } from './text-field.tsx'
import { wholeNumber, wholeNumberIn } from './whole-number.ts'

interface NumberFieldProps {
  label: string
  labelHidden?: boolean
  value: number
  max: number
  onChange: (value: number) => void
  hint?: ReactNode
  unit?: string
  /** Shown when the value is 0. */
  placeholder?: string
  className?: string | undefined
}

/** A whole number from 0 to `max`. The arrow keys change it by one, with Shift by ten. */
export function NumberField(props: NumberFieldProps) {
  const { value, max, onChange, unit, placeholder, className, label, labelHidden, hint } = props
  const step = (event: KeyboardEvent) => {
    const sign = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (sign === 0) return
    event.preventDefault()
    onChange(Math.min(max, Math.max(0, value + sign * (event.shiftKey ? 10 : 1))))
  }
  return (
    <TextField
      label={label}
      labelHidden={labelHidden ?? false}
      mono
      inputMode="numeric"
      {...wholeNumber}
      autoComplete="off"
      value={value === 0 ? '' : String(value)}
      placeholder={placeholder ?? '0'}
      onChange={(event) => onChange(wholeNumberIn(event.target.value, max) ?? 0)}
      onKeyDown={step}
      hint={hint}
      end={unit === undefined ? undefined : <Unit text={unit} />}
      className={className ?? ''}
    />
  )
}

function Unit({ text }: { text: string }) {
  return <span className={styles.unit}>{text}</span>
}

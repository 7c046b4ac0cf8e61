import type { KeyboardEvent, ReactNode } from 'react'
import styles from './count-field.module.css'
import { TextField } from './text-field.tsx'

interface CountFieldProps {
  label: string
  labelHidden?: boolean
  value: number
  max: number
  onChange: (value: number) => void
  hint?: ReactNode
  unit?: string
  /** Reads typed text as a count. */
  parse: (text: string) => number
  /** Shown for 0: what nothing means here. */
  placeholder?: string
  className?: string | undefined
}

/** A whole number of 0 or more: digits only; the arrow keys count, with Shift by ten. */
export function CountField(props: CountFieldProps) {
  const { value, max, onChange, parse, unit, placeholder, className, label, labelHidden, hint } = props
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
      autoComplete="off"
      value={value === 0 ? '' : String(value)}
      placeholder={placeholder ?? '0'}
      onChange={(event) => onChange(parse(event.target.value))}
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

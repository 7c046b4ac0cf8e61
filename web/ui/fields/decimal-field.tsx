import { TextField, type TextFieldProps } from './text-field.tsx'

export interface DecimalFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'inputMode' | 'mono'> {
  value: string
  onType: (text: string) => void
}

/** A field for an amount with decimal places, which its form reads. */
export function DecimalField({ onType, ...field }: DecimalFieldProps) {
  return (
    <TextField
      autoComplete="off"
      {...field}
      onChange={(event) => onType(event.target.value)}
      inputMode="decimal"
      mono
    />
  )
}

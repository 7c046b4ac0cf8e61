import { type Ref, useId } from 'react'
import { useTranslation } from '../app/i18n.ts'
import { useFormat } from '../app/use-format.ts'
import { classes } from '../ui/classes.ts'
import styles from './amount-field.module.css'

interface AmountFieldProps {
  ref: Ref<HTMLInputElement>
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

const presets = [1, 100, 300, 500, 1000] as const

/** How many gigabytes: a figure the size of the decision, and the amounts most people buy. */
export function AmountField({ ref, value, error, onChange }: AmountFieldProps) {
  const { t } = useTranslation('purchase')
  const { number } = useFormat()
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className={styles.label}>
        {t('amount')}
      </label>
      <div className={styles.line}>
        <div className={classes(styles.box, error !== undefined && styles.wrong)}>
          <input
            ref={ref}
            id={id}
            className={classes(styles.input, 'mono')}
            inputMode="numeric"
            autoComplete="off"
            autoFocus
            placeholder="1"
            value={value}
            aria-invalid={error !== undefined || undefined}
            aria-describedby={error === undefined ? undefined : `${id}-error`}
            onChange={(event) => onChange(event.target.value)}
          />
          <span className={styles.unit}>{t('amountUnit')}</span>
        </div>
        <div role="group" aria-label={t('amountPresets')} className={styles.presets}>
          {presets.map((gb) => (
            <button
              key={gb}
              type="button"
              className={styles.preset}
              aria-pressed={value === String(gb)}
              onClick={() => onChange(String(gb))}
            >
              {gb === 1000 ? t('presetTb') : t('preset', { formatted: number(gb) })}
            </button>
          ))}
        </div>
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  )
}

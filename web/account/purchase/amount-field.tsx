import { type Ref, useId } from 'react'
import { offeredGb } from '#contract/price'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { classNames } from '../../ui/class-names.ts'
import { wholeNumber } from '../../ui/fields/whole-number.ts'
import styles from './amount-field.module.css'

interface AmountFieldProps {
  ref: Ref<HTMLInputElement>
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

/** The amount in gigabytes, with buttons for the offered amounts. */
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
        <div className={classNames(styles.box, error !== undefined && styles.invalid)}>
          <input
            ref={ref}
            id={id}
            className={classNames(styles.input, 'mono')}
            inputMode="numeric"
            {...wholeNumber}
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
          {offeredGb.map((gb) => (
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

import { useId } from 'react'
import { baseCurrency } from '#contract/rates/rates'
import { chooseCurrency, useCurrencies, useCurrency } from '../state/currency.ts'
import { useLanguage, useTranslation } from '../state/i18n.ts'
import { currencyName } from '../ui/format.ts'
import styles from './footer.module.css'

/** The choice of the currency for prices; nothing where the shop shows them in US dollars only. */
export function CurrencySelect() {
  const { t } = useTranslation('header')
  const language = useLanguage()
  const id = useId()
  const currencies = useCurrencies()
  const chosen = useCurrency()
  if (currencies.length === 0) return null
  return (
    <div className={styles.group}>
      <label htmlFor={id}>{t('currency')}</label>
      <select
        id={id}
        value={chosen?.code ?? baseCurrency}
        onChange={(event) => chooseCurrency(event.target.value)}
      >
        {[baseCurrency, ...currencies.map(({ code }) => code)].map((code) => (
          <option key={code} value={code}>
            {`${code}, ${currencyName(code, language)}`}
          </option>
        ))}
      </select>
    </div>
  )
}

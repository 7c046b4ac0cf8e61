import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { builtInProvider, type Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Picker } from '../../ui/picker/picker.tsx'
import { countryItem } from '../panel/country-item.ts'
import { usePickerTexts } from '../panel/picker-texts.ts'
import styles from './user-dialog.module.css'

interface CountriesFieldProps {
  pool: Pool
  /** Codes; none: all countries. */
  value: readonly string[]
  /** Whether the codes are those that may not be used. */
  isExcept: boolean
  onChange: (codes: string[]) => void
  onMode: (isExcept: boolean) => void
}

/**
 * The countries that a proxy user may use, or may not, chosen as in the generator. A country that the pool no longer has
 * stays chosen.
 */
export function CountriesField({ pool, value, isExcept, onChange, onMode }: CountriesFieldProps) {
  const { t } = useTranslation(['proxyUsers', 'userPanel'])
  const language = useLanguage()
  const labelId = useId()
  const [isOpen, setOpen] = useState(false)
  const countries = useQuery(query('proxy_countries', { provider: builtInProvider, pool }))
  const texts = usePickerTexts(t('userPanel:picker.searchCountries'))
  const known = countries.data ?? []
  const choiceOf = (code: string) =>
    countryItem(known.find((each) => each.code === code) ?? { code }, language)
  return (
    <>
      <div>
        <p id={labelId} className={styles.name}>
          {t('proxyUsers:countries')}
        </p>
        <Segmented
          label={t('proxyUsers:countriesMode')}
          value={isExcept ? 'except' : 'only'}
          options={(['only', 'except'] as const).map((mode) => ({
            value: mode,
            label: t(`proxyUsers:countriesOf.${mode}`),
          }))}
          onChange={(mode) => onMode(mode === 'except')}
        />
        <div className={styles.countries}>
          <span className={styles.hint}>
            {value.length === 0
              ? t('proxyUsers:anyCountry')
              : value.map((code) => countryName(code, language)).join(', ')}
          </span>
          <Button size="small" aria-describedby={labelId} onClick={() => setOpen(true)}>
            {t(value.length === 0 ? 'userPanel:place.choose' : 'userPanel:place.change')}
          </Button>
        </div>
      </div>
      <Picker
        open={isOpen}
        title={t('userPanel:picker.countriesTitle')}
        items={known.map((each) => countryItem(each, language))}
        selected={value.map(choiceOf)}
        state={countries.data !== undefined ? 'ready' : countries.isError ? 'failed' : 'loading'}
        texts={texts}
        onRetry={() => void countries.refetch()}
        onConfirm={(selected) => {
          onChange(selected.map(({ key }) => key))
          setOpen(false)
        }}
        onClose={() => setOpen(false)}
      />
    </>
  )
}

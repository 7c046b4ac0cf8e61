import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { builtInProvider, type Pool } from '#contract/wire'
import { query } from '../../state/api.ts'
import { countryName, useCountryNames } from '../../state/country-names.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Picker } from '../../ui/picker/picker.tsx'
import { countryChoice } from '../panel/choices.ts'
import { usePickerTexts } from '../panel/picker-texts.ts'
import { PickRow } from '../panel/setting-rows.tsx'

interface CountriesFieldProps {
  pool: Pool
  /** Codes; none: all countries. */
  value: readonly string[]
  onChange: (codes: string[]) => void
}

/** The countries that a proxy user may use, chosen as in the generator. A country that the pool no longer has stays chosen. */
export function CountriesField({ pool, value, onChange }: CountriesFieldProps) {
  const { t } = useTranslation(['proxyUsers', 'userPanel'])
  const language = useLanguage()
  useCountryNames()
  const [isOpen, setOpen] = useState(false)
  const countries = useQuery(query('proxy_countries', { provider: builtInProvider, pool }))
  const texts = usePickerTexts(t('userPanel:picker.searchCountries'))
  const known = countries.data ?? []
  const choiceOf = (code: string) =>
    countryChoice(known.find((each) => each.code === code) ?? { code, name: code.toUpperCase() }, language)
  return (
    <>
      <PickRow
        label={t('proxyUsers:countries')}
        names={value.map((code) => countryName(code, language, code.toUpperCase()))}
        placeholder={t('proxyUsers:anyCountry')}
        actionLabel={t(value.length === 0 ? 'userPanel:place.choose' : 'userPanel:place.change')}
        onOpen={() => setOpen(true)}
      />
      <Picker
        open={isOpen}
        title={t('userPanel:picker.countriesTitle')}
        items={known.map((each) => countryChoice(each, language))}
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

import { useMemo } from 'react'
import { useCountryNames } from '../../app/country-name.ts'
import { DemoNote } from '../../app/demo-note.tsx'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { Picker, type PickerTexts } from '../../ui/picker.tsx'
import { type Choice, choicesOf, chosenOf, type Kind, typedZipcode, withChosen } from './choices.ts'
import type { Geo } from './geo.ts'
import styles from './pick-window.module.css'
import type { Settings } from './settings.ts'

interface PickWindowProps {
  kind: Kind | null
  settings: Settings
  geo: Geo
  onChange: (settings: Settings) => void
  onClose: () => void
}

const titles = {
  countries: 'picker.countriesTitle',
  states: 'picker.statesTitle',
  cities: 'picker.citiesTitle',
  zipcodes: 'picker.zipcodesTitle',
  included_asn: 'picker.includeTitle',
  excluded_asn: 'picker.excludeTitle',
} as const

const searches = {
  countries: 'picker.searchCountries',
  states: 'picker.search',
  cities: 'picker.search',
  zipcodes: 'picker.searchZip',
  included_asn: 'picker.searchAsn',
  excluded_asn: 'picker.searchAsn',
} as const

/** The window in which a list is chosen from; the settings change on Confirm and not before. */
export function PickWindow({ kind, settings, geo, onChange, onClose }: PickWindowProps) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const shown = kind ?? 'countries'
  const source = kind === null ? null : geo[sourceOf(kind)]
  const names = useCountryNames()
  // oxlint-disable-next-line react/exhaustive-deps -- rows are named anew when the names of countries come
  const items = useMemo(() => choicesOf(shown, geo, language), [shown, geo, language, names])
  const texts: PickerTexts = {
    search: t(searches[shown]),
    chosen: t('picker.chosen'),
    remove: (name) => t('picker.remove', { name }),
    clear: t('picker.clear'),
    confirm: t('picker.confirm'),
    close: t('picker.close'),
    loading: t('picker.loading'),
    none: t('picker.none'),
    notFound: t('picker.notFound'),
    failed: t('picker.failed'),
    retry: t('picker.retry'),
    ...(shown === 'zipcodes' ? { add: t('picker.add') } : {}),
  }
  return (
    <Picker<Choice>
      open={kind !== null}
      title={t(titles[shown])}
      description={
        <>
          {isDouble(shown) && <span className={styles.warning}>{t('place.doubleLong')}</span>} <DemoNote />
        </>
      }
      items={items}
      chosen={chosenOf(shown, settings, language)}
      state={source?.data !== undefined ? 'ready' : source?.isError ? 'failed' : 'loading'}
      texts={texts}
      wholeListWhenNoMatch={shown === 'included_asn' || shown === 'excluded_asn'}
      {...(shown === 'zipcodes' ? { itemFromText: typedZipcode } : {})}
      onRetry={() => void source?.refetch()}
      onConfirm={(chosen) => {
        onChange(withChosen(shown, chosen, settings))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function sourceOf(kind: Kind): keyof Geo {
  return kind === 'included_asn' || kind === 'excluded_asn' ? 'asns' : kind
}

const isDouble = (kind: Kind) => kind !== 'countries' && kind !== 'excluded_asn'

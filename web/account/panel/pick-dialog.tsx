import { useMemo } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useDemoNote } from '../../state/site.ts'
import { Note } from '../../ui/note.tsx'
import { Picker, type PickerTexts } from '../../ui/picker/picker.tsx'
import {
  type Choice,
  choicesOf,
  doublesTariff,
  type Kind,
  selectedOf,
  typedZipcode,
  withSelected,
} from './choices.ts'
import { usePickerTexts } from './picker-texts.ts'
import type { Geo } from './use-geo.ts'
import styles from './pick-dialog.module.css'
import type { Settings } from './settings.ts'

interface PickDialogProps {
  kind: Kind
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

/** The picker of one kind of place or network. The settings change when the selection is confirmed. */
export function PickDialog({ kind, settings, geo, onChange, onClose }: PickDialogProps) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const source = geo[sourceOf(kind)]
  const demoNote = useDemoNote()
  const items = useMemo(() => choicesOf(kind, geo, language), [kind, geo, language])
  const common = usePickerTexts(t(searches[kind]))
  const texts: PickerTexts = {
    ...common,
    ...(kind === 'zipcodes' ? { add: t('picker.add') } : {}),
  }
  return (
    <Picker<Choice>
      open
      title={t(titles[kind])}
      description={
        <>
          {doublesTariff(kind) && <span className={styles.warning}>{t('place.doubleLong')}</span>}{' '}
          {demoNote !== null && <Note>{demoNote}</Note>}
        </>
      }
      items={items}
      selected={selectedOf(kind, settings, language)}
      state={source.data !== undefined ? 'ready' : source.isError ? 'failed' : 'loading'}
      texts={texts}
      showAllWhenNoMatch={kind === 'included_asn' || kind === 'excluded_asn'}
      {...(kind === 'zipcodes' ? { itemFromText: typedZipcode } : {})}
      onRetry={() => void source.refetch()}
      onConfirm={(selected) => {
        onChange(withSelected(kind, selected, settings))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function sourceOf(kind: Kind): keyof Geo {
  return kind === 'included_asn' || kind === 'excluded_asn' ? 'asns' : kind
}

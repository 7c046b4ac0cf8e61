import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { chosenOf, type Kind } from './choices.ts'
import type { Geo } from './geo.ts'
import { PickRow, Section } from './rows.tsx'
import type { Settings } from './settings.ts'

interface PlaceRowsProps {
  settings: Settings
  geo: Geo
  onOpen: (kind: Kind) => void
}

/** Where to leave from: country, state, city, zip code. */
export function PlaceRows({ settings, geo, onOpen }: PlaceRowsProps) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const missing = useMissingCountries(settings, geo)
  return (
    <Section title={t('place.title')}>
      {(['countries', 'states', 'cities', 'zipcodes'] as const).map((kind) => (
        <PickRow
          key={kind}
          label={t(`place.${kind}`)}
          names={chosenOf(kind, settings, language).map((choice) => choice.label)}
          placeholder={t('place.any')}
          actLabel={t(settings[kind].length === 0 ? 'place.choose' : 'place.change')}
          {...(kind === 'countries'
            ? {}
            : { warning: { short: t('place.double'), long: t('place.doubleLong') } })}
          closedReason={
            kind !== 'countries' && settings.countries.length === 0 ? t('place.countryFirst') : undefined
          }
          note={kind === 'countries' && missing !== '' ? t('place.missing', { names: missing }) : undefined}
          onOpen={() => onOpen(kind)}
        />
      ))}
    </Section>
  )
}

/** Chosen countries that the pool does not have, by name: left over from another pool. */
function useMissingCountries(settings: Settings, geo: Geo): string {
  const language = useLanguage()
  const known = geo.countries.data
  if (known === undefined) return ''
  const codes = new Set(known.map((country) => country.code))
  return chosenOf('countries', settings, language)
    .filter((choice) => !codes.has(choice.key))
    .map((choice) => choice.label)
    .join(', ')
}

/** Which networks to leave by. */
export function NetworkRows({ settings, onOpen }: Omit<PlaceRowsProps, 'geo'>) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const closedReason = settings.countries.length === 0 ? t('place.countryFirst') : undefined
  return (
    <Section title={t('network.title')}>
      <PickRow
        label={t('network.include')}
        names={chosenOf('included_asn', settings, language).map((choice) => choice.label)}
        placeholder={t('place.any')}
        actLabel={t(settings.included_asn.length === 0 ? 'place.choose' : 'place.change')}
        warning={{ short: t('place.double'), long: t('place.doubleLong') }}
        closedReason={closedReason}
        onOpen={() => onOpen('included_asn')}
      />
      <PickRow
        label={t('network.exclude')}
        names={chosenOf('excluded_asn', settings, language).map((choice) => choice.label)}
        placeholder={t('network.none')}
        actLabel={t(settings.excluded_asn.length === 0 ? 'place.choose' : 'place.change')}
        closedReason={closedReason}
        onOpen={() => onOpen('excluded_asn')}
      />
    </Section>
  )
}

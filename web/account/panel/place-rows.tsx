import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { doublesTariff, type Kind, selectedOf } from './choices.ts'
import type { Geo } from './use-geo.ts'
import { PickRow, Section } from './setting-rows.tsx'
import type { Settings } from './settings.ts'

interface PlaceRowsProps {
  settings: Settings
  geo: Geo
  onOpen: (kind: Kind) => void
}

/** The settings of the exit location: countries, states, cities, zip codes. */
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
          names={selectedOf(kind, settings, language).map((choice) => choice.label)}
          placeholder={t('place.any')}
          actionLabel={t(settings[kind].length === 0 ? 'place.choose' : 'place.change')}
          {...(doublesTariff(kind)
            ? { warning: { short: t('place.double'), long: t('place.doubleLong') } }
            : {})}
          disabledReason={
            kind !== 'countries' && settings.countries.length === 0 ? t('place.countryFirst') : undefined
          }
          note={kind === 'countries' && missing !== '' ? t('place.missing', { names: missing }) : undefined}
          onOpen={() => onOpen(kind)}
        />
      ))}
    </Section>
  )
}

/** The names of chosen countries that the pool does not have, left over from another pool. */
function useMissingCountries(settings: Settings, geo: Geo): string {
  const language = useLanguage()
  const available = geo.countries.data
  if (available === undefined) return ''
  const codes = new Set(available.map((country) => country.code))
  return selectedOf('countries', settings, language)
    .filter((choice) => !codes.has(choice.key))
    .map((choice) => choice.label)
    .join(', ')
}

/** The settings of the exit network: ASNs to use only, and ASNs to exclude. */
export function NetworkRows({ settings, onOpen }: Omit<PlaceRowsProps, 'geo'>) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const disabledReason = settings.countries.length === 0 ? t('place.countryFirst') : undefined
  return (
    <Section title={t('network.title')}>
      <PickRow
        label={t('network.include')}
        names={selectedOf('included_asn', settings, language).map((choice) => choice.label)}
        placeholder={t('place.any')}
        actionLabel={t(settings.included_asn.length === 0 ? 'place.choose' : 'place.change')}
        warning={{ short: t('place.double'), long: t('place.doubleLong') }}
        disabledReason={disabledReason}
        onOpen={() => onOpen('included_asn')}
      />
      <PickRow
        label={t('network.exclude')}
        names={selectedOf('excluded_asn', settings, language).map((choice) => choice.label)}
        placeholder={t('network.none')}
        actionLabel={t(settings.excluded_asn.length === 0 ? 'place.choose' : 'place.change')}
        disabledReason={disabledReason}
        onOpen={() => onOpen('excluded_asn')}
      />
    </Section>
  )
}

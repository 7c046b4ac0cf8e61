import { defaultSessionMinutes } from '#contract/session-times'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { formatNumber } from '../../ui/format.ts'
import { selectedOf, type Kind } from './choices.ts'
import { defaultSettings, type Settings } from './settings.ts'

export interface Fact {
  name: string
  value: string
  mono?: boolean
  /** A default value, shown in a quieter colour. */
  isDefault: boolean
}

const shownNames = 3

/** The settings as a list of names and values. */
export function useSummaryFacts(settings: Settings): Fact[] {
  const { t } = useTranslation(['userPanel', 'header'])
  const language = useLanguage()

  const list = (name: string, kind: Kind, emptyText: string): Fact => {
    const names = selectedOf(kind, settings, language).map((choice) => choice.label)
    const more = names.length - shownNames
    const value =
      names.slice(0, shownNames).join(', ') + (more > 0 ? ` +${formatNumber(more, language)}` : '')
    return { name, value: names.length === 0 ? emptyText : value, isDefault: names.length === 0 }
  }
  const plain = (name: string, field: keyof Settings, value: string, mono = false): Fact => ({
    name,
    value,
    mono,
    isDefault: settings[field] === defaultSettings[field],
  })
  const minutes = settings.interval || (settings.session_type === 'sticky' ? defaultSessionMinutes : 0)
  const interval =
    minutes > 0
      ? t('summary.intervalMinutes', { minutes: formatNumber(minutes, language) })
      : t('summary.intervalRotating')

  return [
    plain(t('summary.pool'), 'pool', t(`header:pools.${settings.pool}`)),
    plain(t('summary.region'), 'region', t(`region.${settings.region}`)),
    list(t('summary.countries'), 'countries', t('summary.all')),
    list(t('summary.states'), 'states', t('summary.any')),
    list(t('summary.cities'), 'cities', t('summary.any')),
    list(t('summary.zipcodes'), 'zipcodes', t('summary.any')),
    list(t('summary.included'), 'included_asn', t('summary.any')),
    list(t('summary.excluded'), 'excluded_asn', t('summary.none')),
    plain(t('summary.protocol'), 'protocol', settings.protocol.toUpperCase(), true),
    plain(
      t('summary.session'),
      'session_type',
      t(`connection.${settings.session_type}`).toLocaleLowerCase(language),
    ),
    plain(t('summary.interval'), 'interval', interval),
    plain(t('summary.anon'), 'anon', t(settings.anon ? 'summary.yes' : 'summary.no')),
    plain(t('summary.format'), 'access_format', settings.access_format, true),
    plain(t('summary.quantity'), 'proxy_amount', formatNumber(settings.proxy_amount || 1, language)),
  ]
}

import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'

type Exit = DeskOutput<'exits'>[number]

/** The settings of exits, hidden by default: the table has no room for all columns. */
export function useSetupColumns(): readonly Column<Exit>[] {
  const { t } = useTranslation('deskPages')
  const { number } = useFigures()
  return [
    { id: 'kind', title: t('exits.kind'), optional: true, cell: ({ kind, preset }) => preset ?? kind },
    {
      id: 'endpoint',
      title: t('exits.endpoint'),
      optional: true,
      cell: ({ endpoint }) =>
        endpoint === null ? t('exits.thisMachine') : <code translate="no">{endpoint}</code>,
    },
    {
      id: 'weight',
      title: t('exits.weight'),
      numeric: true,
      optional: true,
      cell: ({ weight }) => number(weight),
    },
    {
      id: 'limit',
      title: t('exits.limit'),
      numeric: true,
      optional: true,
      cell: (exit) => (exit.max_connections === null ? t('exits.noLimit') : number(exit.max_connections)),
    },
    {
      id: 'places',
      title: t('exits.places'),
      numeric: true,
      optional: true,
      cell: ({ places, countries }) =>
        places === null
          ? t('exits.everywhere')
          : t('exits.placesIn', { places: number(places), countries: number(countries.length) }),
    },
  ]
}

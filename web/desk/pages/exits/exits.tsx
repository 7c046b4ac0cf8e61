import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PlainTable } from '../../table/plain-table.tsx'
import type { Column } from '../../table/columns.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { ExitDialog } from './exit-dialog.tsx'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

export function ExitsPage() {
  const { t } = useTranslation(['deskPages', 'header'])
  const { number } = useFigures()
  const mayChange = useMay()('set_exit')
  const exits = useQuery(query('exits', {}))
  const [open, setOpen] = useState<string | null>(null)
  const columns = useMemo(
    (): readonly Column<Exit>[] => [
      {
        id: 'name',
        title: t('column.name'),
        fixed: true,
        phone: true,
        cell: (exit) =>
          mayChange ? (
            <button type="button" className={styles.name} onClick={() => setOpen(exit.id)}>
              {exit.name}
            </button>
          ) : (
            exit.name
          ),
      },
      {
        id: 'state',
        title: t('column.state'),
        phone: true,
        cell: (exit) =>
          exit.fault === null ? (
            <Badge tone={exit.enabled ? 'good' : 'quiet'}>{t(exit.enabled ? 'exits.on' : 'exits.off')}</Badge>
          ) : (
            <Badge tone="bad">{exit.fault}</Badge>
          ),
      },
      { id: 'pool', title: t('column.pool'), phone: true, cell: ({ pool }) => t(`header:pools.${pool}`) },
      { id: 'kind', title: t('exits.kind'), cell: ({ kind, preset }) => preset ?? kind },
      {
        id: 'endpoint',
        title: t('exits.endpoint'),
        cell: ({ endpoint }) => (endpoint === null ? t('exits.thisMachine') : <code>{endpoint}</code>),
      },
      { id: 'weight', title: t('exits.weight'), numeric: true, cell: ({ weight }) => number(weight) },
      {
        id: 'limit',
        title: t('exits.limit'),
        numeric: true,
        cell: (exit) => (exit.max_connections === null ? t('exits.noLimit') : number(exit.max_connections)),
      },
      {
        id: 'places',
        title: t('exits.places'),
        numeric: true,
        cell: ({ places, countries }) =>
          places === null
            ? t('exits.everywhere')
            : t('exits.placesIn', { places: number(places), countries: number(countries.length) }),
      },
    ],
    [t, number, mayChange],
  )
  const chosen = exits.data?.find(({ id }) => id === open)
  return (
    <>
      <PageHead title={t('exits.title')} />
      <Loaded query={exits}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('exits.none')}</p>
          ) : (
            <PlainTable
              table="exits"
              label={t('exits.title')}
              columns={columns}
              rows={rows}
              rowId={(exit) => exit.id}
            />
          )
        }
      </Loaded>
      {chosen !== undefined && <ExitDialog exit={chosen} onClose={() => setOpen(null)} />}
    </>
  )
}

import { useToldRead } from '../../state/told-read.ts'
import { useMemo } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge } from '../../parts/badge.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { AttemptsChart } from '../../subjects/health/attempts.tsx'
import { type ExitHealth, ExitState, LastFailure } from '../../subjects/health/exit-state.tsx'
import { useRefusalReason } from '../../subjects/refusal-reason.ts'
import type { Column } from '../../table/columns.ts'
import { useAnswerColumns } from './answer-columns.tsx'
import { useMarginColumns } from './margin-columns.tsx'
import type { Opened } from './opened.ts'
import { useSetupColumns } from './setup-columns.tsx'
import { useStockColumn } from './stock-column.tsx'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

function HealthCell({
  health,
  reasonOf,
}: {
  health: ExitHealth | undefined
  reasonOf: (code: string) => string
}) {
  if (health === undefined) return null
  const isBad = health.state === 'down' || health.state === 'degraded'
  return (
    <>
      <ExitState health={health} />
      {isBad && <LastFailure health={health} reasonOf={reasonOf} />}
    </>
  )
}

const freshMs = 60_000

/** The settings of exits, their recent traffic, and links to their dialogs. */
export function useExitColumns(
  setOpen: (opened: Opened) => void,
  healthOf: ReadonlyMap<string, ExitHealth>,
): readonly Column<Exit>[] {
  const reasonOf = useRefusalReason()
  const { t } = useTranslation(['deskPages', 'deskExits', 'header'])
  const { number, traffic, percent } = useFigures()
  const may = useMay()
  const mayChange = may('set_exit')
  const figures = useToldRead({ ...query('exit_figures', {}), refetchInterval: freshMs })
  const ofExit = useMemo(() => new Map(figures.data?.map((each) => [each.id, each])), [figures.data])
  const margins = useMarginColumns(setOpen)
  const stock = useStockColumn(setOpen)
  const answers = useAnswerColumns(ofExit)
  const setup = useSetupColumns()
  return [
    {
      id: 'name',
      title: t('column.name'),
      fixed: true,
      phone: true,
      cell: (exit) => (
        <>
          {mayChange ? (
            <button
              type="button"
              className={styles.name}
              onClick={() => setOpen({ id: exit.id, dialog: 'set' })}
            >
              {exit.name}
            </button>
          ) : (
            <span>{exit.name}</span>
          )}
          <span className={styles.when}>{t(`header:pools.${exit.pool}`)}</span>
        </>
      ),
    },
    {
      id: 'state',
      title: t('column.state'),
      phone: true,
      cell: (exit) =>
        exit.fault === null ? (
          <HealthCell health={healthOf.get(exit.id)} reasonOf={reasonOf} />
        ) : (
          <Badge tone="bad">{exit.fault}</Badge>
        ),
    },
    {
      id: 'attempts',
      title: t('health.hour'),
      phone: true,
      cell: ({ id }) => <AttemptsChart minutes={healthOf.get(id)?.minutes ?? []} />,
    },
    {
      id: 'day',
      title: t('deskExits:exit.day'),
      numeric: true,
      cell: ({ id }) => {
        const { charged_bytes: bytes = '0', share = null } = ofExit.get(id) ?? {}
        return (
          <>
            <span translate="no">{traffic(bytes)}</span>
            {share !== null && (
              <span className={styles.when}>{t('deskExits:exit.share', { share: percent(share) })}</span>
            )}
          </>
        )
      },
    },
    ...margins,
    stock,
    ...answers,
    {
      id: 'refused',
      title: t('deskExits:exit.refused'),
      numeric: true,
      cell: ({ id }) => {
        const refused = number(ofExit.get(id)?.refused ?? '0')
        return (
          <button
            type="button"
            className={styles.figure}
            aria-label={`${refused}: ${t('deskExits:exit.refusals')}`}
            onClick={() => setOpen({ id, dialog: 'refusals' })}
          >
            {refused}
          </button>
        )
      },
    },
    ...setup,
  ]
}

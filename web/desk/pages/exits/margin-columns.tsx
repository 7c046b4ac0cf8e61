import { useToldRead } from '../../state/told-read.ts'
import { useMemo } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import type { Column } from '../../table/columns.ts'
import type { Opened } from './opened.ts'
import styles from './exits.module.css'

type Exit = DeskOutput<'exits'>[number]

const freshMs = 5 * 60_000

/** What exits carried, cost and earned in 30 days. */
export function useMarginColumns(setOpen: (opened: Opened) => void): readonly Column<Exit>[] {
  const { t } = useTranslation('deskExits')
  const { usd, traffic } = useFigures()
  const may = useMay()
  const isShown = may('exit_margins')
  const read = useToldRead({ ...query('exit_margins', {}), refetchInterval: freshMs, enabled: isShown })
  const ofExit = useMemo(() => new Map(read.data?.map((each) => [each.id, each])), [read.data])
  if (!isShown) return []
  const costText = (id: string) => {
    const sum = ofExit.get(id)
    if (sum === undefined) return '–'
    if (sum.uncosted_bytes === '0') return usd(sum.cost_micros)
    return sum.cost_micros === '0' ? t('cost.notKnown') : t('cost.partly', { cost: usd(sum.cost_micros) })
  }
  return [
    {
      id: 'carried',
      title: t('cost.carried'),
      numeric: true,
      optional: true,
      cell: ({ id }) => traffic(ofExit.get(id)?.relayed_bytes ?? '0'),
    },
    {
      id: 'cost',
      title: t('cost.cost'),
      numeric: true,
      cell: ({ id, name }) => (
        <button
          type="button"
          className={styles.figure}
          aria-label={`${costText(id)}: ${t('cost.title', { name })}`}
          onClick={() => setOpen({ id, dialog: 'cost' })}
        >
          {costText(id)}
        </button>
      ),
    },
    {
      id: 'margin',
      title: t('cost.margin'),
      numeric: true,
      cell: ({ id }) => {
        const sum = ofExit.get(id)
        if (sum === undefined || sum.uncosted_bytes !== '0') return '–'
        return (
          <span translate="no" className={classNames(BigInt(sum.margin_micros) < 0n && styles.loss)}>
            {usd(sum.margin_micros)}
          </span>
        )
      },
    },
  ]
}

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

/** The remaining traffic at the seller, in GB and in days. */
export function useStockColumn(setOpen: (opened: Opened) => void): Column<Exit> {
  const { t } = useTranslation('deskExits')
  const { traffic } = useFigures()
  const may = useMay()
  const read = useToldRead({ ...query('exit_stocks', {}), refetchInterval: freshMs })
  const ofExit = useMemo(() => new Map(read.data?.map((each) => [each.id, each])), [read.data])
  /** The remaining traffic, and how long it lasts. */
  const linesOf = (id: string): readonly string[] => {
    const stock = ofExit.get(id)
    if (stock === undefined) return [may('set_exit_stock') ? t('stock.set') : '–']
    const left = traffic(stock.left_bytes)
    return stock.days_left === null ? [left] : [left, t('stock.days', { count: Math.floor(stock.days_left) })]
  }
  return {
    id: 'stock',
    title: t('stock.column'),
    numeric: true,
    cell: ({ id, name, kind }) => {
      if (kind === 'direct') return '–'
      const lines = linesOf(id)
      const [left, days] = lines
      const text = (
        <span className={classNames(ofExit.get(id)?.is_low === true && styles.loss)}>
          <span>{left}</span>
          {days !== undefined && <span className={styles.second}>{days}</span>}
        </span>
      )
      // The stock is not entered by hand where an account reports it.
      if (!may('set_exit_stock') || ofExit.get(id)?.account != null) return text
      return (
        <button
          type="button"
          className={styles.figure}
          aria-label={`${lines.join(', ')}: ${t('stock.title', { name })}`}
          onClick={() => setOpen({ id, dialog: 'stock' })}
        >
          {text}
        </button>
      )
    },
  }
}

import { type RowSelectionState, useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { useKeys } from '../parts/keys.ts'
import { type Column, features, useColumnDefs } from './columns.ts'
import { HeadCell } from './head-cell.tsx'
import styles from './table.module.css'

export interface TableProps<Row extends object> {
  /** What the rows are, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  shown: Readonly<Record<string, boolean>>
  rows: readonly Row[]
  rowId: (row: Row) => string
  /** The ids of the chosen rows; without it, rows cannot be chosen. */
  selection?: { chosen: RowSelectionState; onChange: (chosen: RowSelectionState) => void }
  /** Below the rows: paging. */
  foot?: ReactNode
}

/** From this number of rows on, only the visible ones are in the document. */
const manyRows = 100
const rowHeight = 40

/**
 * A table that is moved through with j and k; x chooses a row, Enter opens the link in its first cell. Cells
 * are rendered here and not by the component of the library, whose text would have no element of its own: it
 * could not be changed on a page that the browser translates.
 */
export function Table<Row extends object>(props: TableProps<Row>) {
  const { label, columns, shown, rows, rowId, selection, foot } = props
  const { t } = useTranslation('desk')
  const defs = useColumnDefs(columns)
  const table = useTable({
    features,
    columns: defs,
    data: rows as Row[],
    getRowId: rowId,
    state: { columnVisibility: { ...shown }, rowSelection: { ...selection?.chosen } },
    enableRowSelection: selection !== undefined,
    onRowSelectionChange: (update) =>
      selection?.onChange(typeof update === 'function' ? update({ ...selection.chosen }) : update),
  })
  const body = useRef<HTMLTableSectionElement>(null)
  const all = table.getRowModel().rows
  const [active, setActive] = useState(-1)

  const isLong = all.length > manyRows
  const virtual = useWindowVirtualizer({
    count: all.length,
    enabled: isLong,
    estimateSize: () => rowHeight,
    overscan: 20,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  const items = virtual.getVirtualItems()
  const first = isLong ? (items[0]?.index ?? 0) : 0
  const visible = isLong ? all.slice(first, (items.at(-1)?.index ?? 0) + 1) : all
  const above = isLong ? (items[0]?.start ?? 0) - virtual.options.scrollMargin : 0
  const below = isLong ? virtual.getTotalSize() + virtual.options.scrollMargin - (items.at(-1)?.end ?? 0) : 0

  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(index, all.length - 1))
    setActive(next)
    if (isLong) virtual.scrollToIndex(next)
    // The row may have to be put into the page first.
    requestAnimationFrame(() => {
      const row = body.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)
      ;(row?.querySelector<HTMLElement>('a, button, input:not([type="checkbox"])') ?? row)?.focus()
    })
  }
  useKeys({
    j: () => focusRow(active + 1),
    k: () => focusRow(active < 0 ? 0 : active - 1),
    ...(selection === undefined ? {} : { x: () => all[active]?.toggleSelected() }),
  })

  const leaves = table.getVisibleLeafColumns()
  const byId = new Map(columns.map((column) => [column.id, column]))
  const width = leaves.length + (selection === undefined ? 0 : 1)
  const classOf = (id: string) => {
    const column = byId.get(id)
    return classNames(column?.numeric && styles.numeric, column?.phone !== true && styles.wideOnly)
  }
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-rowcount={all.length + 1}>
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col" className={styles.check}>
                <input
                  type="checkbox"
                  aria-label={t('table.selectAll')}
                  checked={all.length > 0 && table.getIsAllRowsSelected()}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                />
              </th>
            )}
            {leaves.map(({ id }) => {
              const column = byId.get(id)
              return column === undefined ? null : (
                <HeadCell
                  key={id}
                  title={column.title}
                  className={classOf(id)}
                  {...(column.sort && { sort: column.sort })}
                />
              )
            })}
          </tr>
        </thead>
        <tbody ref={body}>
          {above > 0 && <Spacer height={above} width={width} />}
          {visible.map((row, offset) => (
            <tr
              key={row.id}
              data-index={first + offset}
              aria-rowindex={first + offset + 2}
              tabIndex={-1}
              className={classNames(first + offset === active && styles.active)}
              aria-selected={selection === undefined ? undefined : row.getIsSelected()}
              onFocus={() => setActive(first + offset)}
            >
              {selection !== undefined && (
                <td className={styles.check}>
                  <input
                    type="checkbox"
                    aria-label={t('table.select')}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </td>
              )}
              {row.getVisibleCells().map((cell) => (
                <td key={cell.id} className={classOf(cell.column.id)}>
                  {byId.get(cell.column.id)?.cell(row.original)}
                </td>
              ))}
            </tr>
          ))}
          {below > 0 && <Spacer height={below} width={width} />}
        </tbody>
      </table>
      {foot}
    </div>
  )
}

/** A placeholder with the height of the rows that are not in the document. */
function Spacer({ height, width }: { height: number; width: number }) {
  return (
    <tr aria-hidden="true" className={styles.spacer}>
      <td colSpan={width} style={{ height }} />
    </tr>
  )
}

/** The columns of a table, and which of them are shown. */
import {
  type ColumnDef,
  columnVisibilityFeature,
  rowSelectionFeature,
  tableFeatures,
} from '@tanstack/react-table'
import { type ReactNode, useMemo, useState } from 'react'
import { readStored, writeStored } from '../../state/storage.ts'

export const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature })
export type Features = typeof features

export interface Column<Row> {
  id: string
  title: string
  cell: (row: Row) => ReactNode
  /** Numbers, under each other at the end of the column. */
  numeric?: boolean
  /** Also shown on a phone. */
  phone?: boolean
  /** Hidden until it is chosen. */
  optional?: boolean
  /** The column cannot be hidden, because it names the row. */
  fixed?: boolean
  /**
   * The order of the list that a click on its heading asks for, in the value of `sort`, and its direction.
   */
  sort?: { value: string; direction: 'ascending' | 'descending' }
}

/** The columns for the table library; the first one names the row. */
export function useColumnDefs<Row extends object>(
  columns: readonly Column<Row>[],
): ColumnDef<Features, Row>[] {
  return useMemo(
    () =>
      columns.map(({ id, title, fixed }): ColumnDef<Features, Row> => ({
        id,
        header: title,
        enableHiding: fixed !== true,
      })),
    [columns],
  )
}

type Shown = Record<string, boolean>

/** What is stored is not trusted: only known columns with a boolean count. */
export function readShown(
  text: string | null,
  columns: readonly Pick<Column<never>, 'id' | 'optional' | 'fixed'>[],
): Shown {
  let stored: unknown = null
  try {
    stored = JSON.parse(text ?? 'null')
  } catch {
    // The stored text is not valid: the default columns are shown.
  }
  const chosen = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {}
  return Object.fromEntries(
    columns.map(({ id, optional, fixed }) => {
      const choice = Object.hasOwn(chosen, id) ? chosen[id] : undefined
      return [id, fixed === true || (typeof choice === 'boolean' ? choice : optional !== true)]
    }),
  )
}

/** Which columns of a table are shown, kept in this browser. */
export function useShownColumns<Row>(name: string, columns: readonly Column<Row>[]) {
  const key = `columns.${name}`
  const [shown, setShown] = useState(() => readShown(readStored(key), columns))
  const change = (next: Shown) => {
    setShown(next)
    writeStored(key, JSON.stringify(next))
  }
  return [shown, change] as const
}

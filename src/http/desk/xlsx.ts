/** Lists as workbooks (ECMA-376), written row by row: a written row is not kept in memory. */
import type { CellValue } from 'hucre/xlsx'
import { usdText } from '#lib/money'
import { localTime } from '#lib/zone'
import type { FileColumn } from './columns.ts'
import { textOf } from '#lib/csv/print-csv'

const formats: Partial<Record<FileColumn['kind'], string>> = {
  number: '#,##0',
  usd: '#,##0.00####',
  time: 'yyyy-mm-dd hh:mm:ss',
  day: 'yyyy-mm-dd',
  dated: 'yyyy-mm-dd',
}
const widths: Partial<Record<FileColumn['kind'], number>> = { number: 16, usd: 14, time: 20, day: 12 }

/** The maximum number of characters in a cell. */
const mostCharacters = 32_767
/** The maximum number of digits of a spreadsheet's number; longer numbers are stored exactly, as texts. */
const mostDigits = 15

/** Characters that XML cannot hold, and what a spreadsheet would read as an escape. */
const unwritable = /[\0\ufffe\uffff]/g
const escape = /_(?=x[0-9a-f]{4}_)/gi

function cellText(value: unknown): string {
  const text = textOf(value).replaceAll(unwritable, '').replaceAll(escape, '_x005F_')
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1)}…`
}

function cellNumber(value: unknown, kind: 'number' | 'usd'): CellValue {
  if (typeof value === 'number') return value
  const text = String(value as string)
  if (text.replace('-', '').length > mostDigits) return kind === 'usd' ? usdText(BigInt(text), 6) : text
  return kind === 'usd' ? Number(text) / 1e6 : Number(text)
}

/**
 * A cell. Texts are stored as such: a workbook has formulas only where it says so, and here it never does.
 */
export function cellOf(value: unknown, kind: FileColumn['kind'], zone: string): CellValue {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'number':
    case 'usd':
      return cellNumber(value, kind)
    case 'time':
      return localTime(zone, new Date(text))
    case 'day':
      return new Date(text)
    case 'dated':
      return /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(text) : cellText(value)
    case 'text':
      return cellText(value)
  }
}

/** Money is in USD here, and times are those of the zone. */
function titleOf({ name, kind }: FileColumn, zone: string): string {
  if (kind === 'usd') return name.replace(/micros$/, 'usd')
  return kind === 'time' ? `${name}, ${zone}` : name
}

export interface Sheet {
  name: string
  columns: readonly FileColumn[]
  /** The time zone of the times: a spreadsheet stores them without one. */
  zone: string
}

/** The bytes of a workbook, page by page; rows beyond the limit of a sheet continue on further sheets. */
export async function* xlsxOf(
  { name, columns, zone }: Sheet,
  pages: AsyncIterable<readonly Record<string, unknown>[]>,
): AsyncGenerator<Uint8Array> {
  // Loaded at its first use: its modules are a twentieth of a start.
  const { writeXlsxStream } = await import('hucre/xlsx')
  async function* cells(): AsyncGenerator<CellValue[]> {
    for await (const rows of pages)
      for (const row of rows) yield columns.map((column) => cellOf(row[column.name], column.kind, zone))
  }
  yield* writeXlsxStream(cells(), {
    name,
    freezePane: { rows: 1 },
    columns: columns.map((column) => {
      const numFmt = formats[column.kind]
      return {
        header: titleOf(column, zone),
        width: widths[column.kind] ?? 24,
        ...(numFmt === undefined ? {} : { numFmt }),
      }
    }),
  })
}

/** Reads a CSV file (RFC 4180) with a header, record by record, whatever its size. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { open } from 'node:fs/promises'
import { type FaultCode, type FaultFacts, type Said, sentenceOf } from '#contract/desk/faults'
import { CsvError, type Info, parse } from 'csv-parse'

/**
 * A refused file: what is wrong with it, each with its line number. The message has the sentences in English.
 */
export class ImportFault extends Error {
  readonly faults: readonly Said[]

  constructor(faults: readonly Said[]) {
    super(faults.map((fault) => sentenceOf(fault, 'en')).join('\n'))
    this.name = 'ImportFault'
    this.faults = faults
  }
}

/** A file refused for one reason. */
export const faultyFile = (code: FaultCode, facts: FaultFacts = {}) => new ImportFault([{ code, facts }])

export interface CsvRecord<C extends string> {
  /** The line at which the record ends, counted from 1; the header is line 1. */
  line: number
  /** Trimmed; empty when the file does not have the column. */
  fields: Record<C, string>
}

export interface CsvColumns<C extends string> {
  required: readonly C[]
  optional: readonly C[]
}

/** A file by its path, or its content. */
export type CsvSource = string | { text: string }

/** Longer than any valid line: otherwise an unclosed quote would consume the rest of the file. */
const maxRecordBytes = 16_384

/**
 * The records of a file, in UTF-8, separated by commas, semicolons or tabs, as the header is. Throws an
 * ImportFault for a header without a required column or with an unknown one, and for a record of another
 * length, unless `onUneven` takes it.
 */
export async function* readCsv<C extends string>(
  file: CsvSource,
  columns: CsvColumns<C>,
  onUneven?: (fault: Said) => void,
): AsyncGenerator<CsvRecord<C>> {
  const delimiter = await delimiterOf(file)
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
  })
  // An error of either stream ends the other, and thereby the loop below.
  const stream = typeof file === 'string' ? createReadStream(file) : Readable.from([file.text])
  stream.on('error', (error: Error) => parser.destroy(error)).pipe(parser)
  let positions: [C, number][] | undefined
  let width = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      if (positions === undefined) {
        positions = positionsOf(record, columns)
        width = record.length
        continue
      }
      if (record.length !== width) {
        const uneven = faultyFile('import_fields', { line: info.lines, fields: record.length, header: width })
        if (onUneven === undefined) throw uneven
        for (const fault of uneven.faults) onUneven(fault)
        continue
      }
      yield { line: info.lines, fields: pick(record, positions) }
    }
  } catch (error) {
    throw asFault(error)
  }
  if (positions === undefined) throw faultyFile('import_empty')
}

function pick<C extends string>(record: string[], positions: [C, number][]): Record<C, string> {
  const fields: Partial<Record<C, string>> = {}
  for (const [column, position] of positions) fields[column] = record[position]?.trim() ?? ''
  return fields as Record<C, string>
}

/** Spreadsheets write semicolons where the comma is the decimal point. */
async function delimiterOf(file: CsvSource): Promise<string> {
  if (typeof file !== 'string') return delimiterIn(file.text.slice(0, headBytes))
  const handle = await open(file).catch((error: Error) => {
    throw faultyFile('import_unread', { reason: error.message })
  })
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes)).catch((error: Error) => {
      throw faultyFile('import_unread', { reason: error.message })
    })
    return delimiterIn(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await handle.close()
  }
}

const headBytes = 4096

function delimiterIn(head: string): string {
  const [header = ''] = head.split(/\r|\n/, 1)
  return [',', ';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ','
}

/** Where each column is: -1 for an optional one that is missing. */
function positionsOf<C extends string>(header: string[], columns: CsvColumns<C>): [C, number][] {
  const names = header.map((name) => name.trim().toLowerCase())
  const known: readonly string[] = [...columns.required, ...columns.optional]
  const list = known.join(', ')
  const faults = names.flatMap((name, index): Said[] => {
    if (!known.includes(name)) return [{ code: 'import_unknown_column', facts: { line: 1, name, list } }]
    return names.indexOf(name) === index ? [] : [{ code: 'import_twice', facts: { line: 1, name } }]
  })
  for (const name of columns.required) {
    if (!names.includes(name)) faults.push({ code: 'import_missing', facts: { line: 1, name, list } })
  }
  if (faults.length > 0) throw new ImportFault(faults)
  return [...columns.required, ...columns.optional].map((name) => [name, names.indexOf(name)])
}

/** The parser's error as a fault of the file. */
function asFault(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const line = typeof error['lines'] === 'number' ? { line: error['lines'] } : {}
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return faultyFile('import_open_quote', line)
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return faultyFile('import_inner_quote', line)
    default:
      return faultyFile('import_csv', { ...line, reason: error.message })
  }
}

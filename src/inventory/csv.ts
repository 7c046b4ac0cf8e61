/** Reads a CSV file (RFC 4180) with a header, record by record, whatever its size. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { CsvError, type Info, parse } from 'csv-parse'

/** A refused file: sentences for its author, each with its line number. */
export class ImportFault extends Error {
  constructor(sentences: string[]) {
    super(sentences.join('\n'))
    this.name = 'ImportFault'
  }
}

export interface CsvRecord<C extends string> {
  /** Where the record ends, counted from 1; the header is line 1. */
  line: number
  /** Trimmed; empty when the file does not have the column. */
  fields: Record<C, string>
}

export interface CsvColumns<C extends string> {
  required: readonly C[]
  optional: readonly C[]
}

/** Longer than any valid line: otherwise an unclosed quote would consume the rest of the file. */
const maxRecordBytes = 16_384

/**
 * The records of a file, in UTF-8, separated by commas, semicolons or tabs, as the header is. Throws an ImportFault for
 * a header without a required column or with an unknown one, and for a record of another length.
 */
export async function* readCsv<C extends string>(
  file: string,
  columns: CsvColumns<C>,
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
  createReadStream(file)
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
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
        throw new ImportFault([`Line ${info.lines}: ${record.length} fields, but the header has ${width}.`])
      }
      yield { line: info.lines, fields: pick(record, positions) }
    }
  } catch (error) {
    throw asFault(error)
  }
  if (positions === undefined) throw new ImportFault(['The file is empty: it needs a header.'])
}

function pick<C extends string>(record: string[], positions: [C, number][]): Record<C, string> {
  const fields: Partial<Record<C, string>> = {}
  for (const [column, position] of positions) fields[column] = record[position]?.trim() ?? ''
  return fields as Record<C, string>
}

/** Spreadsheets write semicolons where the comma is the decimal point. */
async function delimiterOf(file: string): Promise<string> {
  const handle = await open(file).catch((error: Error) => {
    throw new ImportFault([`The file cannot be read: ${error.message}.`])
  })
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096)).catch((error: Error) => {
      throw new ImportFault([`The file cannot be read: ${error.message}.`])
    })
    const [header = ''] = buffer.toString('utf8', 0, bytesRead).split(/\r|\n/, 1)
    return [',', ';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ','
  } finally {
    await handle.close()
  }
}

/** Where each column is: -1 for an optional one that is missing. */
function positionsOf<C extends string>(header: string[], columns: CsvColumns<C>): [C, number][] {
  const names = header.map((name) => name.trim().toLowerCase())
  const known: readonly string[] = [...columns.required, ...columns.optional]
  const list = known.join(', ')
  const faults = names.flatMap((name, index) => {
    if (!known.includes(name)) return [`Line 1: there is no column “${name}”; the columns are ${list}.`]
    return names.indexOf(name) === index ? [] : [`Line 1: the column ${name} stands there twice.`]
  })
  for (const name of columns.required) {
    if (!names.includes(name)) faults.push(`Line 1: the column ${name} is missing; the columns are ${list}.`)
  }
  if (faults.length > 0) throw new ImportFault(faults)
  return [...columns.required, ...columns.optional].map((name) => [name, names.indexOf(name)])
}

/** The parser's error as a sentence. */
function asFault(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  const line = typeof error['lines'] === 'number' ? `Line ${error['lines']}: ` : ''
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return new ImportFault([`${line}a field begins with a quote that is never closed.`])
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return new ImportFault([
        `${line}a quote stands inside a field: quote the whole field and double the quotes in it.`,
      ])
    default:
      return new ImportFault([`${line}${error.message}.`])
  }
}

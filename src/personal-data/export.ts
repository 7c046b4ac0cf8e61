/** The export of a person's data: a ZIP file with each part as JSON and as CSV, written while it is sent. */
import { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import { ZipFile } from 'yazl'
import type { DB } from '#db'
import { type PersonalPart, personalRows, type PersonalRow } from '#db/personal'
import { csvOf } from '#lib/csv/print-csv'
import { personalParts } from './all.parts.ts'

/**
 * A ZIP file with all data that the shop stores about a customer. One page of rows is in memory at a time.
 * Destroying the stream stops the export.
 */
export function exportPerson(db: Kysely<DB>, accountId: bigint, now: Date): Readable {
  const zip = new ZipFile()
  const out = zip.outputStream as Readable
  let source: Readable | null = null
  out.once('close', () => source?.destroy())
  const add = (name: string, text: () => AsyncIterable<string>) =>
    zip.addReadStreamLazy(name, { mtime: now }, (opened) => {
      source = Readable.from(text())
      opened(null, source)
    })
  zip.addBuffer(Buffer.from(readMe(accountId, now)), 'README.txt', { mtime: now })
  for (const part of personalParts) {
    add(`json/${part.name}.json`, () => jsonOf(personalRows(db, part, accountId)))
    add(`csv/${part.name}.csv`, () => csvText(db, part, accountId))
  }
  zip.on('error', (error) => out.destroy(error))
  zip.end()
  return out
}

/** The suggested file name. */
export const exportName = (accountId: bigint, now: Date): string =>
  `data-of-account-${accountId}-${now.toISOString().slice(0, 10)}.zip`

/** 64-bit integers are written as strings: they may exceed the exact range of a JSON number. */
const jsonText = (row: PersonalRow) =>
  JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

async function* jsonOf(pages: AsyncIterable<readonly PersonalRow[]>): AsyncGenerator<string> {
  let before = '['
  for await (const rows of pages) {
    yield before + rows.map((row) => `\n${jsonText(row)}`).join(',')
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** The first row determines the columns; a part without rows has none. */
async function* csvText(db: Kysely<DB>, part: PersonalPart, accountId: bigint): AsyncGenerator<string> {
  const pages = personalRows(db, part, accountId)
  const first = await pages.next()
  if (first.done === true) return
  const [row = {}] = first.value
  yield* csvOf(Object.keys(row), withFirst(first.value, pages))
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

const readMe = (accountId: bigint, now: Date) => `Account ${accountId}, ${now.toISOString()}

EN  All that this shop holds about you. Each subject is in json/ and, for a spreadsheet, in csv/; an empty file: there is
    nothing. Times are UTC. Amounts in micro_usd are millionths of a US dollar, traffic is in bytes. Left out are passwords and
    tokens, which nobody can read, the names of the people who work here, and the text of letters, which is not kept.

RU  Всё, что этот магазин хранит о вас. Каждая тема лежит в json/ и, для таблиц, в csv/; пустой файл — ничего нет. Время — по
    UTC. Суммы в micro_usd — миллионные доли доллара США, трафик — в байтах. Не включены пароли и токены, которых никто не
    видит, имена сотрудников и тексты писем: их магазин не хранит.
`

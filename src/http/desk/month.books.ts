/** The books of a month as one ZIP file: each table as CSV and as a workbook, made while it is sent. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZipFile } from 'yazl'
import { monthInput } from '#contract/desk/reports/schemas'
import { monthBooksPath } from '#contract/desk/wire'
import { type BookRow, type BookTable, monthBooks } from '#desk'
import { type Database, transaction } from '#db'
import { csvOf } from '#lib/csv/print-csv'
import { usdText } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { localTime } from '#lib/zone'
import { record } from '#staff'
import { authorOf, type DeskContext, type Member, memberOf } from '#staff/call'
import { parse } from '../input.ts'
import { refuseOtherOrigins } from './origin.ts'
import { type FileLimits, type OpenFiles, paced } from './reader.ts'
import { xlsxOf } from './xlsx.ts'

export interface MonthBooksOptions {
  database: Database
  deskUrl: URL
  zone: string
  limits: FileLimits
  open: OpenFiles
  /** Authorises the request; refuses a member who may not make the call. */
  begin: (request: FastifyRequest, reply: FastifyReply) => Promise<DeskContext>
  /** Whether the member still has the permission, while the file is sent. */
  isStillAllowed: (request: FastifyRequest) => Promise<boolean>
  seesContacts: (member: Member | null) => boolean
}

export function mountMonthBooks(server: FastifyInstance, options: MonthBooksOptions): void {
  server.get(monthBooksPath, {
    // HEAD would read the whole month for nothing.
    exposeHeadRoute: false,
    onRequest: async (request) => refuseOtherOrigins(request, options.deskUrl),
    handler: (request, reply) => sendBooks(request, reply, options),
  })
}

async function sendBooks(request: FastifyRequest, reply: FastifyReply, options: MonthBooksOptions) {
  const { database, limits, open, zone } = options
  const context = await options.begin(request, reply)
  const { month } = parse(monthInput, request.query) as { month: string }
  const now = context.now()
  const books = monthBooks(database.db, { zone, month }, now)
  const leave = open.enter(String(memberOf(context).id))
  const entry = {
    action: 'export',
    subject: { kind: 'list', id: 'month_books' },
    after: { month, format: 'zip' },
  } as const
  await transaction(database.db, (tx) => record(tx, authorOf(context), entry, now)).catch(
    (error: unknown) => {
      leave()
      throw error
    },
  )
  /**
   * The rows as the member may see them. Checks the permission for each page, since the member may lose it
   * while the file is sent.
   */
  async function* pagesOf(table: BookTable) {
    for await (const rows of table.pages()) {
      if (!(await options.isStillAllowed(request))) throw new Refusal('unauthorized')
      yield options.seesContacts(context.member) ? rows : rows.map((row) => withoutContacts(table, row))
    }
  }
  const zip = new ZipFile()
  const out = zip.outputStream as Readable
  let source: Readable | null = null
  const add = (name: string, chunks: () => AsyncIterable<string | Uint8Array>) =>
    zip.addReadStreamLazy(`${month}/${name}`, { mtime: now }, (opened) => {
      source = Readable.from(chunks(), { objectMode: false })
      source.once('error', (error) => out.destroy(error))
      opened(null, source)
    })
  zip.addBuffer(Buffer.from(readMe({ month, zone, ...books })), `${month}/README.txt`, { mtime: now })
  for (const table of books.tables) {
    add(`${table.name}.csv`, () => csvTable(table, zone, pagesOf(table)))
    add(`${table.name}.xlsx`, () =>
      xlsxOf({ name: table.name, columns: table.columns, zone }, pagesOf(table)),
    )
  }
  zip.on('error', (error) => out.destroy(error))
  zip.end()
  const stream = paced(out, limits)
  stream.once('close', () => {
    source?.destroy()
    out.destroy()
    leave()
  })
  return reply
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="books-${month}.zip"`)
    .type('application/zip')
    .send(stream)
}

/** The row without its contact columns, for a member who may not see contacts. */
const withoutContacts = ({ columns }: BookTable, row: BookRow): BookRow => ({
  ...row,
  ...Object.fromEntries(
    columns.flatMap(({ name, isContact }) => (isContact === true && row[name] ? [[name, '…']] : [])),
  ),
})

/** The table as CSV, with the workbook's conventions: sums in USD, times of the zone. */
function csvTable(
  { columns }: BookTable,
  zone: string,
  pages: AsyncIterable<BookRow[]>,
): AsyncGenerator<string> {
  const named = columns.map((column) => ({
    ...column,
    title: column.kind === 'usd' ? column.name.replace(/micros$/, 'usd') : column.name,
  }))
  const shown = (value: string | null | undefined, kind: BookTable['columns'][number]['kind']) => {
    if (value === null || value === undefined) return ''
    if (kind === 'usd') return usdText(BigInt(value), 2)
    return kind === 'time'
      ? localTime(zone, new Date(value)).toISOString().slice(0, 19).replace('T', ' ')
      : value
  }
  async function* rowsOf() {
    for await (const rows of pages)
      yield rows.map((row) =>
        Object.fromEntries(named.map(({ name, title, kind }) => [title, shown(row[name], kind)])),
      )
  }
  return csvOf(
    named.map(({ title }) => title),
    rowsOf(),
  )
}

interface Told {
  month: string
  zone: string
  span: { from: Date; to: Date }
  isOver: boolean
}

const readMe = ({ month, zone, span: { from, to }, isOver }: Told) => `${month}, ${zone}
${from.toISOString()} – ${to.toISOString()}${isOver ? '' : ' (the month is not over / месяц не закончился)'}

EN  Each table is here as CSV and as a workbook. Its last two lines are the sum of its lines (total) and the sum of the ledger,
    which is read another way (ledger); the second one says whether both are equal. Money is in USD, traffic in bytes, times
    are those of the time zone above. Usage counts at the beginning of its UTC hour. Test purchases are in payments only.
    sales     what was bought: usd is real money, referral_usd was paid from referral balances; document is the number of the invoice
    payments  real money at processors by their own number of the payment and at their time; refunds and fees below zero, so the sum is what
              is left at the processors
    (kind dispute: money that a processor has withdrawn until the dispute is decided, and given back)
    fees      what processors kept, as they report it or by the terms that you have set; below zero: given back. Each fee is in
              payments too. Fees that no processor reports and no terms count are not here
    corrections  money of earlier months (month) that was found in this one: add each line to the books of its month
              if they were made before; it is in the payments of that month, not of this one
    found     in other tables: when the money was found, if that was after the end of the month
    refunds   what was given back, with the number of the credit note
    referral  shares that inviters earned, less those taken back, and what they have spent
    traffic   what was used by day and pool, bonus_bytes are a part of bytes
    owed      what customers have and have not used: at the beginning, and what has changed it; the total is the end of the month

RU  Каждая таблица лежит здесь как CSV и как книга XLSX. Две последние строки — сумма строк (total) и сумма по
    бухгалтерской книге, посчитанная другим путём (ledger); вторая говорит, равны ли они. Деньги — в долларах США, трафик —
    в байтах, время — в часовом поясе, указанном выше. Расход учтён по началу часа UTC. Тестовые покупки есть только в payments.
    sales     продажи: usd — реальные деньги, referral_usd — с реферальных балансов; document — номер счёта
    payments  реальные деньги по номерам платёжных систем; возвраты и комиссии — с минусом, поэтому сумма — то, что осталось
              у платёжных систем
    (kind dispute: деньги, которые система удерживает до решения спора, и их возвращение)
    fees      что удержали платёжные системы: по их сообщениям или по заданным вами условиям; с минусом — что вернули. Каждая
              комиссия есть и в payments. Комиссий, о которых система не сообщает и условия которых не заданы, здесь нет
    corrections  деньги прошлых месяцев (month), найденные в этом: добавьте каждую строку в книги её месяца, если они
              уже сданы; она есть в payments того месяца, а не этого
    found     в других таблицах: когда деньги нашлись, если это было после конца месяца
    refunds   возвраты с номером кредит-ноты
    referral  начислено пригласившим за вычетом отозванного и потрачено ими
    traffic   расход по дням и пулам, bonus_bytes — часть bytes
    owed      что клиенты купили или получили и не потратили: на начало и что изменило; total — на конец месяца
`

/**
 * The books of a month for an accountant: tables that are read page by page, each with its sum next to the
 * ledger's sum, which is read in another way.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { buyersOf, numbersOf } from '#documents'
import {
  archivedIn,
  bookedIn,
  type BookedKind,
  bookedSums,
  cashMoves,
  type CashMove,
  cashSum,
  feeSum,
  heldAt,
  lateMoves,
  lateSum,
  type OwedMove,
  moneyOwedAt,
  owedMoves,
  type Span,
  usedDays,
  usedInHours,
} from '#ledger'
import { Refusal } from '#lib/refusal'
import { addDays, dayIn, daysBetween, startOfDay } from '#lib/zone'
import { amount } from '../lists/page.ts'
import { type Known, knownOf } from './money.ts'

type Db = Kysely<DB>
export type BookRow = Record<string, string | null>

/** `usd`: micro-USD in the row. */
export interface BookColumn {
  name: string
  kind: 'text' | 'number' | 'usd' | 'time' | 'day'
  /** Only for those who may see contacts. */
  isContact?: true
}

export interface BookTable {
  name: string
  columns: readonly BookColumn[]
  /** The last page has the sums. */
  pages: () => AsyncGenerator<BookRow[]>
}

export interface MonthBooks {
  span: Span
  /** False: the month is the present one; the books go up to the end of the last full hour. */
  isOver: boolean
  tables: readonly BookTable[]
}

const hourMs = 3_600_000
/** A transaction is dated at its beginning: after this time, none from before is still being posted. */
const postedMs = 60_000

const firstOf = (month: string) => `${month}-01`
/** The first day of the next month: no month has more than 31 days, and none fewer than 28. */
const nextOf = (month: string) => `${addDays(firstOf(month), 31).slice(0, 7)}-01`

/** The part of a month in the zone that is over. Refuses a month that has not begun. */
export function monthSpan(zone: string, month: string, now: Date): { span: Span; isOver: boolean } {
  const [from, end] = [startOfDay(zone, firstOf(month)), startOfDay(zone, nextOf(month))]
  const posted = now.getTime() - postedMs
  const isOver = end.getTime() <= posted
  const to = isOver ? end : new Date(Math.floor(posted / hourMs) * hourMs)
  if (from.getTime() > now.getTime()) throw new Refusal('invalid_field', { field: 'month' })
  return { span: { from, to: to < from ? from : to }, isOver }
}

type Sums = Readonly<Record<string, bigint>>

/** Passes the rows on while summing them; ends with the sum and with the ledger's figure. */
async function* withSums(
  db: Db,
  span: Span,
  pages: AsyncIterable<BookRow[]>,
  { fields, books }: { fields: readonly string[]; books: () => Promise<Sums> },
): AsyncGenerator<BookRow[]> {
  const total: Record<string, bigint> = Object.fromEntries(fields.map((field) => [field, 0n]))
  for await (const rows of pages) {
    for (const row of rows)
      for (const field of fields) total[field] = (total[field] ?? 0n) + BigInt(row[field] ?? 0)
    if (rows.length > 0) yield rows
  }
  yield await footOf(db, span, total, await books())
}

async function footOf(db: Db, span: Span, total: Sums, ledger: Sums): Promise<BookRow[]> {
  const archived = await archivedIn(db, span)
  const isEqual = Object.entries(total).every(([field, value]) => ledger[field] === value)
  const word =
    archived.length > 0
      ? `DIFFERS: ${archived.join(' ')} moved to files`
      : isEqual
        ? 'equal to the total'
        : 'DIFFERS FROM THE TOTAL'
  const shown = (sums: Sums) =>
    Object.fromEntries(Object.entries(sums).map(([field, value]) => [field, amount(value)]))
  return [
    { line: 'total', ...shown(total) },
    { line: `ledger: ${word}`, ...shown(ledger) },
  ]
}

const pageRows = 1000
const text = (name: string): BookColumn => ({ name, kind: 'text' })
const usd = (name: string): BookColumn => ({ name, kind: 'usd' })
const number = (name: string): BookColumn => ({ name, kind: 'number' })

const postingColumns = [
  text('line'),
  { name: 'at', kind: 'time' },
  { name: 'found', kind: 'time' },
  text('document'),
  text('invoice'),
  text('customer'),
  text('customer_name'),
  { ...text('buyer'), isContact: true },
  { ...text('buyer_tax_id'), isContact: true },
  text('campaign'),
  text('promo_code'),
  text('pool'),
  text('method'),
] as const satisfies readonly BookColumn[]

/** The names of orders and documents in the rows. */
async function ordersIn(db: Db, known: readonly Known[], kind: 'invoice' | 'credit_note') {
  const invoices = known.flatMap(({ order }) => (order === null ? [] : [order]))
  const numbers = await numbersOf(
    db,
    invoices.map((order) => order.number),
    kind,
  )
  const buyers = await buyersOf(
    db,
    invoices.map(({ accountId }) => accountId),
  )
  return ({ order, owner }: Known): BookRow => {
    const buyer = order === null ? undefined : buyers.get(order.accountId)
    return {
      document: order === null ? null : (numbers.get(order.number) ?? null),
      invoice: order?.number ?? null,
      customer: owner === null ? null : String(owner.id),
      customer_name: owner?.username ?? null,
      buyer: buyer?.name ?? null,
      buyer_tax_id: buyer?.taxId ?? null,
      campaign: owner?.adminReferralCode ?? null,
      promo_code: order?.promocode ?? null,
    }
  }
}

/** When money of the span was found, if after the span's end: files made before lack it. Null otherwise. */
const foundLater = ({ to }: Span, postedAt: Date) => (postedAt >= to ? postedAt.toISOString() : null)

/** Postings of a kind, the newest first. */
async function* postings(db: Db, span: Span, kind: BookedKind): AsyncGenerator<BookRow[]> {
  let before: bigint | null = null
  for (;;) {
    const booked = await bookedIn(db, { kind, ...span }, { before, limit: pageRows })
    const known = await knownOf(db, booked)
    const named = await ordersIn(db, known, kind === 'refund' ? 'credit_note' : 'invoice')
    yield known.map((one) => ({
      ...named(one),
      line: String(one.booked.id),
      at: one.booked.at.toISOString(),
      found: foundLater(span, one.booked.postedAt),
      pool: one.booked.pool,
      method: one.booked.method ?? 'referral',
      micros: amount(one.booked.micros),
      referral_micros: amount(one.booked.spentMicros),
      bytes: amount(one.booked.bytes),
    }))
    const last = booked.at(-1)
    if (last === undefined || booked.length < pageRows) return
    before = last.id
  }
}

function postingTable(
  db: Db,
  span: Span,
  { name, kind, figures }: { name: string; kind: BookedKind; figures: readonly BookColumn[] },
): BookTable {
  return {
    name,
    columns: [...postingColumns, ...figures],
    pages: () =>
      withSums(db, span, postings(db, span, kind), {
        fields: figures.map((column) => column.name),
        books: async () => {
          const { micros, spentMicros, bytes } = await bookedSums(db, { kind, ...span })
          const all: Sums = { micros, referral_micros: spentMicros, bytes }
          return Object.fromEntries(figures.map((column) => [column.name, all[column.name] ?? 0n]))
        },
      }),
  }
}

/** Real money at processors, in the order in which it was posted. */
async function* payments(
  db: Db,
  span: Span,
  {
    which = () => true,
    read = cashMoves,
  }: { which?: (move: CashMove) => boolean; read?: typeof cashMoves } = {},
): AsyncGenerator<BookRow[]> {
  let after = 0n
  for (;;) {
    const { moves: all, last } = await read(db, span, { after, limit: pageRows })
    const moves = all.filter(which)
    const known = await knownOf(
      db,
      moves.map((move) => ({ ...move, pool: null, spentMicros: 0n, bytes: 0n })),
    )
    yield moves.map(({ id, at, postedAt, kind, reference, method, micros }, index) => ({
      line: String(id),
      at: at.toISOString(),
      found: read === lateMoves ? postedAt.toISOString() : foundLater(span, postedAt),
      kind,
      method,
      payment: reference.startsWith(`${method}:`) ? reference.slice(method.length + 1) : null,
      invoice: known[index]?.order?.number ?? null,
      customer: known[index]?.owner == null ? null : String(known[index]?.owner?.id),
      micros: amount(micros),
    }))
    if (last === null) return
    after = last
  }
}

const paymentColumns = [
  text('line'),
  { name: 'at', kind: 'time' },
  { name: 'found', kind: 'time' },
  text('kind'),
  text('method'),
  text('payment'),
  text('invoice'),
  text('customer'),
  usd('micros'),
] as const satisfies readonly BookColumn[]

const paymentTable = (db: Db, span: Span): BookTable => ({
  name: 'payments',
  columns: paymentColumns,
  pages: () =>
    withSums(db, span, payments(db, span), {
      fields: ['micros'],
      books: async () => ({ micros: await cashSum(db, span) }),
    }),
})

/** Money of earlier months that was found in this month: corrections of books that were made before. */
const correctionTable = (db: Db, zone: string, span: Span): BookTable => ({
  name: 'corrections',
  columns: [...paymentColumns.slice(0, 1), text('month'), ...paymentColumns.slice(1)],
  pages: () => {
    async function* late() {
      for await (const rows of payments(db, span, { read: lateMoves }))
        yield rows.map((row): BookRow => ({
          ...row,
          month: dayIn(zone, new Date(row['at'] ?? '')).slice(0, 7),
        }))
    }
    return withSums(db, span, late(), {
      fields: ['micros'],
      books: async () => ({ micros: await lateSum(db, span) }),
    })
  },
})

/** The fees of processors, as positive amounts; the matching cash is among the payments. */
const feeTable = (db: Db, span: Span): BookTable => ({
  name: 'fees',
  columns: paymentColumns,
  pages: () => {
    async function* fees() {
      for await (const rows of payments(db, span, { which: ({ kind }) => kind === 'processor_fee' }))
        yield rows.map((row): BookRow => ({ ...row, micros: amount(-BigInt(row['micros'] ?? 0)) }))
    }
    return withSums(db, span, fees(), {
      fields: ['micros'],
      books: async () => ({ micros: await feeSum(db, span) }),
    })
  },
})

const trafficTable = (db: Db, zone: string, month: string, span: Span): BookTable => ({
  name: 'traffic',
  columns: [text('line'), { name: 'day', kind: 'day' }, text('pool'), number('bytes'), number('bonus_bytes')],
  pages: () => {
    async function* days() {
      const { days: all, starts } = daysBetween(zone, firstOf(month), addDays(nextOf(month), -1))
      const used = await usedDays(db, { days: all, starts, to: span.to })
      yield used.map(({ day, pool, bytes, bonusBytes }, index) => ({
        line: String(index + 1),
        day,
        pool,
        bytes: amount(bytes),
        bonus_bytes: amount(bonusBytes),
      }))
    }
    return withSums(db, span, days(), {
      fields: ['bytes'],
      books: async () => ({ bytes: await usedInHours(db, span) }),
    })
  },
})

const isOpening = ({ what }: OwedMove) => Number(what !== 'opening')

const owedTable = (db: Db, span: Span): BookTable => ({
  name: 'owed',
  columns: [
    text('line'),
    text('pool'),
    text('reason'),
    number('paid_bytes'),
    number('bonus_bytes'),
    usd('referral_micros'),
    usd('money_micros'),
  ],
  pages: () => {
    async function* moves() {
      const all = (await owedMoves(db, span)).toSorted(
        (a, b) =>
          (a.pool ?? '~').localeCompare(b.pool ?? '~') ||
          isOpening(a) - isOpening(b) ||
          a.what.localeCompare(b.what),
      )
      yield all.map(({ pool, what, paidBytes, bonusBytes, micros, moneyMicros }, index) => ({
        line: String(index + 1),
        pool,
        reason: what,
        paid_bytes: amount(paidBytes),
        bonus_bytes: amount(bonusBytes),
        referral_micros: amount(micros),
        money_micros: amount(moneyMicros),
      }))
    }
    return withSums(db, span, moves(), {
      fields: ['paid_bytes', 'bonus_bytes', 'referral_micros', 'money_micros'],
      books: async () => {
        const [held] = await heldAt(db, [span.to])
        const { paidBytes = 0n, bonusBytes = 0n } = held ?? {}
        return {
          paid_bytes: paidBytes,
          bonus_bytes: bonusBytes,
          referral_micros: await moneyOwedAt(db, span.to, 'referral'),
          money_micros: await moneyOwedAt(db, span.to, 'money'),
        }
      },
    })
  },
})

/** The books of a month (YYYY-MM) of the zone. Refuses a month that has not begun. */
export function monthBooks(db: Db, { zone, month }: { zone: string; month: string }, now: Date): MonthBooks {
  const { span, isOver } = monthSpan(zone, month, now)
  const money = [usd('micros'), usd('referral_micros')]
  return {
    span,
    isOver,
    tables: [
      postingTable(db, span, { name: 'sales', kind: 'purchase', figures: [...money, number('bytes')] }),
      paymentTable(db, span),
      correctionTable(db, zone, span),
      feeTable(db, span),
      postingTable(db, span, { name: 'refunds', kind: 'refund', figures: [...money, number('bytes')] }),
      postingTable(db, span, { name: 'referral', kind: 'shares', figures: money }),
      trafficTable(db, zone, month, span),
      owedTable(db, span),
    ],
  }
}

/** The months from that of a time up to now, the newest first. */
export function monthsSince(zone: string, first: Date, now: Date): string[] {
  const last = dayIn(zone, now).slice(0, 7)
  const months = [dayIn(zone, first).slice(0, 7)]
  for (;;) {
    const [month = last] = months
    if (month >= last) return months
    months.unshift(nextOf(month).slice(0, 7))
  }
}

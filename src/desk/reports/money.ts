/** Sales, refunds and shares, from what was posted to the ledger; and the postings themselves. */
import type { Kysely } from 'kysely'
import type { AccountLine } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { DB } from '#db'
import {
  archivedIn,
  type Booked,
  type BookedDay,
  bookedDays,
  bookedIn,
  type BookedKind,
  bookedSums,
  type Span,
} from '#ledger'
import { type OrderOf, ordersByReference } from '#purchase'
import { payoutAccounts } from '#referral'
import { ownersOf } from '../lists/owners.ts'
import { amount, idAfter, pageOf } from '../lists/page.ts'
import { type Figures, type Reported, Sums } from './figures.ts'
import { isTime, type Period, periodOf, timeOf } from './period.ts'

type Db = Kysely<DB>
type MoneyReport = DeskParsed<'postings'>['report']

const kinds = { sales: 'purchase', refunds: 'refund', referral: 'shares' } as const satisfies Record<
  MoneyReport,
  BookedKind
>

/** A posting with its order and the buyer; for a payout, the customer who got it. */
export interface Known<B extends Booked | BookedDay = Booked> {
  booked: B
  order: OrderOf | null
  owner: AccountLine | null
}

export async function knownOf(db: Db, booked: readonly Booked[]): Promise<Known[]> {
  const orders = await ordersByReference(
    db,
    booked.map(({ reference }) => reference),
  )
  const found = booked.map((one) => orders.get(one.reference) ?? null)
  const paidOut = await payoutAccounts(
    db,
    booked.map(({ reference }) => reference),
  )
  const accounts = booked.map((one, index) => found[index]?.accountId ?? paidOut.get(one.reference) ?? null)
  const owners = await ownersOf(db, accounts)
  return booked.map((one, index) => {
    const account = accounts[index] ?? null
    return {
      booked: one,
      order: found[index] ?? null,
      owner: account === null ? null : (owners.get(account) ?? null),
    }
  })
}

/** A posting, or the sum of a day's postings. */
type Some = Known | Known<BookedDay>

const ofDay = (booked: BookedDay): Known<BookedDay> => ({ booked, order: null, owner: null })

/** What a report divides by, and a list of postings filters by; empty: none. */
const keys = {
  pool: ({ booked }: Some) => booked.pool ?? '',
  method: ({ booked }: Some) => booked.method ?? 'referral',
  campaign: ({ owner }: Some) => owner?.adminReferralCode ?? '',
  promo: ({ order }: Some) => order?.promocode ?? '',
} as const

const figuresOf = ({ booked }: Some): Partial<Figures> => ({
  count: 'count' in booked ? booked.count : 1n,
  micros: booked.micros,
  referral: booked.spentMicros,
  bytes: booked.bytes,
})

/** The number of postings read at once. */
const batch = 5000

/**
 * All postings of a period with their orders, the newest first, in parts: there may be a million. Throws
 * between parts once `closed` has aborted.
 */
async function* allKnown(
  db: Db,
  asked: Span & { kind: BookedKind },
  closed: AbortSignal,
): AsyncGenerator<Known[], undefined> {
  let before: bigint | null = null
  for (;;) {
    closed.throwIfAborted()
    const booked: Booked[] = await bookedIn(db, asked, { before, limit: batch })
    yield await knownOf(db, booked)
    before = booked.at(-1)?.id ?? null
    if (booked.length < batch) return undefined
  }
}

export async function moneyReport(
  db: Db,
  report: MoneyReport,
  by: DeskParsed<'report'>['by'],
  { days, starts, span }: Period,
  closed: AbortSignal,
): Promise<Reported> {
  const kind = kinds[report]
  const sums = new Sums()
  const isOneByOne = by === 'campaign' || by === 'promo'
  if (isOneByOne)
    for await (const some of allKnown(db, { kind, ...span }, closed))
      for (const one of some) sums.add(keys[by](one), figuresOf(one))
  else
    for (const booked of await bookedDays(db, { kind, days, starts })) {
      const some = ofDay(booked)
      const key = isTime(by) ? timeOf(by, booked.day) : by === 'exit' ? '' : keys[by](some)
      sums.add(key, figuresOf(some))
    }
  const { micros, spentMicros: referral, bytes } = await bookedSums(db, { kind, ...span })
  const figures = report === 'referral' ? { micros, referral } : { micros, referral, bytes }
  return {
    rows: sums.rows(isTime(by)),
    total: sums.total(),
    books: { figures, archived: await archivedIn(db, span, isOneByOne ? undefined : starts) },
  }
}

type PostingsRequest = DeskParsed<'postings'>

/** The filter value for rows without a pool, a campaign or a promo code. */
const none = '(none)'

function matcher({ pool, method, campaign, promo }: PostingsRequest): (one: Some) => boolean {
  const wanted = Object.entries({ pool, method, campaign, promo }) as [
    keyof typeof keys,
    string | undefined,
  ][]
  return (one) =>
    wanted.every(
      ([field, value]) => value === undefined || keys[field](one) === (value === none ? '' : value),
    )
}

/** Postings that match, the newest first: as many as fit a page and one more. */
async function matching(
  db: Db,
  period: Period,
  asked: PostingsRequest,
  { limit, closed }: { limit: number; closed: AbortSignal },
): Promise<Known[]> {
  const matches = matcher(asked)
  const isFiltered = [asked.pool, asked.method, asked.campaign, asked.promo].some(
    (value) => value !== undefined,
  )
  const size = isFiltered ? Math.max(limit + 1, batch) : limit + 1
  const found: Known[] = []
  let before = idAfter(asked.after)
  for (;;) {
    closed.throwIfAborted()
    const booked = await bookedIn(db, { kind: kinds[asked.report], ...period.span }, { before, limit: size })
    found.push(...(await knownOf(db, booked)).filter(matches))
    before = booked.at(-1)?.id ?? null
    if (found.length > limit || booked.length < size) return found.slice(0, limit + 1)
  }
}

const empty = {
  at: null,
  kind: null,
  invoice_number: null,
  customer_id: null,
  customer_name: null,
  pool: null,
  method: null,
  campaign: null,
  promo_code: null,
}

/** The sum of all that match, for the first page. */
async function sumOf(
  db: Db,
  { days, starts, span }: Period,
  asked: PostingsRequest,
  closed: AbortSignal,
): Promise<DeskOutput<'postings'>['foot']> {
  const sums = new Sums()
  const kind = kinds[asked.report]
  const add = (some: readonly Some[]) => {
    for (const one of some.filter(matcher(asked))) sums.add('', figuresOf(one))
  }
  if (asked.campaign === undefined && asked.promo === undefined)
    add((await bookedDays(db, { kind, days, starts })).map(ofDay))
  else for await (const some of allKnown(db, { kind, ...span }, closed)) add(some)
  const { count, micros, referral, bytes } = sums.total()
  const figures = { micros: amount(micros), referral_micros: amount(referral), bytes: amount(bytes) }
  return [{ id: 'total', ...empty, kind: amount(count), ...figures }]
}

/** The postings that a figure of a report is the sum of. */
export async function listPostings(
  db: Db,
  zone: string,
  asked: PostingsRequest,
  closed: AbortSignal,
): Promise<DeskOutput<'postings'>> {
  const { limit = 50 } = asked
  const period = periodOf(zone, asked.from, asked.until)
  const rows = await matching(db, period, asked, { limit, closed })
  const page = pageOf(rows, limit, {
    next: ({ booked }) => String(booked.id),
    shown: ({ booked, order, owner }) => ({
      id: String(booked.id),
      at: booked.at.toISOString(),
      kind: booked.kind,
      invoice_number: order?.number ?? null,
      customer_id: owner === null ? null : String(owner.id),
      customer_name: owner?.username ?? null,
      pool: booked.pool,
      method: booked.method,
      campaign: owner?.adminReferralCode ?? null,
      promo_code: order?.promocode ?? null,
      micros: amount(booked.micros),
      referral_micros: amount(booked.spentMicros),
      bytes: amount(booked.bytes),
    }),
  })
  return { ...page, foot: asked.after === undefined ? await sumOf(db, period, asked, closed) : [] }
}

/** Reads the due parts of sellers' accounts and stores the results. */
import type { Kysely, Transaction } from 'kysely'
import type { SellerPart } from '#contract/desk/choices'
import { pools as allPools } from '#contract/wire'
import { type Database, type DB, isDatabaseAway } from '#db'
import { addDays } from '#lib/zone'
import type { Secrets } from '#lib/secret'
import { type OpenAccount, openAccount } from './accounts.ts'
import type { SellerAsked, SellerUsage } from './adapters/adapter.ts'
import { SellerClient, SellerFault, type SellerFaultKind } from './adapters/client.ts'
import { type Claim, claimAccount, ClaimLost, releaseAccount, whileClaimed } from './claim.ts'
import { keepMeter } from './meter.ts'
import { type PlacesDeps, takePlaces } from './places.take.ts'

export interface SellerDeps extends PlacesDeps {
  secrets: Secrets
  /**
   * Addresses of sellers' APIs in place of their own, by the seller's name; requests to them are not paced.
   */
  bases: ReadonlyMap<string, URL>
  /** The timeout of an answer. */
  timeoutMs?: number
}

const minuteMs = 60_000
const everyMs: Readonly<Record<SellerPart, number>> = {
  balance: 5 * minuteMs,
  usage: 60 * minuteMs,
  places: 24 * 60 * minuteMs,
}
const paceMs = 1000
const timeoutMs = 15_000
/** The maximum duration of a reading; after it, an account whose reader was killed is free again. */
const claimMs = 9 * minuteMs
/**
 * After this many consecutive refusals of its credentials an account is no longer read: its seller might lock
 * it.
 */
const mostRefusals = 6
const usageDays = 7

/**
 * The delay before a failed part is read again; null: not automatically. Refused credentials: 10 minutes,
 * doubled each time, and never after the sixth time. Others: 5 minutes, doubled each time up to an hour, and
 * not before the seller says.
 */
export function retryMs(kind: SellerFaultKind, failures: number, retryAfterMs: number | null): number | null {
  const doubled = 2 ** (failures - 1)
  if (kind === 'refused') return failures >= mostRefusals ? null : 10 * minuteMs * doubled
  return Math.max(Math.min(5 * minuteMs * doubled, 60 * minuteMs), retryAfterMs ?? 0)
}

type PartResult = { part: SellerPart; fault: SellerFault | null }

/**
 * Reads the due parts of an account, and stores the answers or the fault. A part that fails keeps its earlier
 * data; refused credentials postpone all parts. 'busy': another process reads the account; 'closed': its
 * credentials do not open, or its seller is not known to this release; 'outdated': staff changed or removed
 * the account meanwhile, so nothing more was stored.
 */
export async function readSellerAccount(
  database: Pick<Database, 'db'>,
  deps: SellerDeps,
  id: bigint,
  now: Date,
): Promise<'busy' | 'closed' | 'outdated' | PartResult[]> {
  const { db } = database
  const account = await openAccount(db, deps.secrets, id)
  if (account === null) return 'closed'
  const claim = await claimAccount(db, account, { now, forMs: claimMs })
  if (claim === null) return 'busy'
  try {
    return await readParts(db, deps, { account, claim }, now)
  } catch (error) {
    if (error instanceof ClaimLost) return 'outdated'
    throw error
  } finally {
    await releaseAccount(db, claim)
  }
}

interface Claimed {
  account: OpenAccount
  claim: Claim
}

async function readParts(
  db: Kysely<DB>,
  deps: SellerDeps,
  { account, claim }: Claimed,
  now: Date,
): Promise<PartResult[]> {
  const due = await db
    .selectFrom('seller_reading')
    .select(['part', 'failures'])
    .where('account_id', '=', account.id)
    .where('due_at', '<=', now)
    .orderBy('part')
    .execute()
  const done: PartResult[] = []
  const own = deps.bases.get(account.adapter.name)
  for (const { part: name, failures } of due) {
    const part = name as SellerPart
    const client = new SellerClient({
      base: own ?? new URL(account.adapter.base),
      credentials: account.credentials,
      hidden: account.adapter.fields
        .filter(({ isSecret }) => isSecret)
        .map(({ key }) => account.credentials[key] ?? ''),
      timeoutMs: deps.timeoutMs ?? timeoutMs,
      paceMs: own === undefined ? paceMs : 0,
    })
    const fault = await readPart(db, deps, { account, claim, part, client }, now).then(
      () => null,
      (error: unknown) => faultOf(error),
    )
    await keepAnswer(db, claim, { part, body: client.answers.join('\n') }, now)
    if (fault !== null) await noteFault(db, claim, { part, fault, failures: failures + 1 }, now)
    done.push({ part, fault })
    if (fault?.kind === 'refused') break
  }
  return done
}

/**
 * The fault of a part that could not be read or stored. An unexpected error is one as well, so that it neither
 * repeats at once nor stops the other accounts; it is the fault's cause, which callers report.
 */
function faultOf(error: unknown): SellerFault {
  if (error instanceof SellerFault) return error
  if (error instanceof ClaimLost || isDatabaseAway(error)) throw error
  return new SellerFault('malformed', 'an unexpected error: the log has it', null, { cause: error })
}

interface PartOf extends Claimed {
  part: SellerPart
  client: SellerClient
}

async function readPart(
  db: Kysely<DB>,
  deps: SellerDeps,
  { account, claim, part, client }: PartOf,
  now: Date,
): Promise<void> {
  const { adapter, id } = account
  const to = now.toISOString().slice(0, 10)
  const pools = account.pools.length === 0 ? allPools : account.pools
  const asked: SellerAsked = { client, pools, from: addDays(to, 1 - usageDays), to }
  if (part === 'balance') {
    const told = await adapter.balance(asked)
    const { leftBytes, leftMicros, usedBytes = null } = told
    requireStorable('balance', [leftBytes, leftMicros, usedBytes], -mostAmount)
    await whileClaimed(db, claim, async (tx) => {
      await tx
        .updateTable('seller_account')
        .set({ left_bytes: leftBytes, left_micros: leftMicros })
        .where('id', '=', id)
        .execute()
      await keepMeter(tx, account, told, now)
      await noteRead(tx, id, part, now)
    })
  } else if (part === 'usage') {
    const told = (await adapter.usage?.(asked)) ?? new Map<string, bigint>()
    requireStorable('usage', [...told.values()], 0n)
    await whileClaimed(db, claim, async (tx) => {
      await keepUsage(tx, account, { told, from: asked.from, to }, now)
      await noteRead(tx, id, part, now)
    })
  } else {
    await takePlaces(db, deps, { claim, places: (await adapter.places?.(asked)) ?? [] }, now)
    await whileClaimed(db, claim, (tx) => noteRead(tx, id, part, now))
  }
}

/**
 * More bytes or micro-USD than any account has; sums and differences of such amounts still fit into `bigint`.
 */
const mostAmount = 10n ** 18n

/** Throws the fault of an answer with amounts that the tables refuse. */
function requireStorable(part: SellerPart, amounts: readonly (bigint | null)[], least: bigint): void {
  const strange = amounts.find((amount) => amount !== null && (amount < least || amount > mostAmount))
  if (strange !== undefined) throw new SellerFault('malformed', `${part}: ${strange} is no possible amount`)
}

/**
 * Stores a seller's daily usage. A missing day of the period counts as zero usage, which reveals a seller
 * that omits a day with traffic. Days before the account was added are skipped, and earlier reports of a day
 * are kept.
 */
async function keepUsage(
  tx: Transaction<DB>,
  { id, adapter, createdAt }: OpenAccount,
  { told, from, to }: { told: SellerUsage; from: string; to: string },
  now: Date,
): Promise<void> {
  const rowOf = (day: string, bytes: bigint) => ({ account_id: id, day, bytes, told_at: now })
  const days = [...told].map(([day, bytes]) => rowOf(day, bytes))
  if (days.length > 0)
    await tx
      .insertInto('seller_usage')
      .values(days)
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day']).doUpdateSet(({ ref }) => ({
          bytes: ref('excluded.bytes'),
          told_at: ref('excluded.told_at'),
        })),
      )
      .execute()
  if (adapter.tellsTodayOnly === true) return
  const known = createdAt.toISOString().slice(0, 10)
  const without = []
  for (let day = from; day <= to; day = addDays(day, 1))
    if (day > known && !told.has(day)) without.push(rowOf(day, 0n))
  if (without.length > 0)
    await tx
      .insertInto('seller_usage')
      .values(without)
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'day'])
          .doUpdateSet(({ ref }) => ({ told_at: ref('excluded.told_at') }))
          .where('seller_usage.bytes', '=', 0n),
      )
      .execute()
}

async function noteRead(tx: Transaction<DB>, accountId: bigint, part: SellerPart, now: Date): Promise<void> {
  await tx
    .updateTable('seller_reading')
    .set({
      read_at: now,
      due_at: new Date(now.getTime() + everyMs[part]),
      failures: 0,
      fault_kind: null,
      fault: null,
      fault_at: null,
    })
    .where('account_id', '=', accountId)
    .where('part', '=', part)
    .execute()
}

const longestFault = 500

async function noteFault(
  db: Kysely<DB>,
  claim: Claim,
  { part, fault, failures }: { part: SellerPart; fault: SellerFault; failures: number },
  now: Date,
): Promise<void> {
  const { accountId } = claim
  const wait = retryMs(fault.kind, failures, fault.retryAfterMs)
  const dueAt = wait === null ? null : new Date(now.getTime() + wait)
  await whileClaimed(db, claim, async (tx) => {
    await tx
      .updateTable('seller_reading')
      .set({
        due_at: dueAt,
        failures,
        fault_kind: fault.kind,
        fault: fault.message.slice(0, longestFault),
        fault_at: now,
      })
      .where('account_id', '=', accountId)
      .where('part', '=', part)
      .execute()
    if (fault.kind === 'refused')
      await tx
        .updateTable('seller_reading')
        .set({ due_at: dueAt, failures })
        .where('account_id', '=', accountId)
        .where('part', '<>', part)
        .execute()
  })
}

const mostKept = 1_000_000
const keptDays = 400

/** Stores the answers of a part: the last of each UTC day; for places only the latest. */
async function keepAnswer(
  db: Kysely<DB>,
  claim: Claim,
  { part, body }: { part: SellerPart; body: string },
  now: Date,
): Promise<void> {
  if (body === '') return
  const { accountId } = claim
  const day = now.toISOString().slice(0, 10)
  // PostgreSQL does not accept NUL in text.
  const kept = body.replaceAll('\0', '\u{fffd}').slice(0, mostKept)
  await whileClaimed(db, claim, async (tx) => {
    await tx
      .insertInto('seller_answer')
      .values({ account_id: accountId, part, day, at: now, body: kept })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'part', 'day'])
          .doUpdateSet(({ ref }) => ({ at: ref('excluded.at'), body: ref('excluded.body') })),
      )
      .execute()
    const first = part === 'places' ? day : addDays(day, -keptDays)
    await tx
      .deleteFrom('seller_answer')
      .where('account_id', '=', accountId)
      .where('part', '=', part)
      .where('day', '<', first)
      .execute()
  })
}

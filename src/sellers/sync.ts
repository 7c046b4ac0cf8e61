/** Reads the due parts of sellers' accounts and stores the results. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { SellerPart } from '#contract/desk/choices'
import { pools as allPools } from '#contract/wire'
import { type Database, type DB, transaction } from '#db'
import { addDays } from '#lib/zone'
import type { Secrets } from '#lib/secret'
import { type OpenAccount, openAccount } from './accounts.ts'
import type { SellerAsked, SellerPlace, SellerUsage } from './adapters/adapter.ts'
import { SellerClient, SellerFault, type SellerFaultKind } from './adapters/client.ts'
import { keepMeter } from './meter.ts'
import { hasShrunk, listOf, type PlaceList } from './places.ts'

export interface SellerDeps {
  secrets: Secrets
  /**
   * Addresses of sellers' APIs in place of their own, by the seller's name; requests to them are not paced.
   */
  bases: ReadonlyMap<string, URL>
  /** Replaces the account's list of places in the inventory atomically. */
  applyPlaces: (accountId: bigint, csv: string, now: Date) => Promise<void>
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

/** The accounts with a due part. */
export async function dueSellerAccounts(db: Kysely<DB>, now: Date): Promise<bigint[]> {
  const rows = await db
    .selectFrom('seller_reading')
    .select('account_id')
    .distinct()
    .where('due_at', '<=', now)
    .orderBy('account_id')
    .execute()
  return rows.map((row) => row.account_id)
}

type PartResult = { part: SellerPart; fault: SellerFault | null }

/**
 * Reads the due parts of an account, and stores the answers or the fault. A part that fails keeps its earlier
 * data; refused credentials postpone all parts. 'busy': another process reads the account; 'closed': its
 * credentials do not open, or its seller is not known to this release.
 */
export async function readSellerAccount(
  database: Pick<Database, 'db'>,
  deps: SellerDeps,
  id: bigint,
  now: Date,
): Promise<'busy' | 'closed' | PartResult[]> {
  const { db } = database
  const account = await openAccount(db, deps.secrets, id)
  if (account === null) return 'closed'
  const claimed = await sql`
    update seller_account set claimed_until = ${new Date(now.getTime() + claimMs)}
    where id = ${id} and (claimed_until is null or claimed_until <= ${now})`.execute(db)
  if (claimed.numAffectedRows !== 1n) return 'busy'
  try {
    return await readParts(db, deps, account, now)
  } finally {
    await db.updateTable('seller_account').set({ claimed_until: null }).where('id', '=', id).execute()
  }
}

async function readParts(
  db: Kysely<DB>,
  deps: SellerDeps,
  account: OpenAccount,
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
    const fault = await readPart(db, deps, { account, part, client }, now).then(
      () => null,
      (error: unknown) => {
        if (error instanceof SellerFault) return error
        throw error
      },
    )
    await keepAnswer(db, { accountId: account.id, part, body: client.answers.join('\n') }, now)
    if (fault !== null)
      await noteFault(db, { accountId: account.id, part, fault, failures: failures + 1 }, now)
    done.push({ part, fault })
    if (fault?.kind === 'refused') break
  }
  return done
}

interface PartOf {
  account: OpenAccount
  part: SellerPart
  client: SellerClient
}

async function readPart(
  db: Kysely<DB>,
  deps: SellerDeps,
  { account, part, client }: PartOf,
  now: Date,
): Promise<void> {
  const { adapter, id } = account
  const to = now.toISOString().slice(0, 10)
  const pools = account.pools.length === 0 ? allPools : account.pools
  const asked: SellerAsked = { client, pools, from: addDays(to, 1 - usageDays), to }
  if (part === 'balance') {
    const told = await adapter.balance(asked)
    const { leftBytes, leftMicros } = told
    await transaction(db, async (tx) => {
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
    await transaction(db, async (tx) => {
      await keepUsage(tx, account, { told, from: asked.from, to }, now)
      await noteRead(tx, id, part, now)
    })
  } else await takePlaces(db, deps, id, (await adapter.places?.(asked)) ?? [], now)
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

/** Imports a list, unless it is unchanged, or has shrunk so much that staff must decide. */
async function takePlaces(
  db: Kysely<DB>,
  deps: SellerDeps,
  id: bigint,
  places: readonly SellerPlace[],
  now: Date,
): Promise<void> {
  const list = listOf(places)
  if (list.rows === 0n) throw new SellerFault('malformed', 'the list of places is empty')
  const known = await db.selectFrom('seller_account').selectAll().where('id', '=', id).executeTakeFirst()
  const isSame = (other: Buffer | null | undefined) => other != null && list.sha256.equals(other)
  const [rows, addresses] = [known?.places_rows ?? null, known?.places_addresses ?? null]
  const isLess = rows !== null && addresses !== null && hasShrunk({ rows, addresses }, list)
  if (isSame(known?.places_sha256) || !isLess) {
    if (!isSame(known?.places_sha256)) await deps.applyPlaces(id, list.csv, now)
    await transaction(db, async (tx) => {
      await keepPlaces(tx, id, list)
      await noteRead(tx, id, 'places', now)
    })
    return
  }
  await transaction(db, async (tx) => {
    if (!isSame(known?.places_kept_sha256))
      await tx
        .insertInto('seller_places_asked')
        .values({ account_id: id, ...list, asked_at: now })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet(({ ref }) => ({
            csv: ref('excluded.csv'),
            sha256: ref('excluded.sha256'),
            rows: ref('excluded.rows'),
            addresses: ref('excluded.addresses'),
          })),
        )
        .execute()
    await noteRead(tx, id, 'places', now)
  })
}

/** Makes the list the account's, and clears the pending decision. */
async function keepPlaces(tx: Transaction<DB>, id: bigint, list: Omit<PlaceList, 'csv'>): Promise<void> {
  await tx
    .updateTable('seller_account')
    .set({
      places_sha256: list.sha256,
      places_rows: list.rows,
      places_addresses: list.addresses,
      places_kept_sha256: null,
    })
    .where('id', '=', id)
    .execute()
  await tx.deleteFrom('seller_places_asked').where('account_id', '=', id).execute()
}

export type PlacesDecision = 'accept' | 'keep'

/**
 * Accepts the pending list, or keeps the current one and dismisses it. False: no list is pending for this
 * account.
 */
export async function decidePlaces(
  db: Kysely<DB>,
  deps: Pick<SellerDeps, 'applyPlaces'>,
  { id, decision }: { id: bigint; decision: PlacesDecision },
  now: Date,
): Promise<boolean> {
  const asked = await db
    .selectFrom('seller_places_asked')
    .selectAll()
    .where('account_id', '=', id)
    .executeTakeFirst()
  if (asked === undefined) return false
  if (decision === 'accept') await deps.applyPlaces(id, asked.csv, now)
  await transaction(db, async (tx) => {
    if (decision === 'accept') return keepPlaces(tx, id, asked)
    await tx
      .updateTable('seller_account')
      .set({ places_kept_sha256: asked.sha256 })
      .where('id', '=', id)
      .execute()
    await tx.deleteFrom('seller_places_asked').where('account_id', '=', id).execute()
  })
  return true
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
  failed: { accountId: bigint; part: SellerPart; fault: SellerFault; failures: number },
  now: Date,
): Promise<void> {
  const { accountId, part, fault, failures } = failed
  const wait = retryMs(fault.kind, failures, fault.retryAfterMs)
  const dueAt = wait === null ? null : new Date(now.getTime() + wait)
  await transaction(db, async (tx) => {
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
  { accountId, part, body }: { accountId: bigint; part: SellerPart; body: string },
  now: Date,
): Promise<void> {
  if (body === '') return
  const day = now.toISOString().slice(0, 10)
  // PostgreSQL does not accept NUL in text.
  const kept = body.replaceAll('\0', '\u{fffd}').slice(0, mostKept)
  await transaction(db, async (tx) => {
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

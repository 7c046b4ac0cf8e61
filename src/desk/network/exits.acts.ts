/** What staff do to exits, each recorded; the command line does it by the same functions. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import {
  addCost,
  addExit,
  changeExit,
  type ChainedExit,
  costHistory,
  type CostTerms,
  type DirectExit,
  type ExitChange,
  type KnownExit,
  listStocks,
  lockExit,
  removeExit,
  setStock,
  showExits,
  termsOn,
} from '#exits'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { type Author, record } from '#staff'

type Db = Kysely<DB>

interface By {
  secrets: Secrets
  author: Author
}

/** Fields of an exit whose values the trail does not hold. */
const secretFields = new Set(['password'])

const visible = (change: object) =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, secretFields.has(name) ? '…' : (value as unknown)]),
  )

const subjectOf = (id: bigint) => ({ kind: 'exit', id: String(id) }) as const

/** The fields of an added or removed exit that the audit trail stores. */
const traced = (exit: KnownExit) => ({
  pool: exit.pool,
  name: exit.name,
  kind: exit.kind,
  host: exit.host,
  port: exit.port,
  preset: exit.preset,
  options: exit.options,
  username: exit.username,
  has_password: exit.hasPassword,
  weight: exit.weight,
  enabled: exit.enabled,
  places: exit.places,
})

async function known(db: Db, secrets: Secrets, id: bigint): Promise<KnownExit> {
  const exit = (await showExits(db, secrets)).find((each) => each.id === id)
  if (exit === undefined) throw new Refusal('exit_not_found')
  return exit
}

/** Turns a violation of the unique pair of pool and name into `exit_name_taken`. */
function nameTaken(error: unknown): never {
  if ((error as { code?: string }).code === '23505') throw new Refusal('exit_name_taken')
  throw error
}

/**
 * Adds an exit and records it, without its password; returns its number. Refuses as `addExit` does, and with
 * `exit_name_taken` when the pool has one of this name.
 */
export function createExit(
  db: Db,
  { secrets, author }: By,
  exit: DirectExit | ChainedExit,
  { enabled = true, reason = null }: { enabled?: boolean; reason?: string | null },
  now: Date,
): Promise<bigint> {
  return transaction(db, async (tx) => {
    const id = await addExit(tx, secrets, exit).catch(nameTaken)
    if (!enabled) await changeExit(tx, secrets, id, { enabled })
    const after = traced(await known(tx, secrets, id))
    await record(tx, author, { action: 'add_exit', subject: subjectOf(id), after, reason }, now)
    return id
  })
}

/** Removes an exit with its login and places for good, and records it. Refuses with `exit_not_found`. */
export function dropExit(
  db: Db,
  { secrets, author }: By,
  { exitId, reason = null }: { exitId: bigint; reason?: string | null },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const before = traced(await known(tx, secrets, exitId))
    if (!(await removeExit(tx, exitId, now))) throw new Refusal('exit_not_found')
    await record(tx, author, { action: 'remove_exit', subject: subjectOf(exitId), before, reason }, now)
  })
}

/** Changes an exit and records what was changed, without its password. Refuses with `exit_not_found`. */
export function setExit(
  db: Db,
  { secrets, author }: By,
  { exitId, change, reason }: { exitId: bigint; change: ExitChange; reason?: string | undefined },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const exit = await known(tx, secrets, exitId)
    if (!(await changeExit(tx, secrets, exitId, change))) throw new Refusal('exit_not_found')
    const before = Object.fromEntries(
      Object.keys(change).flatMap((name) => (name in exit ? [[name, exit[name as keyof KnownExit]]] : [])),
    )
    const entry = { action: 'set_exit', subject: subjectOf(exitId), before: visible(before) }
    await record(tx, author, { ...entry, after: visible(change), reason: reason ?? null }, now)
  })
}

const tracedCost = (terms: CostTerms | null) =>
  terms && {
    from: terms.fromDay,
    currency: terms.currency ?? 'USD',
    per_gb_micros: terms.perGbMicros,
    month_micros: terms.monthMicros,
    gb_bytes: terms.gbBytes,
    rounding: terms.rounding,
    counts: terms.counts ?? 'both',
    counts_failed: terms.countsFailed ?? true,
  }

/**
 * Sets what an exit costs from a UTC day on, and records it beside the cost that was in force on that day. A
 * past day corrects the margin since then. Refuses with `exit_not_found`.
 */
export function setExitCost(
  db: Db,
  author: Author,
  { exitId, terms, reason = null }: { exitId: bigint; terms: CostTerms; reason?: string | null },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    if (!(await lockExit(tx, exitId))) throw new Refusal('exit_not_found')
    const before = tracedCost(termsOn(await costHistory(tx, exitId), terms.fromDay))
    await addCost(tx, exitId, terms, now)
    const entry = { action: 'set_exit_cost', subject: subjectOf(exitId), before, after: tracedCost(terms) }
    await record(tx, author, { ...entry, reason }, now)
  })
}

/**
 * Notes how much of its seller's traffic an exit has left at a time, and records it beside what was noted
 * before. Refuses with `exit_not_found`.
 */
export function setExitStock(
  db: Db,
  author: Author,
  {
    exitId,
    at,
    leftBytes,
    reason = null,
  }: { exitId: bigint; at: Date; leftBytes: bigint; reason?: string | null },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    if (!(await lockExit(tx, exitId))) throw new Refusal('exit_not_found')
    const known = (await listStocks(tx)).find((stock) => stock.exitId === exitId)
    const before = known === undefined ? null : { at: known.at.toISOString(), left_bytes: known.leftBytes }
    await setStock(tx, { exitId, at, leftBytes }, now)
    const after = { at: at.toISOString(), left_bytes: leftBytes }
    await record(
      tx,
      author,
      { action: 'set_exit_stock', subject: subjectOf(exitId), before, after, reason },
      now,
    )
  })
}

import type { Kysely } from 'kysely'
import type { DB, Database } from '#db'
import type {
  Feed,
  FeedAccount,
  FeedEvent,
  FeedExit,
  FeedLimits,
  FeedNamed,
  FeedPlaces,
  FeedSlot,
  FeedTargeting,
  FeedUnknown,
  PortKind,
  RecordBatch,
  Report,
} from '#feed'
import { feedChannel, readAnnouncement } from '#feed/announcement'
import { limitsOf, type PoolLimits } from '#limits'
import { Batcher } from './batch.ts'
import { notePresence } from './gateways.ts'
import { lease, recover } from './lease.ts'
import { EarlyReports, MalformedReport, checkReport } from './lines.ts'
import { dropPermits, permits } from './permits.ts'
import { Acknowledged, heartbeat, type SetBack } from './set.back.ts'
import { settle } from './settle.ts'

/** What the feed needs of other slices. */
export interface FeedDeps {
  /** The subuser with this login in this pool, of any account; null when there is none. */
  findSubuser: (db: Kysely<DB>, key: { login: string; pool: string }) => Promise<FeedSubuser | null>
  /** The places stored under `set` for this login, or null. */
  savedTargeting: (db: Kysely<DB>, key: { login: string; id: string }) => Promise<FeedPlaces | null>
  /** The subuser that this client address stands for at such a port of this pool, or null. */
  whitelistedSubuser: (
    db: Kysely<DB>,
    key: { pool: string; address: string; port: PortKind },
  ) => Promise<FeedSubuser | null>
  /** The addresses on the whitelists of the subuser's customer that a connection would prove. */
  addressesToProve: (db: Kysely<DB>, subuserId: bigint) => Promise<string[]>
  /** A connection with the subuser's password came from this address. */
  proveAddress: (db: Kysely<DB>, proof: { subuserId: bigint; address: string }) => Promise<void>
  /** What this slot port stands for to the subuser, or null. */
  savedSlot: (db: Kysely<DB>, key: { subuserId: bigint; slot: number }) => Promise<FeedSlot | null>
  /** The states or cities that are called so. */
  placesNamed: (db: Kysely<DB>, key: FeedNamed) => Promise<string[]>
  /** Named places that no inventory has, as far as one speaks about them. */
  strangePlaces: (db: Kysely<DB>, key: FeedTargeting) => Promise<FeedUnknown[]>
  /** Keeps records of requests. */
  keepRequests: (db: Kysely<DB>, batch: RecordBatch, now: Date) => Promise<void>
  /** All enabled exits. */
  listExits: (db: Kysely<DB>) => Promise<FeedExit[]>
  /** Told when the database has lost reports that it had acknowledged. */
  onSetBack?: (setBack: SetBack) => void
  /** The gateways go by the clock of this machine, which may be wrong: what they tell of their time is put right. */
  isOfThisMachine?: boolean
  /** How far settlements of what only charges are apart, milliseconds; without it a quarter of a second. */
  settleEveryMs?: number
}

interface FeedSubuser {
  id: bigint
  accountId: bigint
  login: string
  pool: string
  passwordSha256: Uint8Array
  blocked: boolean
}

async function accountOf(db: Kysely<DB>, finding: Promise<FeedSubuser | null>): Promise<FeedAccount | null> {
  const subuser = await finding
  if (subuser === null) return null
  const { id, accountId: owner, login, pool, passwordSha256, blocked } = subuser
  const password_sha256 = Buffer.from(passwordSha256).toString('hex')
  const limits = feedLimits(await limitsOf(db, id))
  return { subuser: id, owner, login, pool, password_sha256, blocked, limits }
}

/** With the addresses that a connection with the account's password proves. */
async function accountToProve(
  db: Kysely<DB>,
  deps: Pick<FeedDeps, 'findSubuser' | 'addressesToProve'>,
  key: { login: string; pool: string },
): Promise<FeedAccount | null> {
  const account = await accountOf(db, deps.findSubuser(db, key))
  if (account === null) return null
  const toProve = await deps.addressesToProve(db, account.subuser)
  return toProve.length === 0 ? account : { ...account, to_prove: toProve }
}

function feedLimits(limits: PoolLimits | null): FeedLimits | null {
  if (limits === null) return null
  const { connections, allowedHosts, deniedHosts, dataSaver } = limits
  return { connections, allowed_hosts: allowedHosts, denied_hosts: deniedHosts, data_saver: dataSaver }
}

/**
 * Whether a fault comes from what was to be written, and not from a database that is away or busy: SQLSTATE classes 21
 * to 23 (cardinality, data, integrity), 42 and P0, or a number out of its range.
 */
function isOfData(fault: unknown): boolean {
  const { code } = fault as { code?: unknown }
  if (typeof code === 'string' && code.length === 5) return /^(?:21|22|23|42|P0)/.test(code)
  return fault instanceof RangeError || fault instanceof TypeError
}

/** The reports without which the others of a settlement can be settled. */
function blamed(fault: unknown): readonly Report[] {
  if (fault instanceof EarlyReports) return fault.reports
  return fault instanceof MalformedReport ? [fault.report] : []
}

/** The nearest minute: a clock that is right within seconds must not move what was counted into another one. */
const minuteOf = (atMs: number) => Math.round(atMs / 60_000) * 60_000

/** A feed over the database, which ends with its owner. */
export interface TrafficFeed extends Feed {
  /** Settles what has arrived, then stops listening. */
  close(): Promise<void>
}

/** Settled together at most: a transaction of this size takes some tenths of a second. */
const mostReportsAtOnce = 256
/**
 * A gateway reports twenty times a second, and every settlement is a permanent transaction of the ledger. A report that
 * only charges can wait: the balance less what is leased stays the same. One that gives a lease back is settled at once,
 * because another gateway may need those bytes.
 */
const settleEveryMs = 250

/** Settles reports, those that arrive meanwhile together, and notes them. */
function settlements(db: Kysely<DB>, acknowledged: Acknowledged, everyMs = settleEveryMs): Batcher<Report> {
  return new Batcher<Report>({
    work: async (batch) => {
      await settle(db, batch)
      for (const report of batch) acknowledged.add(report)
    },
    culprits: blamed,
    mayBeOne: isOfData,
    most: mostReportsAtOnce,
    everyMs,
    isUrgent: (report) => report.lines.some((line) => line.close),
  })
}

/**
 * The gateway's feed over the database: one per process that serves gateways. Reports that arrive while others are
 * being settled are settled together in one transaction. Resolves when announcements are being listened to.
 */
export async function createFeed(
  database: Pick<Database, 'db' | 'listen' | 'clock'>,
  deps: FeedDeps,
): Promise<TrafficFeed> {
  const { db, clock } = database
  const timeOf =
    deps.isOfThisMachine === true ? (atMs: number) => atMs - clock.aheadMs : (atMs: number) => atMs
  /** When something happened, by the database's clock: never in the future. */
  const byDatabase = (atMs: number) => Math.min(timeOf(atMs), clock.now().getTime())
  const listeners = new Set<(event: FeedEvent) => void>()
  const tell = (event: FeedEvent) => {
    for (const listener of listeners) listener(event)
  }
  const acknowledged = new Acknowledged()
  const reports = settlements(db, acknowledged, deps.settleEveryMs)
  const unlisten = await database.listen(feedChannel, (payload) => tell(readAnnouncement(payload)), {
    onGap: () => tell({ type: 'reset' }),
  })
  const look = async (gateway: Parameters<Feed['heartbeat']>[0]) => {
    const setBack = await heartbeat(db, acknowledged, gateway)
    if (setBack !== null) deps.onSetBack?.(setBack)
  }
  return {
    async hello(gateway) {
      await look(gateway)
      await recover(db, gateway)
      await dropPermits(db, gateway)
    },
    account: (key) => accountToProve(db, deps, key),
    whitelisted: (key) => accountOf(db, deps.whitelistedSubuser(db, key)),
    async prove(proofs) {
      for (const { subuser, address } of proofs) await deps.proveAddress(db, { subuserId: subuser, address })
    },
    slot: ({ subuser, slot }) => deps.savedSlot(db, { subuserId: subuser, slot }),
    named: (key) => deps.placesNamed(db, key),
    unknown: (key) => deps.strangePlaces(db, key),
    record: ({ records, unkept }) =>
      deps.keepRequests(
        db,
        {
          records: records.map((record) => ({ ...record, at_ms: byDatabase(record.at_ms) })),
          unkept: unkept.map((one) => ({ ...one, minute_ms: minuteOf(byDatabase(one.minute_ms)) })),
        },
        clock.now(),
      ),
    places: ({ login, set }) => deps.savedTargeting(db, { login, id: set }),
    exits: () => deps.listExits(db),
    permits: (gateway, request) => permits(db, gateway, request),
    lease: (gateway, request) => lease(db, gateway, request),
    async report(report) {
      checkReport(report)
      await reports.add({ ...report, at_ms: byDatabase(report.at_ms) })
    },
    heartbeat: look,
    present: (told) => notePresence(db, told),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      await reports.idle()
      listeners.clear()
      await unlisten()
    },
  }
}

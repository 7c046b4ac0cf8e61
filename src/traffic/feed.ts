import type { Kysely } from 'kysely'
import type { DB, Database } from '#db'
import { noteAnswers, notePlaces } from '#exits'
import {
  type Feed,
  type FeedEvent,
  type FeedExit,
  type FeedNamed,
  type FeedPlaces,
  type FeedSlot,
  type FeedTargeting,
  type FeedUnknown,
  type RecordBatch,
  type Report,
  ReportRefused,
} from '#feed'
import { feedChannel, readAnnouncement } from '#feed/announcement'
import { noteOpen } from './activity.ts'
import { Batcher } from './batch.ts'
import { accountAt, type AccountDeps, accountsOfUsers, accountToProve } from './gateways/accounts.ts'
import { notePresence } from './gateways/gateways.ts'
import { lease, recover } from './lease.ts'
import { EarlyReports, MalformedReport, checkReport } from './lines.ts'
import { dropPermits, permits } from './permits.ts'
import { leaseUsers } from './user.leases.ts'
import { Acknowledged, heartbeat, type SetBack } from './set.back.ts'
import { noteSessions } from './gateways/sessions.live.ts'
import { settle } from './settle.ts'

/** The functions of other slices that the feed uses. */
export interface FeedDeps extends AccountDeps {
  /** The places stored under `set` for this login, or null. */
  savedTargeting: (db: Kysely<DB>, key: { login: string; id: string }) => Promise<FeedPlaces | null>
  /** Called when a connection with the access's password came from this address. */
  proveAddress: (db: Kysely<DB>, proof: { accessId: bigint; address: string }) => Promise<void>
  /** The access's settings of this slot port, or null. */
  savedSlot: (db: Kysely<DB>, key: { accessId: bigint; slot: number }) => Promise<FeedSlot | null>
  /** The ids of the states or cities with this name. */
  placesNamed: (db: Kysely<DB>, key: FeedNamed) => Promise<string[]>
  /** The named places that do not exist, as far as an inventory covers them. */
  strangePlaces: (db: Kysely<DB>, key: FeedTargeting) => Promise<FeedUnknown[]>
  /** Stores records of connections; `timeOf` corrects a time of a gateway's clock, in epoch milliseconds. */
  keepRequests: (
    db: Kysely<DB>,
    batch: RecordBatch,
    times: { now: Date; timeOf: (atMs: number) => number },
  ) => Promise<void>
  /** All enabled exits. */
  listExits: (db: Kysely<DB>) => Promise<FeedExit[]>
  /** Called when the database has lost reports that had been acknowledged. */
  onSetBack?: (setBack: SetBack) => void
  /**
   * Called with a report, or records, that are refused for ever: only a faulty or a stolen gateway sends
   * such.
   */
  onRefused?: (fault: ReportRefused, gateway: string) => void
  /**
   * The gateways run on this machine, whose clock may be wrong: their times are corrected by the database's
   * clock.
   */
  isOfThisMachine?: boolean
  /** The least time between settlements of reports that only charge, milliseconds (250). */
  settleEveryMs?: number
  /** The time zone of the days and months of proxy users' limits (UTC). */
  zone?: string
}

/**
 * Whether an error is caused by the data to be written, and not by a database that is unavailable or busy:
 * SQLSTATE classes 21 to 23 (cardinality, data, integrity), 42 and P0, or a number out of range.
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

/**
 * Rounds to the nearest minute, so that a correction by some seconds does not move counts into another
 * minute.
 */
const minuteOf = (atMs: number) => Math.round(atMs / 60_000) * 60_000

/** A feed over the database, which its owner closes. */
export interface TrafficFeed extends Feed {
  /** Settles the reports that have arrived, then stops listening. */
  close(): Promise<void>
}

/** The largest batch: a transaction of this size takes some tenths of a second. */
const mostReportsAtOnce = 256
/**
 * The least time between two settlements. A gateway reports twenty times a second. A report that only charges
 * can wait, because it does not change the balance less the leased bytes. One that gives a lease back is
 * settled at once, because another gateway may need those bytes.
 */
const settleEveryMs = 250

/** Settles reports in batches and records them as acknowledged. */
function settlements(
  db: Kysely<DB>,
  acknowledged: Acknowledged,
  { settleEveryMs: everyMs = settleEveryMs, zone }: Pick<FeedDeps, 'settleEveryMs' | 'zone'>,
): Batcher<Report> {
  return new Batcher<Report>({
    work: async (batch) => {
      await settle(db, batch, zone)
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
 * Waits for a gateway's request. A refused report goes to the gateway's dead letters; `onRefused` informs the
 * operator of this server.
 */
const refusalTeller =
  ({ onRefused }: Pick<FeedDeps, 'onRefused'>) =>
  async <T>(gateway: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ReportRefused) onRefused?.(error, gateway)
      throw error
    }
  }

/**
 * The gateways' feed over the database: one per process that serves gateways. Reports that arrive while
 * others are being settled are settled together in one transaction. Resolves when it receives announcements.
 */
export async function createFeed(
  database: Pick<Database, 'db' | 'listen' | 'clock'>,
  deps: FeedDeps,
): Promise<TrafficFeed> {
  const { db, clock } = database
  const timeOf =
    deps.isOfThisMachine === true ? (atMs: number) => atMs - clock.aheadMs : (atMs: number) => atMs
  /** The time of an event by the database's clock, never in the future. */
  const byDatabase = (atMs: number) => Math.min(timeOf(atMs), clock.now().getTime())
  const listeners = new Set<(event: FeedEvent) => void>()
  const tell = (event: FeedEvent) => {
    for (const listener of listeners) listener(event)
  }
  const acknowledged = new Acknowledged()
  const reports = settlements(db, acknowledged, deps)
  const telling = refusalTeller(deps)
  const unlisten = await database.listen(feedChannel, (payload) => tell(readAnnouncement(payload)), {
    onGap: () => tell({ type: 'reset' }),
  })
  const look = async (gateway: Parameters<Feed['heartbeat']>[0]) => {
    const setBack = await heartbeat(db, acknowledged, gateway)
    if (setBack !== null) deps.onSetBack?.(setBack)
    const { exits = [], places, open = [] } = gateway.live ?? {}
    if (exits.length > 0) await noteAnswers(db, exits, clock.now())
    if (places !== undefined) await notePlaces(db, places, clock.now())
    if (open.length > 0) await noteOpen(db, gateway, open, clock.now())
  }
  const keep = ({ unkept, ...batch }: RecordBatch) => {
    const corrected = unkept.map((one) => ({ ...one, minute_ms: minuteOf(byDatabase(one.minute_ms)) }))
    return deps.keepRequests(db, { ...batch, unkept: corrected }, { now: clock.now(), timeOf })
  }
  const take = async (report: Report) => {
    checkReport(report)
    await reports.add({ ...report, at_ms: byDatabase(report.at_ms) })
  }
  return {
    async hello(gateway) {
      await look(gateway)
      await recover(db, gateway)
      await dropPermits(db, gateway)
    },
    account: (key) => accountToProve(db, deps, key),
    users: (keys) => accountsOfUsers(db, deps, keys),
    whitelisted: (key) => accountAt(db, deps, key),
    async prove(proofs) {
      for (const { access, address } of proofs) await deps.proveAddress(db, { accessId: access, address })
    },
    slot: ({ access, slot }) => deps.savedSlot(db, { accessId: access, slot }),
    named: (key) => deps.placesNamed(db, key),
    unknown: (key) => deps.strangePlaces(db, key),
    record: (batch) => telling(batch.batch.gateway, keep(batch)),
    places: ({ login, set }) => deps.savedTargeting(db, { login, id: set }),
    exits: () => deps.listExits(db),
    permits: (gateway, request) => permits(db, gateway, request),
    lease: (gateway, request) => lease(db, gateway, request, { zone: deps.zone }),
    leasesOfUsers: (gateway, requests) => leaseUsers(db, gateway, requests, { zone: deps.zone }),
    report: (report) => telling(report.gateway, take(report)),
    heartbeat: look,
    present: (told) => notePresence(db, told),
    sessions: (answer) => noteSessions(db, answer),
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

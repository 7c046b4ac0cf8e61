import type { Kysely } from 'kysely'
import { countryCodes } from '#contract/countries'
import type { DB, Database } from '#db'
import { noteAnswers, notePlaces } from '#exits'
import {
  type Feed,
  type FeedAccount,
  type FeedEnded,
  type FeedEvent,
  type FeedExit,
  type FeedLimits,
  type FeedNamed,
  type FeedPlaces,
  type FeedSlot,
  type FeedTargeting,
  type FeedUnknown,
  type FeedUser,
  type PortKind,
  type RecordBatch,
  type Report,
  ReportRefused,
} from '#feed'
import { feedChannel, readAnnouncement } from '#feed/announcement'
import { isProxyUserLogin } from '#feed/user.ids'
import { limitsOf, type PoolLimits } from '#limits'
import { type Ended, endedOf, findAccess } from '#proxies'
import { type ProxyUser, userById, usersByLogin } from '#proxy-users'
import { noteOpen } from './activity.ts'
import { Batcher } from './batch.ts'
import { notePresence } from './gateways/gateways.ts'
import { lease, recover } from './lease.ts'
import { EarlyReports, MalformedReport, checkReport } from './lines.ts'
import { dropPermits, permits } from './permits.ts'
import { leaseUsers } from './user.leases.ts'
import { Acknowledged, heartbeat, type SetBack } from './set.back.ts'
import { noteSessions } from './gateways/sessions.live.ts'
import { settle } from './settle.ts'

/** The functions of other slices that the feed uses. */
export interface FeedDeps {
  /** The access with this login in this pool, of any account; null when there is none. */
  findAccess: (db: Kysely<DB>, key: { login: string; pool: string }) => Promise<FeedAccess | null>
  /** The places stored under `set` for this login, or null. */
  savedTargeting: (db: Kysely<DB>, key: { login: string; id: string }) => Promise<FeedPlaces | null>
  /** The access whose whitelist has this client address, for such a port of this pool, or null. */
  whitelistedAccess: (
    db: Kysely<DB>,
    key: { pool: string; address: string; port: PortKind },
  ) => Promise<(FeedAccess & { proxyUserId?: bigint | null }) | null>
  /**
   * The addresses on the whitelists of the access's customer that a connection from them would prove; of a
   * proxy user, those that stand for it.
   */
  addressesToProve: (db: Kysely<DB>, accessId: bigint) => Promise<string[]>
  /** Called when a connection with the access's password came from this address. */
  proveAddress: (db: Kysely<DB>, proof: { accessId: bigint; address: string }) => Promise<void>
  /** The access's settings of this slot port, or null. */
  savedSlot: (db: Kysely<DB>, key: { accessId: bigint; slot: number }) => Promise<FeedSlot | null>
  /** The ids of the states or cities with this name. */
  placesNamed: (db: Kysely<DB>, key: FeedNamed) => Promise<string[]>
  /** The named places that do not exist, as far as an inventory covers them. */
  strangePlaces: (db: Kysely<DB>, key: FeedTargeting) => Promise<FeedUnknown[]>
  /** Whether the customer wants that no host is reported or stored. */
  withholdsHosts: (db: Kysely<DB>, accountId: bigint) => Promise<boolean>
  /** Stores records of connections; `timeOf` corrects a time of a gateway's clock, in epoch milliseconds. */
  keepRequests: (
    db: Kysely<DB>,
    batch: RecordBatch,
    times: { now: Date; timeOf: (atMs: number) => number },
  ) => Promise<void>
  /** The countries of a pool, with their number of addresses. Missing: none are known. */
  countriesOf?: (db: Kysely<DB>, pool: string) => Promise<{ code: string; count: number }[]>
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

interface FeedAccess {
  id: bigint
  accountId: bigint
  login: string
  pool: string
  passwordSha256: Uint8Array
  blocked: boolean
  hasEnded?: boolean
}

async function accountOf(
  db: Kysely<DB>,
  deps: Pick<FeedDeps, 'withholdsHosts'>,
  finding: Promise<FeedAccess | null>,
): Promise<FeedAccount | null> {
  const access = await finding
  return access === null ? null : accountOfAccess(db, deps, access)
}

async function accountOfAccess(
  db: Kysely<DB>,
  deps: Pick<FeedDeps, 'withholdsHosts'>,
  access: FeedAccess,
): Promise<FeedAccount> {
  const { id, accountId: owner, login, pool, passwordSha256, blocked } = access
  const password_sha256 = Buffer.from(passwordSha256).toString('hex')
  const limits = feedLimits(await limitsOf(db, id))
  const ended = access.hasEnded === true ? endedFor((await endedOf(db, [id])).get(id)) : {}
  const account = { access: id, owner, login, pool, password_sha256, blocked, limits, ...ended }
  return (await deps.withholdsHosts(db, owner)) ? { ...account, withholds_hosts: true } : account
}

function endedFor(ended: Ended | undefined): { ended?: FeedEnded } {
  if (ended === undefined) return {}
  const { allMs, sessions, requests } = ended
  const wire = sessions.map(({ name, times, atMs }) => ({ name, times, at_ms: atMs }))
  return { ended: { all_ms: allMs, sessions: wire, requests } }
}

/**
 * Proxy users as the accounts of clients, in the order of the keys; their accesses are looked up once.
 */
async function accountsOfUsers(
  db: Kysely<DB>,
  deps: Pick<FeedDeps, 'withholdsHosts' | 'addressesToProve' | 'countriesOf'>,
  keys: readonly { login: string; pool: string }[],
): Promise<(FeedAccount | null)[]> {
  const users = await usersByLogin(
    db,
    keys.map(({ login }) => login),
  )
  const payers = new Map<string, Promise<{ access: FeedAccess; payer: FeedAccount } | null>>()
  const payerOf = (pool: string, accessId: bigint) => {
    const name = `${pool} ${accessId}`
    const known =
      payers.get(name) ??
      findAccess(db, { pool, id: accessId }).then(async (access) =>
        access === null ? null : { access, payer: await accountOfAccess(db, deps, access) },
      )
    payers.set(name, known)
    return known
  }
  const withEnded = [...users.values()].flat().filter(({ hasEnded }) => hasEnded)
  const ended = await endedOf(
    db,
    withEnded.map(({ id }) => id),
  )
  /** The proxy user with the login in the pool, of those that share it. */
  const inPool = async ({ login, pool }: { login: string; pool: string }) => {
    for (const user of users.get(login) ?? []) {
      const found = await payerOf(pool, user.accessId)
      if (found !== null) return { user, found }
    }
    return null
  }
  return Promise.all(
    keys.map(async (key) => {
      const known = await inPool(key)
      if (known === null) return null
      const { user, found } = known
      const toProve = user.listsAddresses ? await deps.addressesToProve(db, user.id) : []
      const denied = await deniedOf(db, deps, user, key.pool)
      const account = { ...accountOfUser(user, { ...found, denied }), ...endedFor(ended.get(user.id)) }
      return toProve.length === 0 ? account : { ...account, to_prove: toProve }
    }),
  )
}

/** The account, or the proxy user, that a client's address stands for. */
async function accountAt(
  db: Kysely<DB>,
  deps: Pick<FeedDeps, 'whitelistedAccess' | 'withholdsHosts' | 'countriesOf'>,
  key: { pool: string; address: string; port: PortKind },
): Promise<FeedAccount | null> {
  const access = await deps.whitelistedAccess(db, key)
  if (access === null) return null
  const { proxyUserId = null } = access
  const user = proxyUserId === null ? null : await userById(db, proxyUserId)
  if (user !== null && user.deletedAt !== null) return null
  const payer = await accountOfAccess(db, deps, access)
  if (user === null) return payer
  const ended = user.hasEnded ? endedFor((await endedOf(db, [user.id])).get(user.id)) : {}
  const denied = await deniedOf(db, deps, user, key.pool)
  return { ...accountOfUser(user, { access, payer, denied }), ...ended }
}

/** The countries that are denied, and those that an exit may choose from instead. */
async function deniedOf(
  db: Kysely<DB>,
  { countriesOf }: Pick<FeedDeps, 'countriesOf'>,
  { deniedCountries }: ProxyUser,
  pool: string,
): Promise<Pick<FeedUser, 'denied_countries' | 'other_countries'>> {
  if (deniedCountries.length === 0) return {}
  const known = (await countriesOf?.(db, pool)) ?? []
  const all = known.length > 0 ? known : countryCodes.map((code) => ({ code, count: 1 }))
  const others = all.filter(({ code, count }) => count > 0 && !deniedCountries.includes(code))
  return {
    denied_countries: deniedCountries,
    other_countries: others.map(({ code, count }) => ({ code, count })),
  }
}

function accountOfUser(
  user: ProxyUser,
  {
    access,
    payer,
    denied,
  }: {
    access: FeedAccess
    payer: FeedAccount
    denied: Pick<FeedUser, 'denied_countries' | 'other_countries'>
  },
): FeedAccount {
  // What was ended of the account's own login is not ended of its proxy users.
  const { ended: _ended, ...rest } = payer
  return {
    ...rest,
    access: user.id,
    login: user.login,
    password_sha256: user.passwordSha256.toString('hex'),
    limits: withConnections(payer.limits, user.connections),
    user: {
      parent: access.login,
      frozen: user.frozenAt !== null,
      expires_ms: user.expiresAt?.getTime() ?? null,
      allowed_hosts: user.allowedHosts,
      countries: user.countries,
      ...denied,
      ...(user.noDoubleTariff ? { no_double_tariff: true as const } : {}),
      addresses: user.addresses,
    },
  }
}

/** The limits of the account with the lower of the two caps on connections. */
function withConnections(limits: FeedLimits | null, connections: number | null): FeedLimits | null {
  if (connections === null) return limits
  if (limits === null) return { connections, allowed_hosts: [], denied_hosts: [], data_saver: false }
  return { ...limits, connections: Math.min(connections, limits.connections ?? connections) }
}

/** Adds the addresses that a connection with the account's password proves. */
async function accountToProve(
  db: Kysely<DB>,
  deps: Pick<FeedDeps, 'findAccess' | 'addressesToProve' | 'withholdsHosts' | 'countriesOf'>,
  key: { login: string; pool: string },
): Promise<FeedAccount | null> {
  if (isProxyUserLogin(key.login)) return (await accountsOfUsers(db, deps, [key]))[0] ?? null
  const account = await accountOf(db, deps, deps.findAccess(db, key))
  if (account === null) return null
  const toProve = await deps.addressesToProve(db, account.access)
  return toProve.length === 0 ? account : { ...account, to_prove: toProve }
}

function feedLimits(limits: PoolLimits | null): FeedLimits | null {
  if (limits === null) return null
  const { connections, allowedHosts, deniedHosts, dataSaver } = limits
  return { connections, allowed_hosts: allowedHosts, denied_hosts: deniedHosts, data_saver: dataSaver }
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

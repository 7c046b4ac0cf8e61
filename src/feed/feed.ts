/**
 * The feed: the interface between a gateway process and the rest of Turnpike.
 *
 * It is one interface, so that the data plane never sees a table. `traffic` implements it over the database; a gateway
 * process uses it through a stream (`client.ts`): a pipe, a unix socket, or TLS to another machine. Bytes are bigint
 * everywhere: "charged bytes" are payload bytes times the tariff's multiplier.
 */

import type { FeedEnded, SessionEnding } from './ended.ts'
import type { ExitAnswers } from './exit.answers.ts'
import type { FeedExit } from './feed.exit.ts'
import type { FeedUser, UserLimit } from './feed.user.ts'
import type { OpenPeak } from './open.peaks.ts'
import type { PlaceFigures } from './place.outcomes.ts'
import type { OpenSessions } from './open.sessions.ts'

export type { FeedEnded, SessionEnding } from './ended.ts'
export type { FeedExit, FeedPlace } from './feed.exit.ts'
export type { FeedUser, UserLimit } from './feed.user.ts'
export type { OpenSession, OpenSessions } from './open.sessions.ts'

/** One customer's access to one pool, which is what the gateway charges. */
export interface FeedAccount {
  /** Identifies the access: in leases, reports, records and permits it is the `access`. */
  access: bigint
  /** The number of the customer's account, for operators; it has an access for each pool. Null: not known. */
  owner: bigint | null
  login: string
  pool: string
  /** SHA-256 of the proxy password's UTF-8 bytes, hex. The password is 95 random bits: no slow hash is needed. */
  password_sha256: string
  /** A blocked customer is authenticated, and refused. */
  blocked: boolean
  /** The customer's own limits on this password; null: none. */
  limits: FeedLimits | null
  /**
   * Addresses on the customer's whitelists that a connection with this password would prove. Missing: none.
   * Answers of `whitelisted` do not have this field.
   */
  to_prove?: string[]
  /**
   * Set for a proxy user. `access` is then the proxy user's own id, which contains the id of the access that
   * pays (`user.ids.ts`).
   */
  user?: FeedUser
  /** Missing: nothing was ended for as long as a session may last. */
  ended?: FeedEnded
  /** The customer wants no visited host reported or kept. Missing: hosts may be reported. */
  withholds_hosts?: true
}

/** A connection came from the address with the password of the account. */
export interface AddressProof {
  access: bigint
  /** In canonical form. */
  address: string
}

/** The kind of port at which an address is looked up: an entry port, where clients may send a password, or a slot port. */
export type PortKind = 'entry' | 'slot'

/** A customer's own limits on a pool's password, besides the caps on bytes, which leases keep. */
export interface FeedLimits {
  /** The most connections open at a time on all gateways together; null: no cap. */
  connections: number | null
  /** Patterns of `#limits/hosts`; an empty list allows all. */
  allowed_hosts: string[]
  denied_hosts: string[]
  /** Whether hosts of advertisers and trackers are refused. */
  data_saver: boolean
}

/** The period, in UTC, of a cap on bytes. */
export type CapWindow = 'hour' | 'day' | 'month'

/** The targeting that a line's `set` refers to: places and ASNs, as the grammar spells them. */
export interface FeedPlaces {
  countries: string[]
  states: string[]
  cities: string[]
  zips: string[]
  asns: number[]
  excludedAsns: number[]
}

/** A question for states or cities by their name; `word` is its letters and digits only, in lower case. */
export interface FeedNamed {
  pool: string
  kind: 'state' | 'city'
  word: string
  /** Only in these countries and, for a city, in these states if there are any. */
  countries: string[]
  states: string[]
}

/** The places that a line names in a pool. */
export interface FeedTargeting extends FeedPlaces {
  pool: string
}

/** A named place that is in no inventory, although an inventory has others of its kind there. */
export interface FeedUnknown {
  /** The key of the line that names it. */
  key: 'st' | 'city' | 'zip' | 'asn' | 'xasn'
  value: string
  /** The nearest valid spelling; null when none is near. */
  nearest: string | null
  /**
   * Whether the inventory covers the whole pool. False: the inventories of these exits alone, which say
   * nothing about other exits.
   */
  ofPool: boolean
  exits: bigint[]
}

/** The settings of the `hostname:port` line that was made for a slot port. */
export interface FeedSlot extends FeedPlaces {
  session: string | null
  ttlMinutes: number | null
  anonymous: boolean
}

export interface LeaseRequest {
  access: bigint
  /**
   * Charged bytes that the gateway asks for, a hint: enough for two minutes of the account's use. 0: none,
   * the gateway asks only which lease is open.
   */
  want_bytes: bigint
}

export interface LeaseGrant {
  /**
   * The account's open lease of this gateway and boot; the same lease is extended until a report closes it.
   * 0: nothing was granted and no lease is open; a report may close lease 0 too.
   */
  lease: bigint
  /** Charged bytes added to that lease now. 0: nothing is available at present. */
  granted_bytes: bigint
  /**
   * The sum of all grants to that lease, including this one and those whose answers were lost. Missing: there
   * is no lease.
   */
  lease_bytes?: bigint
  /** Other gateways hold unspent leases of this access, which have been recalled: ask again soon. */
  outstanding: boolean
  /** Set when nothing was granted because a cap of the customer's is reached, not because the balance is exhausted. */
  capped?: CapWindow | UserLimit
  /** What the access holds beyond this lease at the time of this grant: with the rest of the lease it is the balance. */
  elsewhere_bytes: bigint
}

/**
 * What was relayed under one lease since the previous report; a lease has one line for each exit that its
 * bytes passed through. Bytes of a proxy user are in two lines of the same report: one for its access, with
 * the exit, and one for the proxy user, without.
 */
export interface ReportLine {
  lease: bigint
  access: bigint
  charged_bytes: bigint
  requests: number
  /** Closes the lease: its rest returns to the balance, and nothing more will be charged to it. */
  close: boolean
  /** The exit that the bytes passed through. Missing: none did. */
  exit?: bigint
  /** Payload bytes in both directions, those that cost nothing included. Missing: none. */
  relayed_bytes?: bigint
}

/** A numbered report: settled exactly once per (gateway, boot, sequence), however often it arrives. */
export interface Report {
  gateway: string
  boot: string
  /** 1, 2, 3 … within a boot. */
  sequence: number
  /** When its first byte was relayed, epoch milliseconds; decides the day to which the report counts. */
  at_ms: number
  lines: ReportLine[]
  /**
   * At the time of sending, the lowest number of this boot that is not known to be settled, at most the report's own. When
   * the report closes a lease, all reports from that number on must be settled, because they may charge that lease.
   * Missing: there is no such report.
   */
  oldest?: number
}

/** The record of one request, which its customer may query. It contains no credentials and no paths. */
export interface RequestRecord {
  /** The X-Request-Id of the response. */
  id: string
  access: bigint
  /** When the request began, epoch milliseconds; all other times are relative to it. */
  at_ms: number
  protocol: 'http' | 'connect' | 'socks5'
  /** host:port; null when it was refused before that was known. */
  target: string | null
  /** The line as it was parsed, without the login; null when it could not be parsed. */
  settings: string | null
  multiplier: number
  /** The country of the exit, when it is known. */
  country: string | null
  exit: bigint | null
  authenticated_ms: number | null
  exit_chosen_ms: number | null
  connected_ms: number | null
  first_byte_ms: number | null
  ended_ms: number
  /** done, refused, or the cause of its end. */
  outcome: string
  /** The gateway's response, when the request was refused or failed. */
  status: number | null
  code: string | null
  sentence: string | null
  /** What the exit answered, when the exit failed. */
  exit_status: number | null
  exit_word: string | null
  /** Payload bytes relayed, and the bytes charged for them, including the tariff. */
  up_bytes: bigint
  down_bytes: bigint
  charged_up_bytes: bigint
  charged_down_bytes: bigint
}

/** Records of tunnels and requests that have ended, numbered 1, 2, 3 … within a run of the gateway, some numbers left out. */
export interface ConnectionBatch {
  gateway: string
  boot: string
  run: string
  number: number
  /** A line for each, as `connection.record.ts` prints it. */
  lines: string
}

export interface RecordBatch {
  batch: ConnectionBatch
  /** Requests of which no record is kept, by access and UTC minute (epoch milliseconds of its beginning). */
  unkept: { access: bigint; minute_ms: number; requests: number }[]
}

/** What a worker of a gateway does at present. */
export interface GatewayFigures {
  /** Open tunnels and requests. */
  tunnels: number
  /** Relayed payload in both directions since the heartbeat before. */
  bits_per_second: number
  leases: number
  /** Leased and not spent. */
  leased_bytes: number
  /** Reports that are not settled yet. */
  reports_waiting: number
  /** How exits answered since the heartbeat before. Missing: not at all. */
  exits?: ExitAnswers[]
  /**
   * How connections to countries ended and which customers asked for them, since the previous heartbeat.
   * Missing: there were none.
   */
  places?: PlaceFigures
  /**
   * The most connections open at a time by access, sent once a minute. Missing: there were none, or the
   * minute is not over.
   */
  open?: OpenPeak[]
}

/** What a gateway reports about itself: all its workers together, under one name. */
export interface GatewayPresence {
  /** The workers' names without their numbers. */
  name: string
  version: string
  /** The machine and the first entry port. */
  address: string
  workers: number
  /** Time since its process started, milliseconds: a duration, because its clock may be wrong. */
  up_ms: number
  /** `draining`: it accepts no connections, and some are still open; `drained`: none is open any more. */
  state: 'running' | 'draining' | 'drained' | 'stopped'
  /** Reports that are not settled. */
  reports_waiting: number
  /** Open connections of clients. */
  connections: number
  /** It was started to take over from another gateway: an earlier request to drain it no longer applies. */
  takes_over?: boolean
}

/**
 * The server will never settle this report: its sender keeps it for the operator and continues. After any other failure of
 * `report` it is sent again later.
 */
export class ReportRefused extends Error {}

/**
 * The server received the call and failed on it. Another failure of a call means only that no answer came.
 */
export class FeedFailed extends Error {}

/** What the server sends to a connected gateway without being asked. */
export type FeedEvent =
  /**
   * The account changed: look it up again, and cut tunnels with an outdated password. `cut`: also cut its
   * open sessions, all of them or the one with this id. `tell`: answer with `sessions` under this id.
   */
  | { type: 'account_changed'; login: string; cut?: string; tell?: string }
  /** The owner of a login has ended sessions in a pool: all, or those of the sticky session or request `name`. */
  | { type: 'sessions_ended'; login: string; pool: string; ending: SessionEnding; name: string }
  /** `account_changed` and `lease_recalled` for each of these proxy users of an access. */
  | { type: 'users_changed'; access: bigint; users: [login: string, nr: number][] }
  /**
   * The account of this address in this pool changed: tunnels opened by the address may have to be cut.
   * `login`: this account has more addresses to prove.
   */
  | { type: 'whitelist_changed'; pool: string; address: string; login?: string }
  /** The settings of the account's slots changed: look them up again. */
  | { type: 'slots_changed'; login: string }
  /** Another gateway needs these bytes: return the idle bytes. */
  | { type: 'lease_recalled'; access: bigint }
  | { type: 'exits_changed' }
  /** An inventory was added, removed or renamed. */
  | { type: 'places_changed' }
  /** The operator drained a gateway, or lets one serve again: call `present` to learn which. */
  | { type: 'gateways_changed' }
  /** Changes may have been missed, because a connection was lost: drop every cached answer. */
  | { type: 'reset' }

export interface Feed {
  /**
   * Announces a boot of a gateway, once, after the journals of earlier boots have been reported. Closes all leases of the
   * same gateway's earlier boots, so that their unspent rest returns to the balances.
   */
  hello(gateway: { gateway: string; boot: string }): Promise<void>
  /** The account with this login in this pool, or null. */
  account(key: { login: string; pool: string }): Promise<FeedAccount | null>
  /** The proxy users with these logins, in the order of the keys: what `account` answers for each. */
  users(keys: { login: string; pool: string }[]): Promise<(FeedAccount | null)[]>
  /** What `set` in a line of this login refers to, or null. It never changes, because the id is made from it. */
  places(key: { login: string; set: string }): Promise<FeedPlaces | null>
  /**
   * The account that this client address stands for at such a port of this pool, or null. At an entry port
   * only the account that has proven the address; at a slot port also the only account that claims it. The
   * address is in canonical form.
   */
  whitelisted(key: { pool: string; address: string; port: PortKind }): Promise<FeedAccount | null>
  /** Reports connections that prove addresses (`to_prove`); others are ignored. A repetition is safe. */
  prove(proofs: AddressProof[]): Promise<void>
  /** The ids of the places with this name: none, one or several. */
  named(key: FeedNamed): Promise<string[]>
  /** The places of a line that do not exist, as far as an inventory covers them. */
  unknown(key: FeedTargeting): Promise<FeedUnknown[]>
  /** The settings of a slot port, or null when the account has made no line for it. Slots are numbered from 1. */
  slot(key: { access: bigint; slot: number }): Promise<FeedSlot | null>
  /** All enabled exits of all pools. */
  exits(): Promise<FeedExit[]>
  /**
   * Reports how many connections of an access with a cap this gateway and boot has or needs. Answers how many
   * it may have: the requested number, or fewer when other gateways hold the rest.
   */
  permits(
    gateway: { gateway: string; boot: string },
    request: { access: bigint; want: number },
  ): Promise<number>
  /** Extends the access's lease of this gateway and boot, or opens one. */
  lease(gateway: { gateway: string; boot: string }, request: LeaseRequest): Promise<LeaseGrant>
  /**
   * What `lease` answers for proxy users of one access, one request for each, in the order of the requests. A lease of a
   * proxy user is a part of its limits: the bytes that it spends are taken from the gateway's lease of the access too.
   */
  leasesOfUsers(gateway: { gateway: string; boot: string }, requests: LeaseRequest[]): Promise<LeaseGrant[]>
  /**
   * Settles a report; answers when that is durable. A repetition of a settled report is accepted and changes nothing.
   * Several may be under way at once. Fails with `ReportRefused` when it can never be settled, and fails temporarily when
   * it closes a lease while a report from `oldest` on is not settled.
   */
  report(report: Report): Promise<void>
  /**
   * Keeps records of connections. A numbered batch is stored once, with its counts, however often it arrives;
   * only one batch at a time is under way. Fails with `ReportRefused` when it can never be stored.
   */
  record(batch: RecordBatch): Promise<void>
  /**
   * Keeps the server from treating the leases of this boot as lost. Sent every 5 s. `acknowledged`: all
   * reports of the boot up to this number have been answered as settled; a server that knows of fewer has
   * lost some. `live`: missing before the first figures.
   */
  heartbeat(gateway: {
    gateway: string
    boot: string
    acknowledged?: number
    live?: GatewayFigures
  }): Promise<void>
  /**
   * Reports the state of a whole gateway, every 5 s and when the state changes; answers whether the operator
   * wants it drained.
   */
  present(gateway: GatewayPresence): Promise<{ drain: boolean }>
  /** Reports a customer's open sessions, as an event requested. An answer to no open question is ignored. */
  sessions(answer: OpenSessions): Promise<void>
  /** Calls the listener with every event, until the returned function is called. */
  subscribe(listener: (event: FeedEvent) => void): () => void
}

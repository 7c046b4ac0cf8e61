/**
 * The feed: all that a gateway process knows of the rest of Turnpike, and all it tells it.
 *
 * One interface, so that the data plane never sees a table. `traffic` implements it over the database; a worker
 * process reaches it through a stream (`feed.client.ts`): a pipe, a unix socket, or TLS to another machine.
 * Bytes are bigint everywhere: "charged bytes" are payload bytes times the tariff's multiplier.
 */

/** One customer's access to one pool: what the gateway charges. */
export interface FeedAccount {
  /** Identifies the account in leases and reports. */
  id: bigint
  login: string
  pool: string
  /** SHA-256 of the proxy password's UTF-8 bytes, hex. The password is 95 random bits: no slow hash is needed. */
  password_sha256: string
  /** A blocked customer authenticates, and is refused. */
  blocked: boolean
  /** What the customer lets this password do; null: anything. */
  limits: FeedLimits | null
}

/** A customer's own limits on a pool's password, besides the caps on bytes, which leases keep. */
export interface FeedLimits {
  /** Open at a time on all gateways together; null: no cap. */
  connections: number | null
  /** Patterns of `#limits/hosts`; none allowed means all. */
  allowed_hosts: string[]
  denied_hosts: string[]
  /** Hosts of advertisers and trackers are refused. */
  data_saver: boolean
}

/** The stretch of time, in UTC, of a cap on bytes. */
export type CapWindow = 'hour' | 'day' | 'month'

/** One of the operator's ways out. */
export interface FeedExit {
  id: bigint
  pool: string
  name: string
  kind: 'direct' | 'http' | 'socks5'
  /** For `direct`: the local address to leave from, or null. */
  bind_address: string | null
  host: string | null
  port: number | null
  username: string | null
  password: string | null
  weight: number
  /** Where this exit can leave; null: it serves every targeting that its preset can express. */
  places: FeedPlace[] | null
  /** The seller whose logins it takes (`#exits/presets`); null: the same login for everybody. */
  preset: string | null
  /** Settings of that seller's own. */
  options: Record<string, string>
  /** The proxy itself is spoken to over TLS. */
  tls: boolean
  /** PEM of the authority that vouches for it; null: those of the system. */
  tls_ca: string | null
  /** On this machine, all workers together; null: no limit. */
  max_connections: number | null
  /** Who looks up names of targets; auto: the exit, unless it stands in a private network. */
  names: 'auto' | 'exit' | 'gateway'
  /** Requests to http:// addresses: through a tunnel, or forwarded in absolute form. */
  plain_http: 'tunnel' | 'forward'
  /** host:port that health checks open a tunnel to; null: they stop at the handshake with the exit. */
  probe_target: string | null
}

/** A place an exit can leave from; ids as the targeting grammar spells them. */
export interface FeedPlace {
  country: string
  state: string | null
  city: string | null
  zip: string | null
  asn: number | null
}

/** The targeting that a line's `set` stands for: places and ASNs, as the grammar spells them. */
export interface FeedPlaces {
  countries: string[]
  states: string[]
  cities: string[]
  zips: string[]
  asns: number[]
  excludedAsns: number[]
}

/** States or cities that somebody means by a name; `word` is its letters and digits only, in lower case. */
export interface FeedNamed {
  pool: string
  kind: 'state' | 'city'
  word: string
  /** Where to look: in these countries and, for a city, in these states if there are any. */
  countries: string[]
  states: string[]
}

/** The places that a line names in a pool. */
export interface FeedTargeting extends FeedPlaces {
  pool: string
}

/** A named place that no inventory has, though one has others of its kind where it would be. */
export interface FeedUnknown {
  /** The key of the line behind which it stands. */
  key: 'st' | 'city' | 'zip' | 'asn' | 'xasn'
  value: string
  /** The valid spelling that comes nearest; null when none is near. */
  nearest: string | null
  /** An inventory of the whole pool says so. False: only those of these exits, which know nothing of the others. */
  ofPool: boolean
  exits: bigint[]
}

/** What a slot port stands for: the settings of the `hostname:port` line that was made for it. */
export interface FeedSlot extends FeedPlaces {
  session: string | null
  ttlMinutes: number | null
  anonymous: boolean
}

export interface LeaseRequest {
  account: bigint
  /** Charged bytes the gateway would like to have, a hint. 0: none; it asks only which lease is open. */
  want_bytes: bigint
}

export interface LeaseGrant {
  /**
   * The account's open lease of this gateway and boot; the same id is extended until it is closed by a report.
   * 0 when nothing was granted and none is open: a lease that holds nothing, charges nothing, and may be closed.
   */
  lease: bigint
  /** Charged bytes added to that lease now. Zero: nothing is free at present. */
  granted_bytes: bigint
  /** True when other gateways hold unspent leases of this account: ask again soon, they have been recalled. */
  outstanding: boolean
  /** Set when nothing was granted because a cap of the customer's is reached, not because the balance is. */
  capped?: CapWindow
  /** What the account holds beyond this lease, as of this grant: with the lease's rest it is the balance. */
  elsewhere_bytes: bigint
}

/** What was relayed under one lease since the report before. */
export interface ReportLine {
  lease: bigint
  account: bigint
  charged_bytes: bigint
  requests: number
  /** The rest of the lease goes back to the balance; nothing will be charged to it any more. */
  close: boolean
  /**
   * By which exits it was relayed: parts whose charged bytes and whose requests sum to those of the line, an exit in one
   * part at most. Left out by a gateway that does not tell.
   */
  exits?: ExitUsage[]
}

/** What was relayed by one exit. */
export interface ExitUsage {
  /** Null: by none that is known, such as one that was removed. */
  exit: bigint | null
  /** Payload bytes, without the tariff, from the client and to it. */
  up_bytes: bigint
  down_bytes: bigint
  charged_bytes: bigint
  requests: number
}

/** A numbered report: settled exactly once per (gateway, boot, sequence), however often it arrives. */
export interface Report {
  gateway: string
  boot: string
  /** 1, 2, 3 … within a boot. */
  sequence: number
  /** When the first byte in it was relayed, epoch milliseconds; decides the day it counts for. */
  at_ms: number
  lines: ReportLine[]
  /**
   * When it is sent: the first number of this boot that its sender has not heard to be settled, itself at the latest.
   * Between it and this report nothing may be missing when a lease is closed, for what is missing may still be owed to
   * that lease. Left out, nothing is.
   */
  oldest?: number
}

/** How one request went: what its customer may ask about. Never credentials, never paths. */
export interface RequestRecord {
  /** The X-Request-Id that was told. */
  id: string
  account: bigint
  /** When the request was there, epoch milliseconds; all other times count from it. */
  at_ms: number
  protocol: 'http' | 'connect' | 'socks5'
  /** host:port; null when it was turned down before it was known. */
  target: string | null
  /** The line as it was understood, without the login; null when it was not. */
  settings: string | null
  multiplier: number
  /** Where it left, when that is known. */
  country: string | null
  exit: bigint | null
  authenticated_ms: number | null
  exit_chosen_ms: number | null
  connected_ms: number | null
  first_byte_ms: number | null
  ended_ms: number
  /** done, refused, or what ended it. */
  outcome: string
  /** What was answered when it was refused or failed. */
  status: number | null
  code: string | null
  sentence: string | null
  /** What the exit itself answered, when it was the exit that failed. */
  exit_status: number | null
  exit_word: string | null
  /** Payload bytes passed on, and what was charged for them, tariff included. */
  up_bytes: bigint
  down_bytes: bigint
  charged_up_bytes: bigint
  charged_down_bytes: bigint
}

export interface RecordBatch {
  records: RequestRecord[]
  /** Requests of which no record is kept, by account and UTC minute (epoch milliseconds of its beginning). */
  unkept: { account: bigint; minute_ms: number; requests: number }[]
}

/**
 * The server will never settle this report, however often it comes: its sender keeps it for the operator and goes on.
 * Every other failure of `report` means "again later".
 */
export class ReportRefused extends Error {}

/** The server heard the question and failed on it. Every other failure of a call says only that it was not answered. */
export class FeedFailed extends Error {}

/** What the server tells a connected gateway without being asked. */
export type FeedEvent =
  /**
   * The account's row, or the settings of its slots, changed: look them up again, and cut its tunnels when the password
   * they gave is no longer right.
   */
  | { type: 'account_changed'; login: string }
  /** This address is somebody's in this pool now, or nobody's: tunnels opened by it may have to be cut. */
  | { type: 'whitelist_changed'; pool: string; address: string }
  /** Somebody else wants these bytes: give back what is idle. */
  | { type: 'lease_recalled'; account: bigint }
  | { type: 'exits_changed' }
  /** An inventory came, went or was renamed. */
  | { type: 'places_changed' }
  /** Changes may have been missed (a lost connection to the database): drop every cached answer. */
  | { type: 'reset' }

export interface Feed {
  /**
   * Introduces a gateway process. Called once a boot, after the journals of earlier boots have been reported:
   * closes all leases of the same gateway's earlier boots, so that their unspent rest returns to the balances.
   */
  hello(gateway: { gateway: string; boot: string }): Promise<void>
  /** The account with this login in this pool, or null. */
  account(key: { login: string; pool: string }): Promise<FeedAccount | null>
  /** What `set` in a line of this login stands for, or null. It never changes: the id is made from it. */
  places(key: { login: string; set: string }): Promise<FeedPlaces | null>
  /** The account that this client address stands for in this pool, or null. The address is in canonical form. */
  whitelisted(key: { pool: string; address: string }): Promise<FeedAccount | null>
  /** Which of our places are called so; none, one, or several. */
  named(key: FeedNamed): Promise<string[]>
  /** Which of the places a line names are in no inventory. What no inventory speaks about is not among them. */
  unknown(key: FeedTargeting): Promise<FeedUnknown[]>
  /** What this slot port stands for, or null when the account has made no line for it. Slots count from 1. */
  slot(key: { account: bigint; slot: number }): Promise<FeedSlot | null>
  /** All enabled exits of all pools. */
  exits(): Promise<FeedExit[]>
  /**
   * Says how many connections of an account with a cap on them this gateway and boot holds or would like to hold, and
   * hears how many it may: as many, or fewer when others hold the rest.
   */
  permits(
    gateway: { gateway: string; boot: string },
    request: { account: bigint; want: number },
  ): Promise<number>
  /** Extends the account's lease of this gateway and boot, or opens one. */
  lease(gateway: { gateway: string; boot: string }, request: LeaseRequest): Promise<LeaseGrant>
  /**
   * Settles a report. Answers when it is durable; a repeat of a settled report is accepted and changes nothing. Several
   * may be on their way at once. Fails with `ReportRefused` when it can never be settled, and fails for the time being
   * when it closes a lease while one from `oldest` on is not settled.
   */
  report(report: Report): Promise<void>
  /** Records of requests, for their customers to look up. Best effort: what fails is not sent again. */
  record(batch: RecordBatch): Promise<void>
  /** A sign of life, so that leases of this boot are not taken for lost. Sent every 5 s. */
  heartbeat(gateway: { gateway: string; boot: string }): Promise<void>
  /** Hears events until the returned function is called. */
  subscribe(listener: (event: FeedEvent) => void): () => void
}

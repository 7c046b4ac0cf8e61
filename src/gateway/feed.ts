/**
 * The feed: all that a gateway process knows of the rest of Turnpike, and all it tells it.
 *
 * One interface, so that the data plane never sees a table. `traffic` implements it over the database; a worker
 * process reaches it through a stream (`feed.client.ts`), today a unix socket beside the server.
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
}

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
  /** Where this exit can leave; null: it serves every targeting (a demo exit). */
  places: FeedPlace[] | null
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

/** What a slot port stands for: the settings of the `hostname:port` line that was made for it. */
export interface FeedSlot extends FeedPlaces {
  session: string | null
  ttlMinutes: number | null
  anonymous: boolean
}

export interface LeaseRequest {
  account: bigint
  /** Charged bytes the gateway would like to have, a hint. */
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
}

/** What was relayed under one lease since the report before. */
export interface ReportLine {
  lease: bigint
  account: bigint
  charged_bytes: bigint
  requests: number
  /** The rest of the lease goes back to the balance; nothing will be charged to it any more. */
  close: boolean
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
}

/**
 * The server will never settle this report, however often it comes: its sender keeps it for the operator and goes on.
 * Every other failure of `report` means "again later".
 */
export class ReportRefused extends Error {}

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
  /** What this slot port stands for, or null when the account has made no line for it. Slots count from 1. */
  slot(key: { account: bigint; slot: number }): Promise<FeedSlot | null>
  /** All enabled exits of all pools. */
  exits(): Promise<FeedExit[]>
  /** Extends the account's lease of this gateway and boot, or opens one. */
  lease(gateway: { gateway: string; boot: string }, request: LeaseRequest): Promise<LeaseGrant>
  /**
   * Settles a report. Answers when it is durable; a repeat of a settled report is accepted and changes nothing. Several
   * may be on their way at once. Fails with `ReportRefused` when it can never be settled.
   */
  report(report: Report): Promise<void>
  /** A sign of life, so that leases of this boot are not taken for lost. Sent every 5 s. */
  heartbeat(gateway: { gateway: string; boot: string }): Promise<void>
  /** Hears events until the returned function is called. */
  subscribe(listener: (event: FeedEvent) => void): () => void
}

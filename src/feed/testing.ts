/** For tests: a feed in memory that keeps the rules of `feed.ts`. */

import { createHash } from 'node:crypto'
import { type ConnectionRecord, parseConnection } from './connection.record.ts'
import {
  type AddressProof,
  type Feed,
  type FeedAccount,
  type FeedEvent,
  type FeedExit,
  type FeedNamed,
  type FeedPlaces,
  type FeedSlot,
  type FeedTargeting,
  type FeedUnknown,
  type GatewayFigures,
  type GatewayPresence,
  type LeaseGrant,
  type LeaseRequest,
  type OpenSessions,
  type PortKind,
  type RecordBatch,
  type Report,
  ReportRefused,
} from './feed.ts'

type Identity = { gateway: string; boot: string }

interface Lease {
  id: bigint
  gateway: string
  access: bigint
  /** All that was ever granted. */
  granted: bigint
  left: bigint
}

const ownerOf = (identity: Identity) => `${identity.gateway} ${identity.boot}`

/** A feed in memory: balances, leases, reports settled once per number. */
export class MemoryFeed implements Feed {
  readonly accounts = new Map<string, FeedAccount>()
  readonly balances = new Map<bigint, bigint>()
  readonly charged = new Map<bigint, bigint>()
  readonly requests = new Map<bigint, number>()
  readonly leases = new Map<bigint, Lease>()
  readonly faults: string[] = []
  reports = 0
  /** Of the last heartbeat. */
  acknowledged: number | undefined
  leaseCalls = 0
  /** While set, every call fails as if the server were away. */
  away = false
  /** Delays every answer. */
  latencyMs = 0
  /** The most that one lease call grants. */
  largestGrant = 64n << 20n
  exitList: FeedExit[] = []
  /** Calls of `exits`. */
  exitsAsked = 0
  /** Stored targetings, by login and set. */
  readonly sets = new Map<string, FeedPlaces>()
  /** Accounts that have proven an address, by pool and address. */
  readonly whitelist = new Map<string, FeedAccount>()
  /** Accounts that alone claim an address, by pool and address. */
  readonly claims = new Map<string, FeedAccount>()
  /** Received proofs, by call. */
  readonly proofs: AddressProof[][] = []
  /** Ids of places, by pool, kind and word. */
  readonly names = new Map<string, string[]>()
  /** Places that are in no inventory, by pool and value. */
  readonly unknownPlaces = new Map<string, FeedUnknown>()
  /** Calls of `unknown`. */
  unknownAsked = 0
  /** Received records of requests. */
  readonly records: { records: ConnectionRecord[]; unkept: RecordBatch['unkept'] }[] = []
  /** Accounts with a cap that is reached. */
  readonly capped = new Map<bigint, NonNullable<LeaseGrant['capped']>>()
  /** Granted permits, by access and gateway. */
  readonly permitted = new Map<string, number>()
  /** Settings of slots, by access and number. */
  readonly slots = new Map<string, FeedSlot>()
  /** Numbers of reports that are refused. */
  readonly refused = new Set<number>()
  /** Reported states of gateways. */
  readonly presences: GatewayPresence[] = []
  /** Names of gateways that are to drain. */
  readonly drained = new Set<string>()
  /** Answers of workers about open sessions. */
  readonly told: OpenSessions[] = []
  readonly #listeners = new Set<(event: FeedEvent) => void>()
  readonly #settled = new Set<string>()
  #lastLease = 0n

  addAccount(login: string, password: string, balance: bigint, pool = 'residential'): FeedAccount {
    const account: FeedAccount = {
      access: BigInt(this.accounts.size + 1),
      // Differs from the access, so that a test detects a confusion of the two.
      owner: BigInt(this.accounts.size + 1001),
      login,
      pool,
      password_sha256: createHash('sha256').update(password).digest('hex'),
      blocked: false,
      limits: null,
    }
    this.accounts.set(`${pool} ${login}`, account)
    this.balances.set(account.access, balance)
    return account
  }

  addExit(pool = 'residential', parts: Partial<FeedExit> = {}): FeedExit {
    const exit: FeedExit = {
      id: BigInt(this.exitList.length + 1),
      pool,
      name: `exit ${this.exitList.length + 1}`,
      kind: 'direct',
      bind_address: null,
      host: null,
      port: null,
      username: null,
      password: null,
      weight: 1,
      places: null,
      preset: null,
      options: {},
      tls: false,
      tls_ca: null,
      max_connections: null,
      names: 'auto',
      plain_http: 'tunnel',
      probe_target: null,
      warm_connections: 0,
      ...parts,
    }
    this.exitList.push(exit)
    return exit
  }

  chargedTo(account: FeedAccount): bigint {
    return this.charged.get(account.access) ?? 0n
  }

  emit(event: FeedEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  async hello(gateway: Identity): Promise<void> {
    await this.#travel()
    for (const lease of this.leases.values()) {
      if (lease.gateway.startsWith(`${gateway.gateway} `) && lease.gateway !== ownerOf(gateway))
        this.#close(lease)
    }
  }

  async account(key: { login: string; pool: string }): Promise<FeedAccount | null> {
    await this.#travel()
    const account = this.accounts.get(`${key.pool} ${key.login}`)
    return account === undefined ? null : { ...account }
  }

  users(keys: { login: string; pool: string }[]): Promise<(FeedAccount | null)[]> {
    return Promise.all(keys.map((key) => this.account(key)))
  }

  async places({ login, set }: { login: string; set: string }): Promise<FeedPlaces | null> {
    await this.#travel()
    return this.sets.get(`${login} ${set}`) ?? null
  }

  async whitelisted(key: { pool: string; address: string; port: PortKind }): Promise<FeedAccount | null> {
    await this.#travel()
    const name = `${key.pool} ${key.address}`
    const account = this.whitelist.get(name) ?? (key.port === 'slot' ? this.claims.get(name) : undefined)
    return account === undefined ? null : { ...account }
  }

  async prove(proofs: AddressProof[]): Promise<void> {
    await this.#travel()
    this.proofs.push(proofs)
  }

  async named({ pool, kind, word }: FeedNamed): Promise<string[]> {
    await this.#travel()
    return this.names.get(`${pool} ${kind} ${word}`) ?? []
  }

  async unknown(targeting: FeedTargeting): Promise<FeedUnknown[]> {
    await this.#travel()
    this.unknownAsked++
    const { pool, states, cities, zips, asns, excludedAsns } = targeting
    return [...states, ...cities, ...zips, ...asns, ...excludedAsns].flatMap((value) => {
      const unknown = this.unknownPlaces.get(`${pool} ${value}`)
      return unknown === undefined ? [] : [unknown]
    })
  }

  async record({ batch: { lines }, unkept }: RecordBatch): Promise<void> {
    await this.#travel()
    this.records.push({ records: lines === '' ? [] : lines.split('\n').map(parseConnection), unkept })
  }

  async slot({ access, slot }: { access: bigint; slot: number }): Promise<FeedSlot | null> {
    await this.#travel()
    return this.slots.get(`${access} ${slot}`) ?? null
  }

  async exits(): Promise<FeedExit[]> {
    await this.#travel()
    this.exitsAsked++
    return [...this.exitList]
  }

  async permits(gateway: Identity, { access, want }: { access: bigint; want: number }): Promise<number> {
    await this.#travel()
    const cap = [...this.accounts.values()].find((one) => one.access === access)?.limits?.connections ?? null
    const key = (owner: string) => `${access} ${owner}`
    const own = key(ownerOf(gateway))
    let others = 0
    for (const [name, held] of this.permitted) if (name.startsWith(key('')) && name !== own) others += held
    const granted = cap === null ? want : Math.max(0, Math.min(want, cap - others))
    if (cap === null || granted === 0) this.permitted.delete(own)
    else this.permitted.set(own, granted)
    return granted
  }

  async lease(gateway: Identity, request: LeaseRequest): Promise<LeaseGrant> {
    await this.#travel()
    this.leaseCalls++
    const owner = ownerOf(gateway)
    const all = [...this.leases.values()].filter((lease) => lease.access === request.access)
    const balance = this.balances.get(request.access) ?? 0n
    const isWanted = request.want_bytes > 0n
    const others = isWanted && all.some((lease) => lease.gateway !== owner && lease.left > 0n)
    let lease = all.find((candidate) => candidate.gateway === owner)
    const leasedBy = (own: Lease | undefined) =>
      all.reduce((sum, one) => (one === own ? sum : sum + one.left), 0n)
    if (balance === 0n || !isWanted) {
      if (others) this.emit({ type: 'lease_recalled', access: request.access })
      const capped = this.capped.get(request.access)
      return {
        lease: lease?.id ?? 0n,
        granted_bytes: 0n,
        ...(lease === undefined ? {} : { lease_bytes: lease.granted }),
        outstanding: others,
        elsewhere_bytes: leasedBy(lease),
        ...(capped === undefined ? {} : { capped }),
      }
    }
    let granted = request.want_bytes < balance ? request.want_bytes : balance
    if (granted > this.largestGrant) granted = this.largestGrant
    if (lease === undefined) {
      lease = { id: ++this.#lastLease, gateway: owner, access: request.access, granted: 0n, left: 0n }
      this.leases.set(lease.id, lease)
    }
    lease.left += granted
    lease.granted += granted
    this.balances.set(request.access, balance - granted)
    const elsewhere_bytes = balance - granted + leasedBy(lease)
    return {
      lease: lease.id,
      granted_bytes: granted,
      lease_bytes: lease.granted,
      outstanding: others,
      elsewhere_bytes,
    }
  }

  leasesOfUsers(gateway: Identity, requests: LeaseRequest[]): Promise<LeaseGrant[]> {
    return Promise.all(requests.map((request) => this.lease(gateway, request)))
  }

  async report(report: Report): Promise<void> {
    await this.#travel()
    const key = `${ownerOf(report)} ${report.sequence}`
    if (this.#settled.has(key)) return
    if (this.refused.has(report.sequence)) throw new ReportRefused(`report ${report.sequence} makes no sense`)
    this.#settled.add(key)
    this.reports++
    for (const line of report.lines) {
      const lease = this.leases.get(line.lease)
      if (lease === undefined || lease.access !== line.access) {
        this.faults.push(`a charge of ${line.charged_bytes} to the closed lease ${line.lease}`)
        continue
      }
      if (line.charged_bytes < 0n || line.charged_bytes > lease.left) {
        this.faults.push(`a charge of ${line.charged_bytes} to lease ${line.lease} that has ${lease.left}`)
      }
      lease.left -= line.charged_bytes
      this.charged.set(line.access, (this.charged.get(line.access) ?? 0n) + line.charged_bytes)
      this.requests.set(line.access, (this.requests.get(line.access) ?? 0) + line.requests)
      if (line.close) this.#close(lease)
    }
  }

  async heartbeat({ acknowledged }: { acknowledged?: number; live?: GatewayFigures }): Promise<void> {
    await this.#travel()
    this.acknowledged = acknowledged
  }

  async present(told: GatewayPresence): Promise<{ drain: boolean }> {
    await this.#travel()
    this.presences.push(told)
    return { drain: this.drained.has(told.name) }
  }

  async sessions(answer: OpenSessions): Promise<void> {
    await this.#travel()
    this.told.push(answer)
  }

  subscribe(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #close(lease: Lease): void {
    this.leases.delete(lease.id)
    this.balances.set(lease.access, (this.balances.get(lease.access) ?? 0n) + lease.left)
  }

  async #travel(): Promise<void> {
    await new Promise((resolve) =>
      this.latencyMs > 0 ? setTimeout(resolve, this.latencyMs) : setImmediate(resolve),
    )
    if (this.away) throw new Error('the feed is away')
  }
}

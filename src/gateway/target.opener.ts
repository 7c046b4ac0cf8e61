/** Opens the connection to the target of a session: target → exit. */

import { isPublic, type Ip } from '#lib/ip'
import type { Log } from '#lib/log'
import {
  type ConnectOptions,
  type ConnectRequest,
  type ConnectTarget,
  connectThroughExits,
  type ExitConnection,
  judgeForwarded,
} from './exits/connect.ts'
import type { Exits } from './exits/exits.ts'
import type { PoolLookupNeeds } from './exits/lookup.needs.ts'
import type { Probes } from './exits/probes.ts'
import type { ResponseHead } from './http/head.ts'
import type { Trace } from './records/trace.ts'
import type { Session } from './session.ts'
import {
  freshTarget,
  isExceptedAtPort,
  judgeTarget,
  lookUpTarget,
  type TargetRules,
} from './targets/rules.ts'
import { isShop, judgeShopPath, type Shop, shopTunnelAddresses } from './targets/shop.ts'
import { printTarget, type Target } from './targets/target.ts'

export interface TargetOpenerOptions {
  exits: Exits
  needs: PoolLookupNeeds
  probes: Pick<Probes, 'suspect'>
  rules: TargetRules
  limits: ConnectOptions['limits'] & {
    /** The time for which a new connection waits until its first bytes are leased. */
    leaseMs: number
  }
  log: Log
}

interface TracedRequest extends ConnectRequest {
  trace: Trace
}

/** Creates one object of options, which all connections share. */
function connectOptions({
  exits,
  limits,
  rules,
  probes,
  log,
}: TargetOpenerOptions): ConnectOptions<TracedRequest> {
  return {
    exits,
    limits,
    names: rules.names,
    onTry: ({ trace }, exit) => {
      trace.took('exit_chosen')
      trace.exit = exit.id
    },
    onFailure: ({ trace }, exit, { parts: { code, exit: reply }, blame }) => {
      if (blame === 'unclear') probes.suspect(exit)
      const answered = { code, blame, exit_status: reply?.status, exit_word: reply?.word }
      const { name, pool } = exit
      log.info({ request_id: trace.id, exit: name, pool, ...answered }, 'an exit failed')
    },
  }
}

export class TargetOpener {
  readonly #options: TargetOpenerOptions
  readonly #connectOptions: ConnectOptions<TracedRequest>

  constructor(options: TargetOpenerOptions) {
    this.#options = options
    this.#connectOptions = connectOptions(options)
  }

  /**
   * Connects to the target; `path` is that of a request to an http:// address, null for a tunnel. Refuses
   * forbidden targets (403), an exhausted balance (402) and a targeting that no exit serves (503), and
   * answers 502 or 504 when the target cannot be reached. A name is looked up last, since a lookup costs time
   * and load on name servers.
   */
  async open(
    session: Session,
    target: Target,
    firstBytes: number,
    path: string | null = null,
  ): Promise<ExitConnection> {
    const { limits, rules } = this.#options
    const { trace, admitted } = session
    const { account, targeting } = admitted
    trace.target = printTarget(target)
    session.allow(target)
    const shop = this.#judgeShop(target, path)
    const known = judgeTarget(target, rules)
    if (!session.charge.covers(firstBytes)) await session.cover(firstBytes, limits.leaseMs)
    const ips = known ?? this.#freshAddresses(account.pool, target) ?? (await this.#lookUp(session, target))
    const connection = await connectThroughExits(
      {
        who: account,
        targeting,
        target: connectTarget(target, ips, shop, path),
        plain: path !== null,
        signal: session.signal,
        trace,
      },
      this.#connectOptions,
    )
    trace.took('connected')
    trace.ends = connection.ends
    session.uses(connection)
    return connection
  }

  /** Waits until a further request over a kept connection is covered; null: it is. Refuses like `open`. */
  reopen(session: Session, target: Target, firstBytes: number, path: string): Promise<void> | null {
    session.allow(target)
    this.#judgeShop(target, path)
    if (session.charge.covers(firstBytes)) return null
    return session.cover(firstBytes, this.#options.limits.leaseMs)
  }

  /** Throws when the response to a request that an exit forwards is an error of the exit's own. */
  judgeForwarded(connection: ExitConnection, response: ResponseHead, requestedAt: number): void {
    judgeForwarded(this.#options.exits, connection, response, requestedAt)
  }

  /** The shop, when it is the target and no exception of the operator's opens all of it. */
  #judgeShop(target: Target, path: string | null): Shop | null {
    const { rules } = this.#options
    const { shop } = rules
    if (shop === undefined || !isShop(shop, target) || isExceptedAtPort(rules, target)) return null
    if (path !== null) judgeShopPath(shop, path)
    return shop
  }

  #freshAddresses(pool: string, target: Target): readonly Ip[] | null {
    return freshTarget(target, this.#options.rules, this.#options.needs.of(pool).families)
  }

  /** Lookups are counted for the customer: proxy users share one part of the queries, however many there are. */
  #lookUp({ account, admitted, signal }: Session, target: Target): Promise<readonly Ip[]> {
    const { needs, rules } = this.#options
    const { families, forJudgement } = needs.of(admitted.account.pool)
    return lookUpTarget(target, rules, { account, signal, families, forJudgement })
  }
}

function connectTarget(
  { name, port }: Target,
  ips: readonly Ip[],
  shop: Shop | null,
  path: string | null,
): ConnectTarget {
  if (shop === null) return { name, ips, port, loopbackSource: null, directOnly: false }
  const { loopbackSource } = shop
  if (path !== null) return { name, ips, port, loopbackSource, directOnly: false }
  const usable = shopTunnelAddresses(shop, ips)
  // On this machine another proxy would reach the shop from loopback, as the operator's own programs do.
  return { name, ips: usable, port, loopbackSource, directOnly: !usable.every(isPublic) }
}

/** From a session and its target to an open connection: target → exit. */

import type { Log } from '#lib/log'
import {
  type ConnectOptions,
  connectThroughExits,
  type ExitConnection,
  judgeForwarded,
} from './exits/connect.ts'
import type { Exits } from './exits/exits.ts'
import type { Probes } from './exits/probes.ts'
import type { ResponseHead } from './http/head.ts'
import type { Session } from './session.ts'
import { resolveTarget, type TargetRules } from './targets/rules.ts'
import { printTarget, type Target } from './targets/target.ts'

export interface TargetOpenerOptions {
  exits: Exits
  probes: Pick<Probes, 'suspect'>
  rules: TargetRules
  limits: ConnectOptions['limits'] & {
    /** How long a new connection waits for its first bytes to be leased. */
    leaseMs: number
  }
  log: Log
}

export class TargetOpener {
  readonly #options: TargetOpenerOptions

  constructor(options: TargetOpenerOptions) {
    this.#options = options
  }

  /**
   * Connects to the target; `plain` for a request to an http:// address. Refuses forbidden targets (403), an exhausted
   * balance (402) and a targeting that no exit serves (503), and answers 502 or 504 when the target cannot be reached.
   */
  async open(session: Session, target: Target, firstBytes: number, plain = false): Promise<ExitConnection> {
    const { exits, probes, limits, rules, log } = this.#options
    const { trace, admitted } = session
    const { account, targeting } = admitted
    trace.target = printTarget(target)
    session.allow(target)
    const ips = await resolveTarget(target, rules)
    await session.cover(firstBytes, limits.leaseMs)
    const connection = await connectThroughExits(
      {
        who: { account: account.id, pool: account.pool },
        targeting,
        target: { name: target.name, ips, port: target.port },
        plain,
        signal: session.signal,
      },
      {
        exits,
        limits,
        resolve: rules.resolve,
        onTry: (exit) => {
          trace.took('exit_chosen')
          trace.exit = exit.id
        },
        onFailure: (exit, { parts: { code, exit: reply }, blame }) => {
          if (blame === 'unclear') probes.suspect(exit)
          const answered = { code, blame, exit_status: reply?.status, exit_word: reply?.word }
          const { name, pool } = exit
          log.info({ request_id: trace.id, exit: name, pool, ...answered }, 'an exit failed')
        },
      },
    )
    trace.took('connected')
    trace.country = connection.country
    return connection
  }

  /** Waits until a further request over a kept connection is covered; null: it is. Refuses like `open`. */
  reopen(session: Session, target: Target, firstBytes: number): Promise<void> | null {
    session.allow(target)
    if (session.charge.covers(firstBytes)) return null
    return session.cover(firstBytes, this.#options.limits.leaseMs)
  }

  /** Throws when the response to a request that an exit forwards is an error of the exit's own. */
  judgeForwarded(connection: ExitConnection, response: ResponseHead, requestedAt: number): void {
    judgeForwarded(this.#options.exits, connection, response, requestedAt)
  }
}

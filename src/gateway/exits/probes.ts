/**
 * Health checks: an exit that nothing was heard of for a while is asked whether it is there, and one that is left alone
 * whether it is well again, so that no customer has to try it. With a target of the operator's choice a check is a whole
 * tunnel; without one it stops at the handshake, which can show that an exit is down but not that it is well.
 */

import { dialChained, greetExit, type ChainLink } from './chain.ts'
import type { GatewayLog } from '../engine.ts'
import { WayRefusal } from './failure.ts'
import type { Exits } from './exits.ts'
import type { FeedExit } from '#feed'
import { parseAuthority, resolveTarget, type TargetRules } from '../targets/target.ts'

const TICK_MS = 5_000
const AFTER_MS = 30_000
const CHECK_MS = 10_000
/** A suspicion is looked into once in this time, however many customers have it. */
const SUSPECT_MS = 5_000

export interface ProbesOptions {
  exits: Exits
  rules: TargetRules
  onFailure: (exit: FeedExit, what: string) => void
  /** An exit is checked when nothing was heard of it for so long; null: none ever is. Default: 30 s. */
  afterMs?: number | null | undefined
  now?: () => number
  /** Default: a real check. */
  check?: (exit: FeedExit, rules: TargetRules) => Promise<void>
}

/** Throws a WayRefusal that says what is wrong; passes when nothing is. */
export async function checkExit(exit: FeedExit, rules: TargetRules): Promise<void> {
  const signal = AbortSignal.timeout(CHECK_MS)
  const credentials =
    exit.username === null && exit.preset === null
      ? null
      : { username: exit.username ?? '', password: exit.password ?? '' }
  const deadline = performance.now() + CHECK_MS
  const link: ChainLink = { exit, credentials, resolve: rules.resolve, signal, deadline }
  if (exit.probe_target === null) {
    await greetExit(link)
    return
  }
  const target = parseAuthority(exit.probe_target, null)
  const { name, port } = target
  const ips = await resolveTarget(target, rules)
  const side = await dialChained(link, { name, ips, port })
  side.socket.destroy()
}

/** Tells the operator what a check found. */
export const sayIn =
  (log: Pick<GatewayLog, 'warn'>): ProbesOptions['onFailure'] =>
  ({ id, name, pool }, what) =>
    log.warn({ exit: name, exit_id: id.toString(), pool, what }, 'a health check of an exit failed')

export class Probes {
  readonly #options: ProbesOptions
  readonly #now: () => number
  readonly #check: (exit: FeedExit, rules: TargetRules) => Promise<void>
  readonly #afterMs: number | null
  readonly #underWay = new Set<bigint>()
  readonly #checkedAt = new Map<bigint, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(options: ProbesOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#check = options.check ?? checkExit
    this.#afterMs = options.afterMs === undefined ? AFTER_MS : options.afterMs
  }

  start(): void {
    const tickMs = Math.min(TICK_MS, this.#afterMs ?? TICK_MS)
    this.#timer = setInterval(() => this.tick(), tickMs).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  /** Checks whatever is due. */
  tick(): void {
    for (const exit of this.#options.exits.all) if (this.#isDue(exit)) void this.probe(exit)
  }

  /** A connection failed, and it may have been the exit: it is checked now rather than later. */
  suspect(exit: FeedExit): void {
    // A handshake says nothing about what is behind it.
    if (exit.kind === 'direct' || exit.probe_target === null || this.#afterMs === null) return
    if (this.#sinceMs(exit) >= SUSPECT_MS) void this.probe(exit)
  }

  /** Checks one exit; what comes out is told to its health. */
  async probe(exit: FeedExit): Promise<void> {
    if (this.#underWay.has(exit.id)) return
    this.#underWay.add(exit.id)
    this.#checkedAt.set(exit.id, this.#now())
    const { exits, onFailure, rules } = this.#options
    const startedAt = this.#now()
    try {
      await this.#check(exit, rules)
      if (exit.probe_target !== null) exits.health.note(exit.id, { latencyMs: this.#now() - startedAt })
    } catch (fault) {
      if (!(fault instanceof WayRefusal) || fault.blame === 'target') {
        // The chosen target is away, or our own resolver: nothing about the exit.
        onFailure(exit, 'the target of the health check cannot be reached')
        return
      }
      const what = `${fault.parts.code} ${fault.parts.exit?.word ?? ''}`.trim()
      onFailure(exit, what)
      exits.health.note(exit.id, { what, lasting: fault.lasting })
    } finally {
      this.#underWay.delete(exit.id)
    }
  }

  #isDue(exit: FeedExit): boolean {
    if (exit.kind === 'direct' || this.#afterMs === null) return false
    const state = this.#options.exits.health.state(exit.id)
    if (state === 'open') return false
    if (state === 'half_open') return exit.probe_target !== null
    return Math.min(this.#sinceMs(exit), this.#options.exits.health.silentMs(exit.id)) >= this.#afterMs
  }

  #sinceMs({ id }: FeedExit): number {
    return this.#now() - (this.#checkedAt.get(id) ?? -Infinity)
  }
}

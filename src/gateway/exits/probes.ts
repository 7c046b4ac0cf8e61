/**
 * Health checks: an exit without recent connections is checked, and so is one whose breaker is half open, so
 * that no customer has to try it. With a target of the operator's choice a check is a whole tunnel; without
 * one it ends with the handshake, which can show that an exit is down but not that it works.
 */

import type { FeedExit } from '#feed'
import { Cancellation, type CancelSignal } from '#lib/cancel-signal'
import type { Log } from '#lib/log'
import { ProxyRefusal } from '../responses/refusal.ts'
import { parseAuthority } from '../targets/target.ts'
import { resolveTarget, type TargetRules } from '../targets/rules.ts'
import { acceptsPipelining, type ChainLink, type ChainTarget, greetExit, openTunnel } from './chain.ts'
import type { Exits } from './exits.ts'
import { ExitFailure } from './failure.ts'
import type { Pipelining } from './shortcuts.ts'

const TICK_MS = 5_000
const AFTER_MS = 30_000
const CHECK_MS = 10_000
/** A suspected exit is checked once in this time, whatever the number of failures. */
const SUSPECT_MS = 5_000

export interface ProbesOptions {
  exits: Exits
  rules: TargetRules
  onFailure: (exit: FeedExit, what: string) => void
  /** An exit is checked after this time without a connection; null: never. Default: 30 s. */
  afterMs?: number | null | undefined
  now?: () => number
  /** Default: a real check. */
  check?: (exit: FeedExit, rules: TargetRules) => Promise<void>
}

function linkOf(exit: FeedExit, rules: TargetRules): ChainLink {
  const credentials =
    exit.username === null && exit.preset === null
      ? null
      : { username: exit.username ?? '', password: exit.password ?? '' }
  const { names } = rules
  const signal = Cancellation.after(CHECK_MS)
  const deadline = performance.now() + CHECK_MS
  return { exit, credentials, names, signal, deadline, shortcuts: null, reached: null }
}

async function targetOf(text: string, rules: TargetRules, signal: CancelSignal): Promise<ChainTarget> {
  const target = parseAuthority(text, null)
  const { name, port } = target
  return { name, ips: await resolveTarget(target, rules, { account: null, signal }), port }
}

/** Throws an ExitFailure with the cause. */
async function checkExit(exit: FeedExit, rules: TargetRules): Promise<void> {
  const link = linkOf(exit, rules)
  if (exit.probe_target === null) {
    await greetExit(link)
    return
  }
  const { socket } = await openTunnel(link, await targetOf(exit.probe_target, rules, link.signal))
  socket.destroy()
}

/** Tries a handshake in one segment, before the check itself, which is an ordinary one. */
async function tryPipelining(exit: FeedExit, rules: TargetRules, pipelining: Pipelining): Promise<void> {
  if (exit.probe_target === null) return
  const link = linkOf(exit, rules)
  const target = await targetOf(exit.probe_target, rules, link.signal)
  pipelining.learn(exit.id, await acceptsPipelining(link, target))
}

/** Logs failed checks for the operator. */
export const logFailures =
  (log: Pick<Log, 'warn'>): ProbesOptions['onFailure'] =>
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

  /** Checks the exits that are due. */
  tick(): void {
    for (const exit of this.#options.exits.all) if (this.#isDue(exit)) void this.probe(exit)
  }

  /** A connection failed, possibly because of the exit: the exit is checked now. */
  suspect(exit: FeedExit): void {
    // A handshake alone would not reveal a fault behind it.
    if (exit.kind === 'direct' || exit.probe_target === null || this.#afterMs === null) return
    if (this.#sinceMs(exit) >= SUSPECT_MS) void this.probe(exit)
  }

  /** Checks one exit, and reports the outcome to its health. */
  async probe(exit: FeedExit): Promise<void> {
    if (this.#underWay.has(exit.id)) return
    this.#underWay.add(exit.id)
    this.#checkedAt.set(exit.id, this.#now())
    const { exits, onFailure, rules } = this.#options
    const startedAt = this.#now()
    try {
      if (exits.pipelining.isUntried(exit)) await tryPipelining(exit, rules, exits.pipelining)
      await this.#check(exit, rules)
      if (exit.probe_target !== null) exits.health.note(exit.id, { latencyMs: this.#now() - startedAt })
    } catch (error) {
      if (!(error instanceof ExitFailure) || error.blame === 'target') {
        // The operator's target is unreachable, or the resolver fails: that says nothing about the exit.
        const why = error instanceof ProxyRefusal ? `: ${error.message}` : ''
        onFailure(exit, `the target of the health check cannot be reached${why}`)
        return
      }
      onFailure(exit, error.what)
      exits.health.note(exit.id, error)
    } finally {
      this.#underWay.delete(exit.id)
    }
  }

  #isDue(exit: FeedExit): boolean {
    if (exit.kind === 'direct' || this.#afterMs === null) return false
    const state = this.#options.exits.health.state(exit.id)
    if (state === 'open') return false
    if (state === 'half_open') return exit.probe_target !== null
    if (this.#options.exits.pipelining.isUntried(exit)) return true
    return Math.min(this.#sinceMs(exit), this.#options.exits.health.silentMs(exit.id)) >= this.#afterMs
  }

  #sinceMs({ id }: FeedExit): number {
    return this.#now() - (this.#checkedAt.get(id) ?? -Infinity)
  }
}

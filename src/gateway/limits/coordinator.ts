/**
 * The coordinator of the workers of one machine, in the process that started them: it adds up failed logins
 * and counts, divides the connections of exits that have a limit, and passes on loads and connections.
 */

import type { PassedConnection } from '../sharing/messages.ts'
import { SharedLoads } from '../sharing/shared.loads.ts'
import { FAILURES_PER_WINDOW, FailureCounts } from './failure.counts.ts'
import { SharedTotals } from './shared.totals.ts'
import { type CoordinatorMessage, type CountedKind, countedKinds, type WorkerMessage } from './worker.bus.ts'

/**
 * A worker whose permits are recalled answers within this time, or is assumed to need the permits it holds.
 */
const RECALL_MS = 50
/**
 * A worker that reported its need this recently is not asked again, when many workers find an exit full at
 * the same time.
 */
const RECENT_MS = 10

/** Sends a message to a worker, perhaps with a connection. */
type Send = (message: CoordinatorMessage, connection?: PassedConnection) => void

interface Member {
  send: Send
  counts: Map<CountedKind, ReturnType<SharedTotals['join']>>
  loads: ReturnType<SharedLoads['join']>
  /** By exit: the permits it holds, and when it reported its need. */
  permits: Map<string, { held: number; reportedAt: number }>
}

/** A request for permits that waits for others to give some back. */
interface PendingRequest {
  member: Member
  request: number
  exit: string
  most: number
  want: number
  /** Members that have not answered the recall. */
  recalled: Set<Member>
  timer: NodeJS.Timeout
}

export class WorkerCoordinator {
  readonly #now: () => number
  readonly #recallMs: number
  readonly #members = new Set<Member>()
  readonly #failures: FailureCounts
  readonly #totals = new Map(countedKinds.map((kind) => [kind, new SharedTotals()]))
  readonly #loads = new SharedLoads()
  #pending: PendingRequest[] = []

  constructor(options: { now?: () => number; recallMs?: number } = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#recallMs = options.recallMs ?? RECALL_MS
    this.#failures = new FailureCounts(this.#now)
  }

  /** Adds a worker: pass its messages to `receive`, and call `leave` when it has ended. */
  join(send: Send): {
    receive: (message: WorkerMessage, connection?: PassedConnection) => void
    leave: () => void
  } {
    const member: Member = { send, counts: new Map(), loads: this.#loads.join(send), permits: new Map() }
    for (const [counted, totals] of this.#totals)
      member.counts.set(
        counted,
        totals.join((counts) => send({ kind: 'totals', counted, counts })),
      )
    this.#members.add(member)
    for (const [network, leftMs] of this.#failures.throttled()) send({ kind: 'throttled', network, leftMs })
    return {
      receive: (message, connection) => this.#receive(member, message, connection),
      leave: () => this.#left(member),
    }
  }

  #receive(member: Member, message: WorkerMessage, connection?: PassedConnection): void {
    if (message.kind === 'exit_permits') return this.#requested(member, message)
    if (message.kind === 'counts') return member.counts.get(message.counted)?.reported(message.counts)
    if (message.kind !== 'login_failed' && message.kind !== 'logins_verified')
      return member.loads.receive(message, connection)
    const { network } = message
    if (message.kind === 'logins_verified') {
      const { keys } = message
      for (const other of this.#members)
        if (other !== member) other.send({ kind: 'logins_verified', network, keys })
      return
    }
    const { count, leftMs } = this.#failures.add(network)
    if (count !== FAILURES_PER_WINDOW) return
    for (const each of this.#members) each.send({ kind: 'throttled', network, leftMs })
  }

  /** A worker has ended, and its connections with it. */
  #left(member: Member): void {
    this.#members.delete(member)
    for (const { leave } of member.counts.values()) leave()
    member.loads.leave()
    for (const { timer } of this.#pending.filter((one) => one.member === member)) clearTimeout(timer)
    this.#pending = this.#pending.filter((one) => one.member !== member)
    for (const exit of member.permits.keys()) this.#servePending(exit, member)
  }

  #requested(member: Member, message: Extract<WorkerMessage, { kind: 'exit_permits' }>): void {
    const { request, exit, most, want } = message
    const granted = this.#grant(member, { exit, most, want })
    this.#servePending(exit, member)
    const recalled = granted < want ? this.#mayGiveBack(member, exit) : []
    if (recalled.length === 0) return member.send({ kind: 'exit_permits_granted', request, exit, granted })
    const pending: PendingRequest = {
      member,
      request,
      exit,
      most,
      want,
      recalled: new Set(recalled),
      timer: setTimeout(() => this.#answer(pending), this.#recallMs),
    }
    this.#pending.push(pending)
    for (const other of recalled) other.send({ kind: 'exit_permits_recalled', exit })
  }

  #grant(member: Member, { exit, most, want }: Pick<PendingRequest, 'exit' | 'most' | 'want'>): number {
    let others = 0
    for (const other of this.#members) if (other !== member) others += other.permits.get(exit)?.held ?? 0
    const held = Math.max(0, Math.min(want, most - others))
    if (want === 0) member.permits.delete(exit)
    else member.permits.set(exit, { held, reportedAt: this.#now() })
    return held
  }

  /** The members that hold permits of this exit and have not just reported their need. */
  #mayGiveBack(member: Member, exit: string): Member[] {
    const requesting = new Set(this.#pending.filter((one) => one.exit === exit).map((one) => one.member))
    return [...this.#members].filter((other) => {
      const permits = other.permits.get(exit)
      if (other === member || requesting.has(other) || permits === undefined) return false
      return permits.held > 0 && this.#now() - permits.reportedAt >= RECENT_MS
    })
  }

  /**
   * A member has reported its need, or has ended: pending requests get the returned permits, oldest first.
   */
  #servePending(exit: string, reported: Member): void {
    for (const pending of this.#pending.filter((one) => one.exit === exit)) {
      pending.recalled.delete(reported)
      const granted = this.#grant(pending.member, pending)
      if (granted === pending.want || pending.recalled.size === 0) this.#answer(pending)
    }
  }

  #answer(pending: PendingRequest): void {
    clearTimeout(pending.timer)
    this.#pending = this.#pending.filter((one) => one !== pending)
    const { member, request, exit } = pending
    member.send({ kind: 'exit_permits_granted', request, exit, granted: this.#grant(member, pending) })
  }
}

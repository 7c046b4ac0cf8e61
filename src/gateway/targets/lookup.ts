/** One lookup that waits for answers: when it ends, and which addresses it returns. */

import type { CancelSignal } from '#lib/cancel-signal'
import type { Ip } from '#lib/ip'
import type { Failure, Family, NameRecord } from './name.cache.ts'
import type { Question, Waiter } from './name.queue.ts'

/** One record per requested family. */
export type Records = Map<Family, NameRecord>

export type NameFaultCode =
  | 'not_found'
  | 'no_data'
  | Failure
  /** The account's limit of concurrent lookups is reached. */
  | 'too_many_lookups'
  /** The worker's queue has no room for this account. */
  | 'queue_full'
  | 'aborted'
  | 'closed'

/**
 * Milliseconds until these records are used without the missing ones: 0 when they are sufficient, null while
 * they are not. With IPv4 addresses, AAAA is awaited for the resolution delay only (RFC 8305 3). The A record
 * is always awaited: the caller gets one list and no later addition, and many exits have no IPv6. NXDOMAIN
 * for A denies AAAA as well (RFC 8020); NXDOMAIN for AAAA proves nothing, since some servers send it for
 * names that have A records (RFC 4074 4.2).
 */
export function waitWith(
  records: Records,
  { families, now, delayMs }: { families: readonly Family[]; now: number; delayMs: number },
): number | null {
  const four = records.get(4)
  if (families.every((family) => records.has(family)) || four?.outcome === 'not_found') return 0
  return four?.outcome === 'addresses' ? Math.max(0, four.answeredAt + delayMs - now) : null
}

/** The addresses with the families alternating, beginning with the first family (RFC 8305 4). */
export function interleave(records: Records, families: readonly Family[]): Ip[] {
  const lists = families.map((family) => records.get(family)?.ips ?? [])
  const longest = Math.max(...lists.map(({ length }) => length))
  const ips: Ip[] = []
  for (let index = 0; index < longest; index++) {
    for (const list of lists) {
      const ip = list[index]
      if (ip !== undefined) ips.push(ip)
    }
  }
  return ips
}

/**
 * Why there is no address. A failure of one family outweighs a denial of the other, which is then not the
 * whole answer.
 */
export function faultOf(records: Records): NameFaultCode {
  const outcomes = [records.get(4)?.outcome, records.get(6)?.outcome]
  for (const outcome of ['timed_out', 'server_failed'] as const)
    if (outcomes.includes(outcome)) return outcome
  const [first = outcomes[1]] = outcomes
  return first === 'not_found' ? 'not_found' : 'no_data'
}

export interface LookupParts {
  families: readonly Family[]
  /** Records that are available already; answers are added. */
  records: Records
  /** Addresses past their time to live, used when the answer takes long. */
  old: Records
  questions: readonly Question[]
  signal: CancelSignal | undefined
  limits: { deadlineMs: number; staleAnswerMs: number; resolutionDelayMs: number }
  now: () => number
  /** The lookup no longer needs the answer to this question. */
  leave: (question: Question, lookup: Lookup) => void
  /** Called once; null means that the records hold the result. */
  done: (fault: NameFaultCode | null) => void
}

export class Lookup implements Waiter {
  readonly #parts: LookupParts
  readonly #pending: Map<Family, Question>
  readonly #timers: NodeJS.Timeout[]
  #delay: NodeJS.Timeout | null = null
  #isOver = false
  readonly #abort = () => this.end('aborted')

  constructor(parts: LookupParts) {
    const { questions, old, limits } = parts
    this.#parts = parts
    this.#pending = new Map(questions.map((question) => [question.family, question]))
    for (const question of questions) question.waiters.add(this)
    this.#timers = [setTimeout(() => this.#tooLate(), limits.deadlineMs)]
    if (old.size > 0) this.#timers.push(setTimeout(() => this.#takeOld(), limits.staleAnswerMs))
  }

  /** Called once the questions are sent. Records that are known already may end the lookup early. */
  start(): void {
    this.#parts.signal?.addEventListener('abort', this.#abort)
    this.#consider()
  }

  answered(family: Family, record: NameRecord): void {
    this.#pending.delete(family)
    this.#parts.records.set(family, record)
    this.#consider()
  }

  end(fault: NameFaultCode | null): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#delay !== null) clearTimeout(this.#delay)
    this.#parts.signal?.removeEventListener('abort', this.#abort)
    for (const question of this.#pending.values()) this.#parts.leave(question, this)
    this.#parts.done(fault)
  }

  #tooLate(): void {
    const isAny = [...this.#parts.records.values()].some(({ outcome }) => outcome === 'addresses')
    this.end(isAny ? null : 'timed_out')
  }

  #takeOld(): void {
    const { old, records, leave } = this.#parts
    for (const [family, record] of old) {
      const question = this.#pending.get(family)
      if (question === undefined) continue
      this.#pending.delete(family)
      leave(question, this)
      records.set(family, record)
    }
    this.#consider()
  }

  #consider(): void {
    const { records, families, limits, now } = this.#parts
    const waitMs = waitWith(records, { families, now: now(), delayMs: limits.resolutionDelayMs })
    if (waitMs === 0) this.end(null)
    else if (waitMs !== null) this.#delay ??= setTimeout(() => this.end(null), waitMs)
  }
}

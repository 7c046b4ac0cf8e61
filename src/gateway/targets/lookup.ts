/** One lookup that waits for questions: until when it waits, and what it makes of the answers. */

import type { Ip } from '#lib/ip'
import type { Failure, Family, NameRecord } from './name.cache.ts'
import type { Question, Waiter } from './name.queue.ts'

/** What is known of each family that is asked for. */
export type Records = Map<Family, NameRecord>

export type NameFaultCode =
  | 'not_found'
  | 'no_data'
  | Failure
  /** The account has as many lookups under way as it may. */
  | 'too_many_lookups'
  /** All accounts together have. */
  | 'queue_full'
  | 'aborted'
  | 'closed'

/** What is used of an AbortSignal. */
export interface Abortable {
  readonly aborted: boolean
  addEventListener(event: 'abort', listener: () => void): void
  removeEventListener(event: 'abort', listener: () => void): void
}

/**
 * How long these records are to be waited with for the rest: 0 when they decide, null while they do not. IPv6 addresses
 * are waited for a moment when there are IPv4 ones (RFC 8305 3). IPv4 addresses are always waited for, because what is
 * given here is all that will be tried, and many an exit has no IPv6. Without the A record's name there is no AAAA record
 * either (RFC 8020), but not the other way round: some servers deny names for AAAA only (RFC 4074 4.2).
 */
export function waitWith(
  records: Records,
  { families, now, delayMs }: { families: readonly Family[]; now: number; delayMs: number },
): number | null {
  const four = records.get(4)
  if (families.every((family) => records.has(family)) || four?.outcome === 'not_found') return 0
  return four?.outcome === 'addresses' ? Math.max(0, four.answeredAt + delayMs - now) : null
}

/** The addresses of all families in turns, the first family's first (RFC 8305 4). */
export function interleave(records: Records, families: readonly Family[]): Ip[] {
  const lists = families.map((family) => records.get(family)?.ips ?? [])
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => lists.map((list) => list[index]))
    .flat()
    .filter((ip) => ip !== undefined)
}

/** Why there is no address. A failure says more than a denial: with an answer there might have been one. */
export function faultOf(records: Records): NameFaultCode {
  const outcomes = [records.get(4)?.outcome, records.get(6)?.outcome]
  for (const outcome of ['timed_out', 'server_failed'] as const)
    if (outcomes.includes(outcome)) return outcome
  const [first = outcomes[1]] = outcomes
  return first === 'not_found' ? 'not_found' : 'no_data'
}

export interface LookupParts {
  families: readonly Family[]
  /** What is known already. */
  records: Records
  /** Records past their time to live, to be used when the answer takes long. */
  old: Records
  questions: readonly Question[]
  signal: Abortable | undefined
  limits: { deadlineMs: number; staleAnswerMs: number; resolutionDelayMs: number }
  now: () => number
  /** The lookup waits for this question no longer, though it is not answered. */
  leave: (question: Question, lookup: Lookup) => void
  /** Called once; with null when the records say what there is. */
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

  /** What is known already may be enough, and the signal may have been given before. */
  start(): void {
    const { signal } = this.#parts
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted === true) this.end('aborted')
    else this.#consider()
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

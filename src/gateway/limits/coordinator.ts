/**
 * What the workers of one machine settle among themselves, through the process that started them: which networks are
 * braked for guessing, how many connections of an exit each may hold, and how many a customer or an address has that
 * comes near a limit. Nothing else is said, so that nearly nobody costs anybody a word.
 */

import { FAILURES_PER_WINDOW, FailureCounts } from '../admission/login.throttle.ts'
import { Census } from './shared.totals.ts'

/** What is counted over all workers, see `headcount.ts`; of an address its connections, and those of strangers. */
const counted = ['accounts', 'addresses', 'strangers'] as const
export type Counted = (typeof counted)[number]

/** What a worker says. */
export type WorkerWord =
  /** A wrong password came from this network. */
  | { kind: 'guess'; network: string }
  /** These have shown a right one from there lately. */
  | { kind: 'vouch'; network: string; keys: string[] }
  /** So many connections of an exit it holds, or would like to; `most` is the exit's limit. Answered with `granted`. */
  | { kind: 'seats'; ask: number; exit: string; most: number; want: number }
  /** So many of each it has. */
  | { kind: 'counts'; counted: Counted; counts: [key: string, count: number][] }

/** What it is told. */
export type FamilyWord =
  /** So many wrong passwords came from this network to all workers together that it has to wait. */
  | { kind: 'braked'; network: string; leftMs: number }
  /** What another worker vouches for. */
  | { kind: 'vouched'; network: string; keys: string[] }
  /** It may hold so many connections. */
  | { kind: 'granted'; ask: number; exit: string; seats: number }
  /** Another worker needs connections of this exit: say at once how many are in use. */
  | { kind: 'recalled'; exit: string }
  /** So many of each all others have. */
  | { kind: 'others'; counted: Counted; counts: [key: string, count: number][] }

/** A worker's end. */
export interface Siblings {
  /** How many workers there are, this one with them. */
  readonly count: number
  say(word: WorkerWord): void
  /** Hears until the gateway's process ends. */
  hear(listener: (word: FamilyWord) => void): void
}

/** Who is recalled answers within this time, or is taken to need what it holds. */
const RECALL_MS = 50
/** Who said so lately what it needs is not asked again: many at once find an exit full. */
const LATELY_MS = 10

interface Member {
  say: (word: FamilyWord) => void
  counts: Map<Counted, ReturnType<Census['join']>>
  /** By exit: how many it holds, and when it said what it needs. */
  seats: Map<string, { held: number; saidAt: number }>
}

interface Waiting {
  member: Member
  ask: number
  exit: string
  most: number
  want: number
  /** Who may still give some back. */
  recalled: Set<Member>
  timer: NodeJS.Timeout
}

/** The end of the process that started the workers. */
export class Family {
  readonly #now: () => number
  readonly #members = new Set<Member>()
  readonly #failures: FailureCounts
  readonly #censuses = new Map(counted.map((kind) => [kind, new Census()]))
  #waiting: Waiting[] = []

  constructor(options: { now?: () => number } = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#failures = new FailureCounts(this.#now)
  }

  /** One worker more; `hear` what it says, and `leave` when it has ended. */
  join(say: (word: FamilyWord) => void): { hear: (word: WorkerWord) => void; leave: () => void } {
    const member: Member = { say, counts: new Map(), seats: new Map() }
    for (const [kind, census] of this.#censuses)
      member.counts.set(
        kind,
        census.join((counts) => say({ kind: 'others', counted: kind, counts })),
      )
    this.#members.add(member)
    for (const [network, leftMs] of this.#failures.over(FAILURES_PER_WINDOW))
      say({ kind: 'braked', network, leftMs })
    return { hear: (word) => this.#heard(member, word), leave: () => this.#left(member) }
  }

  #heard(member: Member, word: WorkerWord): void {
    if (word.kind === 'seats') return this.#asked(member, word)
    if (word.kind === 'counts') return member.counts.get(word.counted)?.told(word.counts)
    if (word.kind === 'vouch') {
      const { network, keys } = word
      for (const other of this.#members) if (other !== member) other.say({ kind: 'vouched', network, keys })
      return
    }
    const { network } = word
    const { count, leftMs } = this.#failures.add(network)
    if (count !== FAILURES_PER_WINDOW) return
    for (const each of this.#members) each.say({ kind: 'braked', network, leftMs })
  }

  /** Its connections have ended with it. */
  #left(member: Member): void {
    this.#members.delete(member)
    for (const { leave } of member.counts.values()) leave()
    for (const { timer } of this.#waiting.filter((one) => one.member === member)) clearTimeout(timer)
    this.#waiting = this.#waiting.filter((one) => one.member !== member)
    for (const exit of member.seats.keys()) this.#serve(exit, member)
  }

  #asked(member: Member, { ask, exit, most, want }: Extract<WorkerWord, { kind: 'seats' }>): void {
    const seats = this.#grant(member, { exit, most, want })
    this.#serve(exit, member)
    const recalled = seats < want ? this.#mayGiveBack(member, exit) : []
    if (recalled.length === 0) return member.say({ kind: 'granted', ask, exit, seats })
    const waiting: Waiting = {
      member,
      ask,
      exit,
      most,
      want,
      recalled: new Set(recalled),
      timer: setTimeout(() => this.#answer(waiting), RECALL_MS),
    }
    this.#waiting.push(waiting)
    for (const other of recalled) other.say({ kind: 'recalled', exit })
  }

  #grant(member: Member, { exit, most, want }: Pick<Waiting, 'exit' | 'most' | 'want'>): number {
    let others = 0
    for (const other of this.#members) if (other !== member) others += other.seats.get(exit)?.held ?? 0
    const held = Math.max(0, Math.min(want, most - others))
    if (want === 0) member.seats.delete(exit)
    else member.seats.set(exit, { held, saidAt: this.#now() })
    return held
  }

  /** Those who hold connections of this exit and have not just said that they need them. */
  #mayGiveBack(member: Member, exit: string): Member[] {
    const asking = new Set(this.#waiting.filter((one) => one.exit === exit).map((one) => one.member))
    return [...this.#members].filter((other) => {
      const seats = other.seats.get(exit)
      if (other === member || asking.has(other) || seats === undefined) return false
      return seats.held > 0 && this.#now() - seats.saidAt >= LATELY_MS
    })
  }

  /** One of them has said what it needs, or has ended: those who wait have what it gave back, the first one first. */
  #serve(exit: string, told: Member): void {
    for (const waiting of this.#waiting.filter((one) => one.exit === exit)) {
      waiting.recalled.delete(told)
      const seats = this.#grant(waiting.member, waiting)
      if (seats === waiting.want || waiting.recalled.size === 0) this.#answer(waiting)
    }
  }

  #answer(waiting: Waiting): void {
    clearTimeout(waiting.timer)
    this.#waiting = this.#waiting.filter((one) => one !== waiting)
    const { member, ask, exit } = waiting
    member.say({ kind: 'granted', ask, exit, seats: this.#grant(member, waiting) })
  }
}

/** Whether a call may be made now, and in whose turn: paces, and the queues of heavy work, of one web server. */
import type { Name } from '#contract/wire'
import { FairQueue } from '#lib/fair-queue'
import { networksOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { type Kind, kindOf, kinds, tokensOf } from './costs.ts'
import { accountPace, Pace, type PaceOptions, publicPace, subjectOf } from './pace.ts'

/** Who makes a call: an account's id where a token was shown, and the address in any case. */
interface Asker {
  account: { id: bigint } | null
  ip: string
}

export class Admission {
  readonly #ofAddresses = new Pace(publicPace)
  readonly #ofAccounts: Pace
  readonly #queues = Object.fromEntries(
    Object.entries(kinds).map(([kind, bounds]) => [kind, new FairQueue(bounds)]),
  ) as Record<Kind, FairQueue>
  readonly #now: () => Date

  constructor({ now, pace = accountPace }: { now: () => Date; pace?: PaceOptions | undefined }) {
    this.#now = now
    this.#ofAccounts = new Pace(pace)
  }

  /** Counts a call that needs no token. Refuses with `too_many_requests`, as the next two do. */
  admitAnybody(ip: string): void {
    this.#admit(this.#ofAddresses, subjectOf(ip), 1)
  }

  /** Counts a call in an account's name, before its input is known. */
  admitAccount(id: bigint): void {
    this.#admit(this.#ofAccounts, String(id), 1)
  }

  /** Counts what a call in an account's name costs beyond the one token it has taken. */
  admitCost(name: Name, input: unknown, { account }: Asker): void {
    const more = tokensOf(name, input) - 1
    if (account !== null && more > 0) this.#admit(this.#ofAccounts, String(account.id), more)
  }

  /** Does a light call at once and a heavy one in its turn. Refuses with `too_many_requests` when too many wait. */
  inTurn<T>(name: Name, input: unknown, { account, ip }: Asker, work: () => Promise<T>): Promise<T> {
    const kind = kindOf(name, input)
    if (kind === null) return work()
    const isOfAccount = kinds[kind].turnOf === 'account' && account !== null
    return this.#queues[kind].run(isOfAccount ? [String(account.id)] : networksOf(ip), work)
  }

  #admit(pace: Pace, subject: string | null, tokens: number): void {
    const seconds = pace.take(subject, this.#now(), tokens)
    if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
  }
}

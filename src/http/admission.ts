/** Whether a call may be made now, and in whose turn: paces, and the queues of heavy work, of one web server. */
import type { Name } from '#contract/wire'
import { FairQueue } from '#lib/fair-queue'
import { networksOf, siteOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { type Kind, kindOf, kinds, tokensOf } from './costs.ts'
import { accountPace, Pace, type PaceOptions, publicPace, subjectOf } from './pace.ts'

/** Who makes a call: an account's id where a token was shown, and the address in any case. */
interface Asker {
  account: { id: bigint } | null
  ip: string
}

/** How long a site whose password was refused waits behind those that brought no wrong one. */
const failedForMs = 15 * 60_000

/** Sites that are remembered for it. */
const maxFailed = 50_000

export class Admission {
  readonly #ofAddresses = new Pace(publicPace)
  readonly #ofAccounts: Pace
  readonly #queues = Object.fromEntries(
    Object.entries(kinds).map(([kind, bounds]) => [kind, new FairQueue(bounds)]),
  ) as Record<Kind, FairQueue>
  /** When the last password of a site was refused, in milliseconds since 1970. */
  readonly #failedAtMs = new Map<string, number>()
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
    const queue = this.#queues[kind]
    if (kind === 'passwords') return this.#hash(queue, ip, work)
    const isOfAccount = kinds[kind].turnOf === 'account' && account !== null
    return queue.run(isOfAccount ? [String(account.id)] : networksOf(ip), work)
  }

  /**
   * Every second turn is of the sites that have brought no wrong password lately: guessers who come from everywhere leave
   * room to those who do not guess, once they have failed.
   */
  async #hash<T>(queue: FairQueue, ip: string, work: () => Promise<T>): Promise<T> {
    const site = siteOf(ip)
    const sinceMs = this.#now().getTime() - (this.#failedAtMs.get(site) ?? -Infinity)
    const standing = sinceMs >= 0 && sinceMs < failedForMs ? 'failed' : 'in order'
    return queue.run([standing, ...networksOf(ip)], async () => {
      try {
        const done = await work()
        this.#failedAtMs.delete(site)
        return done
      } catch (error) {
        if (error instanceof Refusal) this.#noteFailure(site)
        throw error
      }
    })
  }

  #noteFailure(site: string): void {
    this.#failedAtMs.delete(site)
    this.#failedAtMs.set(site, this.#now().getTime())
    const [oldest] = this.#failedAtMs.keys()
    if (this.#failedAtMs.size > maxFailed && oldest !== undefined) this.#failedAtMs.delete(oldest)
  }

  #admit(pace: Pace, subject: string | null, tokens: number): void {
    const seconds = pace.take(subject, this.#now(), tokens)
    if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
  }
}

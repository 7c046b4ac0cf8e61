/** Admission of calls to one web server: rate limits, and queues of heavy work. */
import { answerTokensOf, type Call, type Queue, queueOf, tokensOf } from '#contract/call'
import type { Caller } from '#db/call'
import { FairQueue } from '#lib/fair-queue'
import { networksOf, siteOf } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { accountPace, Pace, type PaceOptions, PaceRefusal, publicPace, subjectOf } from './pace.ts'
import { queues } from './queues.ts'
import { rowsIn } from './pieces.ts'

/** The caller: the account of its token, if there is one, and its address. */
interface Asker {
  account: Account | null
  ip: string
}

type Account = Pick<Caller, 'id' | 'view' | 'reseller' | 'member'>

/** Staff who view an account have an allowance of their own, not that of its owner. */
const allowanceOf = ({ id, view }: Account) => (view === undefined ? String(id) : `view ${view}`)

/** How many times the usual limits are agreed with the owner of an API token. */
const timesOf = ({ reseller }: Account) => reseller?.times ?? 1

/** How long a site whose password was refused waits behind sites without a refusal. */
const failedForMs = 15 * 60_000

/** The maximum number of such sites that are remembered. */
const maxFailed = 50_000

export class Admission {
  readonly #ofAddresses = new Pace(publicPace)
  readonly #ofAccounts: Pace
  readonly #ofMembers: Pace
  readonly #queues = Object.fromEntries(
    Object.entries(queues).map(([name, bounds]) => [name, new FairQueue(bounds)]),
  ) as Record<Queue, FairQueue>
  /** When the last password of a site was refused, in milliseconds since 1970. */
  readonly #failedAtMs = new Map<string, number>()
  readonly #now: () => Date

  constructor({ now, pace = accountPace }: { now: () => Date; pace?: PaceOptions | undefined }) {
    this.#now = now
    this.#ofAccounts = new Pace(pace)
    this.#ofMembers = new Pace({ perSecond: pace.perSecond / 2, atOnce: pace.atOnce / 2 })
  }

  /** Counts a call that needs no token. Refuses with `too_many_requests`, as the next two do. */
  admitAnybody(ip: string): void {
    this.#admit(this.#ofAddresses, subjectOf(ip), { tokens: 1, times: 1 })
  }

  /** Counts a call in an account's name, before its input is known. */
  admitAccount(account: Account): void {
    // The calls of a member count for the member too, so that one of them cannot use up the account's rate.
    if (account.member !== undefined)
      this.#admit(this.#ofMembers, String(account.member.id), { tokens: 1, times: 1 })
    this.#admitFor(account, 1)
  }

  /** Counts the cost of a call in an account's name beyond the one token it has taken. */
  admitCost(call: Pick<Call, 'cost'>, input: unknown, { account }: Asker): void {
    const more = tokensOf(call, input) - 1
    if (account !== null && more > 0) this.#admitFor(account, more)
  }

  /** The state of an account's limit of cost. */
  costOf(account: Account) {
    return this.#ofAccounts.state(allowanceOf(account), this.#now(), timesOf(account))
  }

  /**
   * Charges for the rows of an answer, which are known only afterwards: the account's next calls wait for it.
   */
  owe(output: unknown, { account }: Pick<Asker, 'account'>): void {
    const tokens = answerTokensOf(rowsIn(output))
    if (account !== null && tokens > 0)
      this.#ofAccounts.owe(allowanceOf(account), this.#now(), tokens / timesOf(account))
  }

  /**
   * Does a call's work for an account that does not come through the API, for example by a secret link or the
   * bot: with the same cost, rate limit and queue. Refuses with `too_many_requests`.
   */
  async run<T>(
    call: Pick<Call, 'cost' | 'queue'>,
    input: unknown,
    asker: Asker,
    work: () => Promise<T>,
  ): Promise<T> {
    if (asker.account !== null) this.admitAccount(asker.account)
    this.admitCost(call, input, asker)
    return this.inTurn(call, input, asker, async () => {
      const output = await work()
      this.owe(output, asker)
      return output
    })
  }

  /**
   * Runs a light call at once, and a heavy one when the queue admits it. Refuses with `too_many_requests`
   * when too many wait.
   */
  inTurn<T>(
    call: Pick<Call, 'cost' | 'queue'>,
    input: unknown,
    { account, ip }: Asker,
    work: () => Promise<T>,
  ): Promise<T> {
    const name = queueOf(call, input)
    if (name === null) return work()
    const queue = this.#queues[name]
    if (name === 'passwords') return this.#hash(queue, ip, work)
    if (queues[name].turnOf !== 'account' || account === null) return queue.run(networksOf(ip), work)
    return queue.run([allowanceOf(account)], () => {
      // While this call waited, earlier answers may have put the account into debt.
      this.#admitFor(account, 0)
      return work()
    })
  }

  /**
   * Hashes a password. Every second turn belongs to sites without a wrong password in `failedForMs`: guesses
   * from many sites leave room for other callers once they have failed.
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

  #admitFor(account: Account, tokens: number): void {
    this.#admit(this.#ofAccounts, allowanceOf(account), { tokens, times: timesOf(account) })
  }

  #admit(pace: Pace, subject: string | null, { tokens, times }: Record<'tokens' | 'times', number>): void {
    const now = this.#now()
    const seconds = pace.take(subject, now, tokens / times)
    if (seconds === null || subject === null) return
    throw new PaceRefusal(seconds, pace.state(subject, now, times))
  }
}

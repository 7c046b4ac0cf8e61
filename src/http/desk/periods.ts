/**
 * The queue of calls that read all entries of a period. Each holds a connection of the pool, perhaps for
 * minutes, and the site, the feed and the bot take theirs from the same pool.
 */
import { FairQueue } from '#lib/fair-queue'
import { type DeskContext, memberOf } from '#staff/call'

/** How many such calls run concurrently, and how many of one member. */
const atOnce = 2
const ofMember = 1

/** How many may wait: each member has one in the queue of all, the others in the queue of the member. */
const waiting = 100
const waitingOfMember = 6

export class Periods {
  readonly #all = new FairQueue({ atOnce, waiting })
  readonly #ofMembers = new Map<bigint, FairQueue>()

  /**
   * Runs the work in its turn; `way` is how it is sent. Pages of files have turns of their own, so that calls
   * do not displace the next page of a file. Refuses with `too_many_requests` when too many of the member
   * wait.
   */
  run<T>(context: DeskContext, way: 'call' | 'file', work: () => Promise<T>): Promise<T> {
    const { id } = memberOf(context)
    const own = this.#ofMembers.get(id) ?? new FairQueue({ atOnce: ofMember, waiting: waitingOfMember })
    this.#ofMembers.set(id, own)
    return own.run([way], () =>
      this.#all.run([], () => {
        context.closed.throwIfAborted()
        return work()
      }),
    )
  }
}

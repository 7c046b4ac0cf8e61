/** The operator's refunds, at the desk and at processors, and the acts of banks. */
import { readReturned, refundInvoice } from '#purchase'
import { idOf } from './dice.ts'
import type { Order } from './model.ts'
import type { Post } from './post.ts'
import { isReturning } from './processors.ts'
import type { SoldUser } from './sold.ts'
import type { Act, World } from './world.ts'

type Return = 'part' | 'fail' | 'dispute' | 'won' | 'lost'

export class Operator {
  readonly #world: World
  readonly #post: Post
  readonly #users: readonly SoldUser[]

  constructor(world: World, post: Post, users: readonly SoldUser[]) {
    this.#users = users
    this.#world = world
    this.#post = post
  }

  /**
   * Money is returned without the shop: in a dashboard, by a dispute, or by a bank that returns a refund to
   * the processor.
   */
  returnAtProcessor(): Act | null {
    const { dice, model } = this.#world
    const paid = model.orders.filter(
      ({ paidMicros, method, externalId }) => paidMicros > 0n && externalId !== null && isReturning(method),
    )
    const earlier = dice.percent(85) ? this.#earlier() : null
    if (earlier === null && paid.length === 0) return null
    // Only payments by card are disputed, and they are few.
    const cards = dice.percent(60) ? paid.filter(({ method }) => method === 'card') : []
    const { order, how } = earlier ?? this.#first(dice.pick(cards.length > 0 ? cards : paid))
    if (!this.#isDone(order, how)) return null
    this.#note(order, how)
    return () => Promise.resolve()
  }

  #note(order: Order, how: Return): void {
    const { model } = this.#world
    if (how === 'dispute' || (how === 'part' && order.method === 'card')) this.#open.push({ order, how })
    order.isReturned = true
    model.count(`returned: ${how}`)
    this.#post.send(order, undefined, how === 'part' || how === 'fail' ? 'refund' : 'dispute')
    if (how !== 'dispute') return
    if (order.pool === 'balance') model.count('disputes of top-ups')
    else if (this.#hasReserves(order)) model.count('disputes of customers with reserves')
  }

  /**
   * The payer disputes a card payment: of a top-up, or of a customer who has reserved traffic of its pool for
   * proxy users.
   */
  disputeReserved(): Act | null {
    const { dice, model } = this.#world
    const paid = model.orders.filter(
      (order) =>
        order.method === 'card' &&
        order.paidMicros > 0n &&
        order.externalId !== null &&
        (order.pool === 'balance' || this.#hasReserves(order)),
    )
    if (paid.length === 0) return null
    const order = dice.pick(paid)
    if (!this.#isDone(order, 'dispute')) return null
    this.#note(order, 'dispute')
    return () => Promise.resolve()
  }

  #hasReserves({ person, pool }: Order): boolean {
    return this.#users.some(
      (user) => user.person === person && user.pool === pool && user.isReserved && user.state === 'made',
    )
  }

  /** Card payments whose dispute can be closed, or whose refund can fail. */
  readonly #open: { order: Order; how: 'dispute' | 'part' }[] = []

  /** The later events of an earlier refund or dispute. */
  #earlier(): { order: Order; how: Return } | null {
    const { dice } = this.#world
    if (this.#open.length === 0) return null
    const [one] = this.#open.splice(dice.whole(0, this.#open.length - 1), 1)
    if (one === undefined) return null
    return { order: one.order, how: one.how === 'part' ? 'fail' : dice.pick(['won', 'lost']) }
  }

  #first(order: Order): { order: Order; how: Return } {
    const { dice } = this.#world
    return { order, how: order.method === 'card' ? dice.pick(['part', 'dispute', 'dispute']) : 'part' }
  }

  #isDone({ method, externalId }: Order, how: Return): boolean {
    const { dice, processors } = this.#world
    if (externalId === null || !isReturning(method)) return false
    if (how === 'fail') return processors.failReturn(externalId)
    if (how === 'dispute') return processors.dispute(externalId)
    if (how !== 'part') return processors.closeDispute(externalId, how)
    return processors.returnPart(method, externalId, dice.percent(30) ? 100 : dice.whole(1, 99))
  }

  /** Refunds a customer all, the unused part, or some money, and repeats the call until it is answered. */
  refund(): Act | null {
    const { dice, model } = this.#world
    const paid = model.orders.filter(({ paidMicros }) => paidMicros > 0n)
    if (paid.length === 0) return null
    return this.#refundOf(dice.pick(paid))
  }

  /** The same for a top-up of a money balance, or for what one has bought. */
  refundMoney(): Act | null {
    const { dice, model } = this.#world
    const paid = model.orders.filter(
      ({ paidMicros, pool, method }) => paidMicros > 0n && (pool === 'balance' || method === 'balance'),
    )
    if (paid.length === 0) return null
    const isBought = dice.percent(60)
    const first = paid.filter(({ refund, pool }) => refund === 'none' && (pool !== 'balance') === isBought)
    return this.#refundOf(dice.pick(first.length > 0 && dice.percent(80) ? first : paid))
  }

  #refundOf(order: Order): Act {
    const { dice } = this.#world
    const cents = Number(order.paidMicros / 10_000n)
    order.wish ??= {
      what:
        dice.weighted({ all: 2, unused: 3, part: 4 }) === 'part' && cents > 1
          ? BigInt(dice.whole(1, cents)) * 10_000n
          : dice.pick(['all', 'unused'] as const),
      key: idOf(dice),
    }
    return () => this.insist(order)
  }

  async insist(order: Order): Promise<void> {
    const { wish } = order
    if (wish === null) return
    const { database, deps, now, model } = this.#world
    const { number } = order
    const end = await this.#world.attempt('refunds', async () => {
      // As the desk does: what the processor has returned by itself is not returned again.
      await readReturned(database, deps, number, now)
      return refundInvoice(database, { number, ...wish, methods: deps.methods }, now)
    })
    if (end === 'away') {
      // The refund may have been made: from here on the books decide, not the model.
      order.refund = 'done'
      return
    }
    order.wish = null
    if (!('done' in end)) return
    if (order.refund === 'done') model.count('refunds in parts')
    order.refund = 'done'
    if (order.pool === 'balance') model.count('refunds of top-ups')
    else if (order.method === 'balance') model.count('refunds to money balances')
  }

  /** Some of the refunds that processors accept from now on are sent later, or fail. */
  delay(): Act {
    const { dice, processors } = this.#world
    processors.accept(dice.percent(60) ? 'pending' : 'succeeded')
    return () => Promise.resolve()
  }

  /** Processors send pending refunds, or let them fail. No event reports the outcome. */
  decide(): Act {
    const { dice, model, processors } = this.#world
    for (const end of processors.endRefunds(() => (dice.percent(50) ? 'sent' : 'failed')))
      model.count(`refunds ${end} late`)
    return () => Promise.resolve()
  }
}

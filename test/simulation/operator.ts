/** The operator's refunds, at the desk and at processors, and the acts of banks. */
import { findInvoice, readReturned, refundInvoice } from '#purchase'
import type { Order } from './model.ts'
import type { Post } from './post.ts'
import { isReturning } from './processors.ts'
import type { Act, World } from './world.ts'

type Return = 'part' | 'fail' | 'dispute' | 'won' | 'lost'

export class Operator {
  readonly #world: World
  readonly #post: Post

  constructor(world: World, post: Post) {
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
    const earlier = dice.percent(75) ? this.#earlier() : null
    if (earlier === null && paid.length === 0) return null
    const { order, how } = earlier ?? this.#first(dice.pick(paid))
    if (!this.#isDone(order, how)) return null
    if (how === 'dispute' || (how === 'part' && order.method === 'card')) this.#open.push({ order, how })
    order.isReturned = true
    model.count(`returned: ${how}`)
    this.#post.send(order, undefined, how === 'part' || how === 'fail' ? 'refund' : 'dispute')
    return () => Promise.resolve()
  }

  /** Card payments whose dispute can be closed, or whose refund can fail. */
  readonly #open: { order: Order; how: 'dispute' | 'part' }[] = []

  /** The later events of an earlier refund or dispute. */
  #earlier(): { order: Order; how: Return } | null {
    const { dice } = this.#world
    const index = dice.whole(0, this.#open.length)
    const [one] = this.#open.splice(index, 1)
    if (one === undefined) return null
    return { order: one.order, how: one.how === 'part' ? 'fail' : dice.pick(['won', 'lost']) }
  }

  #first(order: Order): { order: Order; how: Return } {
    const { dice } = this.#world
    return { order, how: order.method === 'card' ? dice.pick(['part', 'dispute']) : 'part' }
  }

  #isDone({ method, externalId }: Order, how: Return): boolean {
    const { dice, processors } = this.#world
    if (externalId === null || !isReturning(method)) return false
    if (how === 'fail') return processors.failReturn(externalId)
    if (how === 'dispute') return processors.dispute(externalId)
    if (how !== 'part') return processors.closeDispute(externalId, how)
    return processors.returnPart(method, externalId, dice.percent(30) ? 100 : dice.whole(1, 99))
  }

  /** Refunds a customer, and repeats the call until it succeeds. */
  refund(): Act | null {
    const { dice, model } = this.#world
    const paid = model.orders.filter((one) => one.paidMicros > 0n && one.refund !== 'done')
    if (paid.length === 0) return null
    const order = dice.pick(paid)
    const what = dice.percent(50) ? 'all' : 'unused'
    return () => this.insist(order, what)
  }

  async insist(order: Order, what: 'all' | 'unused'): Promise<void> {
    const { database, deps, now } = this.#world
    const { number } = order
    const end = await this.#world.attempt('refunds', async () => {
      // As the desk does: what the processor has returned by itself is not returned again.
      await readReturned(database, deps, number, now)
      return refundInvoice(database, { number, what, methods: deps.methods }, now)
    })
    if (end === 'away') order.refund = order.refund === 'none' ? 'unanswered' : order.refund
    else if ('done' in end) order.refund = 'done'
    else if (order.refund === 'unanswered') await this.#seeRefund(order)
  }

  /** A refusal because of an earlier refund means that its answer was lost. */
  async #seeRefund(order: Order): Promise<void> {
    const end = await this.#world.attempt('looks', () => findInvoice(this.#world.database.db, order.number))
    if (end === 'away' || !('done' in end)) return
    order.refund = end.done?.state === 'refunded' ? 'done' : 'none'
  }
}

/** The operator's refunds, at the desk and at processors, and what banks do. */
import { findInvoice, readReturned, refundInvoice } from '#purchase'
import type { Order } from './model.ts'
import type { Post } from './post.ts'
import type { Act, World } from './world.ts'

export class Operator {
  readonly #world: World
  readonly #post: Post

  constructor(world: World, post: Post) {
    this.#world = world
    this.#post = post
  }

  /** Money goes back without the shop: in a dashboard, by a dispute, or back to the processor once more. */
  returnAtProcessor(): Act | null {
    const { dice, model, processors } = this.#world
    const paid = model.orders.filter(
      ({ paidMicros, method }) => paidMicros > 0n && (method === 'card' || method === 'yookassa'),
    )
    if (paid.length === 0) return null
    const order = dice.pick(paid)
    const { method, externalId } = order
    if (externalId === null || (method !== 'card' && method !== 'yookassa')) return null
    const how =
      method === 'yookassa' ? 'part' : dice.weighted({ part: 4, fail: 2, dispute: 3, won: 1, lost: 2 })
    const percent = dice.percent(30) ? 100 : dice.whole(1, 99)
    const isDone =
      how === 'part'
        ? processors.returnPart(method, externalId, percent)
        : how === 'fail'
          ? processors.failReturn(externalId)
          : how === 'dispute'
            ? processors.dispute(externalId)
            : processors.closeDispute(externalId, how)
    if (!isDone) return null
    order.isReturned = true
    model.count(`returned: ${how}`)
    this.#post.send(order, undefined, how === 'part' || how === 'fail' ? 'refund' : 'dispute')
    return () => Promise.resolve()
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

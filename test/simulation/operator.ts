/** The operator's refunds. */
import { findInvoice, refundInvoice } from '#purchase'
import type { Order } from './model.ts'
import type { Act, World } from './world.ts'

export class Operator {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
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
    const end = await this.#world.attempt('refunds', () =>
      refundInvoice(database, { number, what, methods: deps.methods }, now),
    )
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

/**
 * The actions of customers: order, pay in all supported ways, redeem codes; each repeated until it is
 * answered.
 */
import { pools } from '#contract/wire'
import { activateTrafficCode } from '#promo'
import { createInvoice, findInvoice, type Invoice, payFromBalance, payFromReferral } from '#purchase'
import { idOf } from './dice.ts'
import type { Gift, Order } from './model.ts'
import type { Post } from './post.ts'
import { processorNames } from './processors.ts'
import type { Act, World } from './world.ts'

/** The time for which a processor's page is open. */
const payableMs = 20 * 60 * 60_000

export class Customers {
  readonly #world: World
  readonly #post: Post
  readonly #orderedAt = new Map<Order, number>()
  /** Unconfirmed coins: seen by BTCPay but not final yet. */
  readonly #coins = new Map<Order, bigint>()

  constructor(world: World, post: Post) {
    this.#world = world
    this.#post = post
  }

  /** Before anything can fail, some have paid by card, and some have paid in money. */
  async begin(): Promise<void> {
    const { dice, model } = this.#world
    for (const person of model.people) {
      if (dice.percent(80))
        await this.#beginWith({
          person,
          method: 'card',
          pool: dice.pick(pools),
          gb: BigInt(dice.whole(1, 9)),
        })
      const micros = BigInt(dice.whole(20, 120)) * 1_000_000n
      const method = dice.pick(['card', 'sandbox'] as const)
      if (dice.percent(50)) await this.#beginWith({ person, method, pool: 'balance', gb: 0n, micros })
    }
  }

  /** Those who have paid in money buy from it. */
  async beginToBuy(): Promise<void> {
    const { dice, model } = this.#world
    for (const { person } of model.orders.filter(({ pool }) => pool === 'balance'))
      await this.#beginWith({ person, method: 'balance', pool: dice.pick(pools), gb: 1n })
  }

  async #beginWith(order: Partial<Order> & Pick<Order, 'method'>): Promise<void> {
    const made = Object.assign(this.#newOrder(order.method), order)
    const { model, processors } = this.#world
    model.orders.push(made)
    await this.insist(made)
    const { externalId, quote } = made
    if (externalId === null || quote === null) return
    if (made.method === 'card') processors.payWhole('card', externalId)
    const micros = quote.costMicros
    made.paidMicros = micros
    made.payments = 1
    this.#post.send(made, made.method === 'card' ? undefined : { id: `${made.number}-1`, micros })
  }

  /** Makes an order at a processor. */
  order(): Act {
    const { dice, model, discountCodes } = this.#world
    const order = this.#newOrder(dice.pick(processorNames))
    const isTopUp = dice.percent(30)
    if (isTopUp)
      Object.assign(order, { pool: 'balance', gb: 0n, micros: BigInt(dice.whole(5, 120)) * 1_000_000n })
    else if (dice.percent(40)) order.promocode = dice.pick(discountCodes)
    const { method } = order
    const fake = method === 'referral' || method === 'balance' ? null : this.#world.processors.fake(method)
    if (fake !== null && dice.percent(6)) fake.trouble(dice.pick(['lost', 500, 'malformed'] as const))
    model.orders.push(order)
    return () => this.insist(order)
  }

  /** Pays from the referral balance. */
  spendShares(): Act {
    const order = this.#newOrder('referral')
    order.gb = BigInt(this.#world.dice.whole(1, 2))
    this.#world.model.orders.push(order)
    return () => this.insist(order)
  }

  /** Pays from the money balance; null: nobody has paid any in. */
  spendMoney(): Act | null {
    const { dice, model } = this.#world
    const paid = model.orders.filter(({ pool, paidMicros }) => pool === 'balance' && paidMicros > 0n)
    if (paid.length === 0) return null
    const order = this.#newOrder('balance')
    order.person = dice.pick(paid).person
    order.gb = BigInt(dice.whole(1, 4))
    model.orders.push(order)
    return () => this.insist(order)
  }

  #newOrder(method: Order['method']): Order {
    const { dice, model } = this.#world
    const order: Order = {
      person: dice.pick(model.people),
      pool: method === 'referral' ? 'datacenter' : dice.pick(pools),
      gb: BigInt(dice.whole(1, 40)),
      micros: 0n,
      method,
      promocode: null,
      number: idOf(dice),
      state: 'unanswered',
      quote: null,
      externalId: null,
      paidMicros: 0n,
      payments: 0,
      refund: 'none',
      wish: null,
      isReturned: false,
      isFromBalance: method === 'referral' || method === 'balance',
    }
    this.#orderedAt.set(order, this.#world.trueMs)
    return order
  }

  /** Repeats an unanswered request, under the same number. */
  async insist(order: Order): Promise<void> {
    const world = this.#world
    const { method, number } = order
    const act =
      order.pool === 'balance' ? 'top-ups of balances' : order.isFromBalance ? `${method} payments` : 'orders'
    const end = await world.attempt(act, () => this.#place(order))
    if (end === 'away') return
    if ('refused' in end) {
      order.state = 'refused'
      return
    }
    if (end.done === null) {
      world.model.surprises.push(`order ${number} was answered and does not exist`)
      return
    }
    const { costMicros, fullCostMicros, externalId } = end.done
    order.state = 'made'
    order.quote = { costMicros, fullCostMicros }
    order.externalId = order.isFromBalance ? null : externalId
    if (order.isFromBalance) order.paidMicros = costMicros
  }

  /** A program repeats a call that was answered; null: none was. */
  replay(): Act | null {
    const { dice, model } = this.#world
    const made = model.orders.filter(({ state }) => state === 'made')
    if (made.length === 0) return null
    const order = dice.pick(made)
    return async () => {
      const end = await this.#world.attempt('replays', () => this.#place(order))
      if (end === 'away') return
      const cost = 'done' in end ? end.done?.costMicros : null
      // An order that was never paid may have ended meanwhile.
      if (cost !== order.quote?.costMicros && (cost !== null || order.paidMicros > 0n))
        model.surprises.push(`the repeated order ${order.number} was answered otherwise`)
    }
  }

  /** Makes the call of an order under its number. */
  async #place({ person, pool, gb, micros, method, promocode, number }: Order): Promise<Invoice | null> {
    const { database, deps, now, model } = this.#world
    const who = { accountId: person.accountId, language: 'en' as const, number }
    const place = async () => {
      if (pool === 'balance')
        return createInvoice(database, deps, { ...who, pool, micros, promocode: null, method }, now)
      const wish = { ...who, pool, gb, promocode }
      if (method === 'referral') return { number: await payFromReferral(database, deps, wish, now) }
      if (method === 'balance') return payFromBalance(database, deps, wish, now)
      return createInvoice(database, deps, { ...wish, method }, now)
    }
    const { number: answered } = await place()
    if (answered !== number) model.surprises.push(`order ${number} was answered with ${answered}`)
    return findInvoice(database.db, number)
  }

  /** Redeems a traffic code. */
  redeem(): Act {
    const { dice, model, trafficCodes } = this.#world
    const gift: Gift = {
      person: dice.pick(model.people),
      code: dice.pick(trafficCodes),
      operation: idOf(dice),
      state: 'unanswered',
    }
    model.gifts.push(gift)
    return () => this.insistOnGift(gift)
  }

  async insistOnGift(gift: Gift): Promise<void> {
    const world = this.#world
    const { code, operation, person } = gift
    const wish = { code, operation, accountId: person.accountId }
    const end = await world.attempt('traffic codes', () =>
      activateTrafficCode(world.database, world.deps.secrets, wish, world.now),
    )
    if (end !== 'away') gift.state = 'refused' in end ? 'refused' : 'given'
  }

  /** A customer repeats an unanswered request; null: all requests were answered. */
  again(): Act | null {
    const { dice, model } = this.#world
    const orders = model.orders.filter(({ state }) => state === 'unanswered')
    const gifts = model.gifts.filter(({ state }) => state === 'unanswered')
    const [order, gift] = [orders[0], gifts[0]]
    if (order !== undefined && (gift === undefined || dice.percent(50))) return () => this.insist(order)
    return gift === undefined ? null : () => this.insistOnGift(gift)
  }

  /** Sends money for an order, all or part of it, and the processor's notification. */
  pay(): Act | null {
    const { dice, model, processors, trueMs } = this.#world
    const open = model.orders.filter(
      (one) =>
        one.state === 'made' &&
        one.externalId !== null &&
        trueMs - (this.#orderedAt.get(one) ?? 0) < payableMs,
    )
    if (open.length === 0) return null
    // Usually the latest order, since customers pay right after ordering.
    const order = dice.percent(60) ? open.at(-1) : dice.pick(open)
    const { method, externalId, quote } = order ?? {}
    if (order === undefined || method === undefined || externalId == null || quote == null) return null
    if (method === 'sandbox') this.#payBySandbox(order, quote.costMicros)
    else if (method === 'crypto') this.#payByCoins(order, quote.costMicros)
    else if (method !== 'referral' && method !== 'balance' && order.paidMicros === 0n) {
      processors.payWhole(method, externalId)
      order.paidMicros = quote.costMicros
    }
    if (method !== 'sandbox') this.#post.send(order)
    return () => Promise.resolve()
  }

  /** All seen coins become final. */
  confirmCoins(): void {
    for (const [order, totalMicros] of this.#coins) {
      const isWhole = totalMicros >= (order.quote?.costMicros ?? 0n)
      this.#world.processors.payCoins(order.externalId ?? '', { totalMicros, isWhole, isFinal: true })
      order.paidMicros = totalMicros
    }
  }

  #payBySandbox(order: Order, costMicros: bigint): void {
    const { dice } = this.#world
    const how = dice.weighted({ whole: 5, part: 3, over: 1, cancel: 1 })
    if (how === 'cancel') return this.#post.send(order, 'cancelled')
    if (order.payments > 3) return
    const rest = costMicros > order.paidMicros ? costMicros - order.paidMicros : 1_000_000n
    const micros =
      how === 'whole'
        ? rest
        : how === 'part'
          ? (rest * BigInt(dice.whole(1, 99))) / 100n + 1n
          : rest + BigInt(dice.whole(1, 5_000_000))
    order.payments++
    order.paidMicros += micros
    this.#post.send(order, { id: `${order.number}-${order.payments}`, micros })
  }

  /** Coins arrive in any sum, and become final later than they are seen. */
  #payByCoins(order: Order, costMicros: bigint): void {
    const { dice, processors } = this.#world
    const seen = this.#coins.get(order) ?? 0n
    const how = seen > order.paidMicros ? 'final' : dice.weighted({ whole: 5, part: 3, over: 1 })
    const rest = costMicros > seen ? costMicros - seen : 0n
    const more =
      how === 'final'
        ? 0n
        : how === 'whole'
          ? rest
          : how === 'part'
            ? (rest * BigInt(dice.whole(1, 99))) / 100n
            : rest + BigInt(dice.whole(1, 9_000_000))
    const totalMicros = seen + more
    const isFinal = how === 'final' || dice.percent(60)
    if (totalMicros === 0n) return
    this.#coins.set(order, totalMicros)
    if (isFinal) order.paidMicros = totalMicros
    processors.payCoins(order.externalId ?? '', { totalMicros, isWhole: totalMicros >= costMicros, isFinal })
  }
}

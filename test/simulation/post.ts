/** The delivery of notifications: some are lost, duplicated, late or out of order; some are forged. */
import type { RawWebhook } from '#payments'
import { receiveWebhook } from '#purchase'
import type { Order } from './model.ts'
import type { ProcessorName, Subject } from './processors.ts'
import type { Act, World } from './world.ts'

interface Letter {
  method: ProcessorName
  subject: Subject
  /** The signed notification; a repetition after a failure is signed again, as processors do. */
  webhook: RawWebhook
  dueRound: number
  attempts: number
  /** No other notification reports it: it is repeated until it is accepted. */
  mustArrive: boolean
  isForged: boolean
}

const attempts = 4

export class Post {
  readonly #world: World
  #letters: Letter[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** Sends a processor's notification about an order, over an unreliable link. */
  send(order: Order, payment?: Subject['payment'], about?: Subject['about']): void {
    const { dice, processors, round, trueNow, model } = this.#world
    const { method, externalId } = order
    if (externalId === null || method === 'referral' || method === 'balance') return
    const subject = {
      externalId,
      ...(payment === undefined ? {} : { payment }),
      ...(about === undefined ? {} : { about }),
    }
    const letter = () => ({
      method,
      subject,
      webhook: processors.notice(method, subject, trueNow),
      attempts: 0,
      mustArrive: method === 'sandbox',
      isForged: false,
    })
    const isLost = dice.percent(25) && method !== 'sandbox'
    const copies = dice.percent(30) ? dice.whole(2, 4) : 1
    const same = letter()
    if (copies > 1) model.count('notifications doubled')
    for (let copy = 0; copy < copies; copy++) {
      const dueRound = round + (dice.percent(60) ? 0 : dice.whole(1, 9))
      // The same bytes again, or another event about the same payment.
      if (isLost) model.count('notifications lost')
      else this.#letters.push({ ...(dice.percent(50) ? same : letter()), dueRound })
    }
    if (dice.percent(20)) this.#forge(order)
  }

  /** A forger claims that an order is paid, with twice its cost. */
  #forge({ method, externalId, number }: Order): void {
    const { processors, round, trueNow } = this.#world
    if (externalId === null || method === 'referral' || method === 'balance') return
    const payment = { id: `forged-${number}`, micros: 1_000_000_000n }
    const webhook = processors.notice(method, { externalId, payment }, trueNow)
    const headers = Object.fromEntries(
      Object.entries(webhook.headers).map(([name, value]) => [
        name,
        String(value).replace(/[0-9a-f]{64}/, (hex) =>
          hex.replaceAll(/./g, (one) => (one === 'f' ? '0' : 'f')),
        ),
      ]),
    )
    this.#letters.push({
      method,
      subject: { externalId },
      webhook: { ...webhook, headers, ip: '185.71.76.32' },
      dueRound: round,
      attempts: 0,
      mustArrive: false,
      isForged: true,
    })
  }

  /** All due deliveries, to be made concurrently. */
  due(): Act[] {
    const due = this.#letters.filter((letter) => letter.dueRound <= this.#world.round)
    this.#letters = this.#letters.filter((letter) => letter.dueRound > this.#world.round)
    return due.map((letter) => {
      const againIn = this.#world.dice.whole(1, 4)
      return () => this.#deliver(letter, againIn)
    })
  }

  /** The number of notifications still to be delivered. */
  get pressing(): number {
    return this.#letters.filter((letter) => letter.mustArrive).length
  }

  /** Optional deliveries are lost; all others are due. */
  hurry(): void {
    this.#letters = this.#letters
      .filter((letter) => letter.mustArrive)
      .map((letter) => ({ ...letter, dueRound: this.#world.round }))
  }

  async #deliver(letter: Letter, againIn: number): Promise<void> {
    const world = this.#world
    const { method, webhook, isForged } = letter
    const name = isForged ? 'forged notifications' : 'notifications'
    const end = await world.attempt(name, () =>
      receiveWebhook(world.database, world.deps, { ...webhook, method }, world.now),
    )
    if (isForged && end !== 'away' && 'done' in end)
      world.model.surprises.push(`a forged notification of ${method} was taken: ${end.done}`)
    if (isForged || (end !== 'away' && 'done' in end)) return
    if (!letter.mustArrive && letter.attempts + 1 >= attempts) return
    this.#letters.push({
      ...letter,
      webhook: world.processors.notice(method, letter.subject, world.trueNow),
      attempts: letter.attempts + 1,
      dueRound: world.round + againIn,
    })
  }
}

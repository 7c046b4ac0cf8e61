/**
 * Programs that buy, and repeat unanswered calls under the same key until they are answered: the subject of
 * promise 1.
 */
import { CallError } from '#contract/client'
import type { Database } from '#db'
import { createCode } from '#promo'
import type { ApiMachine } from './machines.ts'
import { type Buyer, newBuyer } from './shop.ts'

/** The answers, by kind. */
export interface Answered {
  purchases: number
  shares: number
  gifts: number
}

/** Answers that require a repetition: no connection, no answer, no database, a concurrent call, too fast. */
const isAgain = (error: unknown) =>
  error instanceof CallError &&
  (error.status === 0 ||
    error.status === 502 ||
    error.status === 503 ||
    error.code === 'idempotency_key_busy' ||
    error.code === 'too_many_requests')

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A web server to call. */
type Api = Pick<ApiMachine, 'origin' | 'client'>

export class Program {
  readonly buyer: Buyer
  readonly answered: Answered = { purchases: 0, shares: 0, gifts: 0 }
  /** Statuses that must not occur. */
  readonly wrong: string[] = []
  readonly #api: Api
  readonly #database: Database
  #keys = 0
  #isEnding = false

  constructor(api: Api, database: Database, buyer: Buyer) {
    this.#api = api
    this.#database = database
    this.buyer = buyer
  }

  get operations(): number {
    const { purchases, shares, gifts } = this.answered
    return purchases + shares + gifts
  }

  /** Repeats an action until it is stopped; the last one is still completed. */
  async run(): Promise<void> {
    for (let turn = 0; !this.#isEnding; turn++) {
      if (turn % 4 === 3) await this.#payByShares()
      else if (turn % 4 === 2) await this.#redeem()
      else await this.#buy()
    }
  }

  end(): void {
    this.#isEnding = true
  }

  async #buy(): Promise<void> {
    const order = { payment_method: 'sandbox', amount: 1, pool: 'residential' } as const
    const url = await this.#insist((api, idempotencyKey) =>
      api.client(this.buyer.token)('create_invoice_web', order, { idempotencyKey }),
    )
    const number = url.split('/').at(-1) ?? ''
    // The processor repeats the notification until it is accepted.
    await this.#insist(async (api) => {
      const answer = await fetch(`${api.origin}/sandbox/pay/${number}`, {
        method: 'POST',
        body: new URLSearchParams({ result: 'paid' }),
        redirect: 'manual',
        signal: AbortSignal.timeout(20_000),
      }).catch(() => null)
      await answer?.arrayBuffer().catch(() => null)
      const status = answer?.status ?? 0
      if (status !== 303) throw new CallError({ code: 'press', status, message: String(status) })
    })
    this.answered.purchases++
  }

  async #payByShares(): Promise<void> {
    await this.#insist((api, idempotencyKey) =>
      api.client(this.buyer.token)('referral_payment', { amount: 1, pool: 'datacenter' }, { idempotencyKey }),
    )
    this.answered.shares++
  }

  async #redeem(): Promise<void> {
    const code = `gift-${this.buyer.username}-${this.#keys}`
    const grant = { kind: 'traffic' as const, pool: 'mobile' as const, bytes: 1000n }
    for (;;) {
      const made = await createCode(this.#database.db, { code, grant, maxUses: 1n, expiresAt: null }).catch(
        () => null,
      )
      if (made !== null) break
      await pause(50)
    }
    await this.#insist((api, idempotencyKey) =>
      api.client(this.buyer.token)('activate_traffic_promocode', { code }, { idempotencyKey }),
    )
    this.answered.gifts++
  }

  /** The same call under the same key until it is answered. */
  async #insist<T>(call: (api: Api, key: string) => Promise<T>): Promise<T> {
    const key = `key-${++this.#keys}`
    for (let attempt = 0; ; attempt++) {
      try {
        return await call(this.#api, key)
      } catch (error) {
        if (!isAgain(error)) {
          this.wrong.push(error instanceof CallError ? `${error.status} ${error.code}` : String(error))
          throw error
        }
        await pause(attempt < 5 ? 30 : 250)
      }
    }
  }
}

/** Makes `count` programs, each with its own customer who has earned shares. */
export async function makePrograms(count: number, api: Api, database: Database): Promise<Program[]> {
  const programs: Program[] = []
  for (let index = 0; index < count; index++) {
    const buyer = await newBuyer(api, database, { sharesMicros: 10_000_000_000n })
    programs.push(new Program(api, database, buyer))
  }
  return programs
}

/** The number of operations that all programs have done. */
export const operationsOf = (programs: readonly Program[]) =>
  programs.reduce((sum, { operations }) => sum + operations, 0)

/**
 * The bot's transactions in stars, https://core.telegram.org/bots/api#getstartransactions: listed oldest
 * first and never changed, so read transactions are stored, and each query asks only for those added since.
 */
import * as z from 'zod'
import { ask, ProcessorFault } from '../../ask.ts'

export interface StarsOptions {
  /** The bot's. */
  token: string
  /** Without a trailing slash. */
  apiRoot: string
  timeoutMs: number
}

/** A payment in stars. */
export interface StarsPayment {
  /** Telegram's `telegram_payment_charge_id`. */
  chargeId: string
  stars: bigint
  payload: string
  payerId: bigint
  paidAt: Date
  refundedAt: Date | null
}

const partner = z
  .object({
    type: z.string(),
    user: z.object({ id: z.int() }).optional(),
    invoice_payload: z.string().optional(),
  })
  .optional()
const transactionShape = z.object({
  id: z.string().max(200),
  amount: z.int().min(0),
  date: z.int(),
  source: partner,
  receiver: partner,
})
const listShape = z.object({ transactions: z.array(transactionShape) })

const pageSize = 100
/** A million transactions. */
const mostPages = 10_000

/**
 * Calls a method of the Bot API. Throws `ProcessorFault`, without the token, which is a part of the address.
 */
export async function callBot<T>(
  { token, apiRoot, timeoutMs }: StarsOptions,
  method: string,
  body: Record<string, unknown>,
  result: z.ZodType<T>,
): Promise<T> {
  const answer = await ask(
    { method: 'POST', url: new URL(`${apiRoot}/bot${token}/${method}`), headers: {}, body, timeoutMs },
    z.object({ ok: z.literal(true), result }),
  ).catch((error: unknown) => {
    if (!(error instanceof ProcessorFault)) throw error
    const status = error.isDenied ? 401 : undefined
    throw new ProcessorFault(error.outcome, error.message.replaceAll(token, '…'), status)
  })
  return answer.result
}

/** The payments of a bot, by the id of their charge. */
export class StarsTransactions {
  readonly #options: StarsOptions
  readonly #payments = new Map<string, StarsPayment>()
  readonly #refunds = new Map<string, Date>()
  #read = 0
  #reading: Promise<void> | null = null

  constructor(options: StarsOptions) {
    this.#options = options
  }

  /** Adds a payment from an update of Telegram, before the list contains it. */
  note(payment: StarsPayment): void {
    if (!this.#payments.has(payment.chargeId)) this.#payments.set(payment.chargeId, payment)
  }

  /** All stored payments, with their refunds. */
  known(): StarsPayment[] {
    return [...this.#payments.values()].map((payment) => ({
      ...payment,
      refundedAt: this.#refunds.get(payment.chargeId) ?? payment.refundedAt,
    }))
  }

  /**
   * Reads the transactions that Telegram has added; concurrent callers share one read. Throws
   * `ProcessorFault`.
   */
  read(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => (this.#reading = null))
    return this.#reading
  }

  async #readOn(): Promise<void> {
    for (let page = 0; page < mostPages; page++) {
      const { transactions } = await callBot(
        this.#options,
        'getStarTransactions',
        { offset: this.#read, limit: pageSize },
        listShape,
      )
      for (const transaction of transactions) this.#take(transaction)
      this.#read += transactions.length
      if (transactions.length < pageSize) return
    }
  }

  #take({ id, amount, date, source, receiver }: z.infer<typeof transactionShape>): void {
    const at = new Date(date * 1000)
    // A refund has the id of its payment, and the payer as receiver.
    if (receiver !== undefined) {
      this.#refunds.set(id, at)
      return
    }
    const payload = source?.invoice_payload
    const payerId = source?.user?.id
    if (payload === undefined || payerId === undefined) return
    const payment = { chargeId: id, stars: BigInt(amount), payload, payerId: BigInt(payerId), paidAt: at }
    this.#payments.set(id, { ...payment, refundedAt: null })
  }
}

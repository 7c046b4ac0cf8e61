/**
 * Payments in stars at the fake Telegram: invoice links, the query before a payment, and the list of
 * transactions.
 */

type Json = Record<string, unknown>

export interface StarsInvoice {
  url: string
  title: string
  payload: string
  amount: number
}

export interface FakeStars {
  /** The links that were made, oldest first. */
  invoices: StarsInvoice[]
  /** The answers to queries before payments, oldest first. */
  answers: { ok: boolean; error: string | null }[]
  transactions: Json[]
  /** The next payments are not reported to the bot, as when an update is lost. */
  loseUpdates: (are: boolean) => void
}

/** A refusal as the Bot API answers it. */
export class StarsRefusal extends Error {}

/** Telegram's side of payments in stars. */
export class Stars implements FakeStars {
  readonly invoices: StarsInvoice[] = []
  readonly answers: { ok: boolean; error: string | null }[] = []
  readonly transactions: Json[] = []
  areLost = false
  readonly #waiting = new Map<string, (isOk: boolean) => void>()
  readonly #refunded = new Set<string>()
  #last = 0

  loseUpdates(are: boolean): void {
    this.areLost = are
  }

  createInvoiceLink(payload: Json): string {
    const { title, description, payload: data, currency, provider_token: token } = payload
    const prices = payload['prices'] as { label: string; amount: number }[]
    const bytes = typeof data === 'string' ? Buffer.byteLength(data) : 0
    const length = (value: unknown) => (typeof value === 'string' ? value.length : 0)
    if (length(title) < 1 || length(title) > 32) throw new StarsRefusal('INVOICE_TITLE_INVALID')
    if (length(description) < 1 || length(description) > 255)
      throw new StarsRefusal('INVOICE_DESCRIPTION_INVALID')
    if (bytes < 1 || bytes > 128) throw new StarsRefusal('INVOICE_PAYLOAD_INVALID')
    if (currency !== 'XTR' || (token ?? '') !== '') throw new StarsRefusal('CURRENCY_INVALID')
    const [price] = prices
    if (prices.length !== 1 || price === undefined) throw new StarsRefusal('STARS_INVOICE_INVALID')
    if (!Number.isInteger(price.amount) || price.amount < 1)
      throw new StarsRefusal('CURRENCY_TOTAL_AMOUNT_INVALID')
    const url = `https://t.me/$slug${++this.#last}`
    this.invoices.push({ url, title: String(title), payload: String(data), amount: price.amount })
    return url
  }

  /** The query before a payment, and the promise of the bot's answer to it. */
  ask(from: Json, facts: { payload: string; amount: number; currency?: string }) {
    const id = `c${++this.#last}`
    const answered = new Promise<boolean>((answer) => this.#waiting.set(id, answer))
    const { payload, amount, currency = 'XTR' } = facts
    const query = { id, from, currency, total_amount: amount, invoice_payload: payload }
    return { update: { pre_checkout_query: query }, answered }
  }

  answerPreCheckoutQuery(payload: Json): true {
    const id = String(payload['pre_checkout_query_id'])
    const answer = this.#waiting.get(id)
    if (answer === undefined) throw new StarsRefusal('QUERY_ID_INVALID')
    const isOk = payload['ok'] === true
    if (!isOk && typeof payload['error_message'] !== 'string') throw new StarsRefusal('ERROR_TEXT_EMPTY')
    this.#waiting.delete(id)
    this.answers.push({ ok: isOk, error: isOk ? null : String(payload['error_message']) })
    answer(isOk)
    return true
  }

  /** Takes the stars; the result is the `successful_payment` of the message about it. */
  take(from: Json, { payload, amount }: { payload: string; amount: number }): Json {
    const charge = `stx${++this.#last}`
    const user = { type: 'user', transaction_type: 'invoice_payment', user: from, invoice_payload: payload }
    this.transactions.push({ id: charge, amount, date: 1_800_000_000, source: user })
    return {
      currency: 'XTR',
      total_amount: amount,
      invoice_payload: payload,
      telegram_payment_charge_id: charge,
      provider_payment_charge_id: `p${this.#last}`,
    }
  }

  getStarTransactions(payload: Json): Json {
    const offset = Number(payload['offset'] ?? 0)
    const limit = Number(payload['limit'] ?? 100)
    return { transactions: this.transactions.slice(offset, offset + limit) }
  }

  refundStarPayment(payload: Json): true {
    const id = String(payload['telegram_payment_charge_id'])
    const paid = this.transactions.find((one) => one['id'] === id && 'source' in one)
    const source = paid?.['source'] as { user: { id: number } } | undefined
    if (paid === undefined || source?.user.id !== payload['user_id'])
      throw new StarsRefusal('CHARGE_ID_INVALID')
    if (this.#refunded.has(id)) throw new StarsRefusal('CHARGE_ALREADY_REFUNDED')
    this.#refunded.add(id)
    this.transactions.push({ id, amount: paid['amount'], date: 1_800_000_100, receiver: source })
    return true
  }
}

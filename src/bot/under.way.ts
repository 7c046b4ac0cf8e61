/** Updates that are being handled while further ones are requested. */
import type { Update } from 'grammy/types'

/**
 * The key by which updates are kept in order: their chat. A query before a payment has a key of its own, so
 * it waits for no other update: Telegram accepts its answer for ten seconds only.
 */
const chatOf = ({ message, callback_query: press, pre_checkout_query: checkout }: Update) =>
  message?.chat.id ?? press?.from.id ?? checkout?.id

/** Updates of one chat are handled in order, those of different chats concurrently. */
export class UnderWay {
  readonly #handle: (update: Update) => Promise<void>
  /** Received and not confirmed; those that are handled are kept until the older ones are. */
  readonly #known = new Map<number, 'handled' | 'under way'>()
  readonly #lastOfChat = new Map<number | string | undefined, Promise<void>>()
  #newest = -1
  #failure: { reason: unknown } | null = null
  #wake: () => void = () => undefined

  constructor(handle: (update: Update) => Promise<void>) {
    this.#handle = handle
  }

  /** Whether an update is being handled. */
  get isBusy(): boolean {
    return this.#lastOfChat.size > 0
  }

  /** The id from which Telegram is to send updates: it confirms all before it. */
  get offset(): number {
    for (const [id, state] of this.#known) if (state === 'under way') return id
    return this.#newest + 1
  }

  /** Begins to handle the updates that are new. */
  add(updates: readonly Update[]): void {
    for (const update of updates) {
      // Sent again, because an older one is not handled yet.
      if (this.#known.has(update.update_id)) continue
      this.#known.set(update.update_id, 'under way')
      this.#newest = update.update_id
      this.#begin(update)
    }
    const { offset } = this
    for (const id of this.#known.keys()) if (id < offset) this.#known.delete(id)
  }

  /** Throws what an update has thrown: nothing from it on is confirmed, so Telegram sends it again. */
  assertHandled(): void {
    if (this.#failure !== null) throw this.#failure.reason
  }

  /** Waits until none is under way, at most for this time. */
  async idle(ms: number): Promise<void> {
    if (!this.isBusy) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Waits until none is under way. */
  async end(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#lastOfChat.values())
  }

  #begin(update: Update): void {
    const chat = chatOf(update)
    const before = this.#lastOfChat.get(chat)
    const handled = async () => {
      await before
      // An update after one that failed is handled when both are sent again.
      if (this.#failure !== null) return
      try {
        await this.#handle(update)
        this.#known.set(update.update_id, 'handled')
      } catch (reason) {
        this.#failure ??= { reason }
      }
    }
    const mine = handled().finally(() => {
      if (this.#lastOfChat.get(chat) === mine) this.#lastOfChat.delete(chat)
      if (!this.isBusy) this.#wake()
    })
    this.#lastOfChat.set(chat, mine)
  }
}

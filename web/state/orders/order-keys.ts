/** Idempotency keys: the server executes an order once, however often it is sent. */
import { useState } from 'react'
import { CallError } from '#contract/client'
import { randomHex } from '../random.ts'

/** Keys of orders whose success is not known yet. */
export class OrderKeys {
  readonly #keys = new Map<string, string>()

  /** The key of an order: the same each time it is sent, until it has succeeded. */
  keyOf(order: object): string {
    const body = JSON.stringify(order)
    const key = this.#keys.get(body) ?? randomHex(16)
    this.#keys.set(body, key)
    return key
  }

  /**
   * Forgets the order's key: the same order is a new one from now on. To be called only after success: the
   * server releases the key of a refused order, and after a lost response it is unknown whether the order was
   * made.
   */
  done(order: object): void {
    this.#keys.delete(JSON.stringify(order))
  }
}

/** The keys of one form. */
export function useOrderKeys(): OrderKeys {
  const [keys] = useState(() => new OrderKeys())
  return keys
}

/** Whether an order may have been made although its call failed. */
export const mayBeDone = (error: unknown): boolean =>
  !(error instanceof CallError) ||
  error.status === 0 ||
  error.status >= 500 ||
  error.code === 'idempotency_key_busy'

/** Whether nothing of the shop says what became of an order: no answer came, or not one of the shop's. */
export const isUnanswered = (error: unknown): boolean =>
  mayBeDone(error) &&
  (!(error instanceof CallError) ||
    ['timeout', 'network', 'unexpected_answer', 'idempotency_key_busy'].includes(error.code))

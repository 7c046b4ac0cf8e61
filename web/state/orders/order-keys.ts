/** The keys by which the server does an order once, however often it is sent. */
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
   * Ends the use of the order's key: the same order is a new one from now on. Only its success does so. A
   * refusal releases the key at the server, and whatever else came in place of an answer leaves unknown
   * whether the order was made.
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

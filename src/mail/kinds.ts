/** What each letter is filled with; it is stored as JSON, so amounts are decimal text. */
import type { Language } from '#contract/language'
import type { Pool } from '#contract/wire'

export interface Letters {
  /** `username`: null for an account without one. `sealed_token`: see sealToken. */
  confirm_email: { username: string | null; sealed_token: string }
  reset_password: { username: string | null; sealed_token: string }
  payment_received: {
    invoice: string
    pool: Pool
    received_micros: string
    /** Traffic this payment brought. */
    credited_bytes: string
    /** False when less came than the invoice asked for. */
    is_full: boolean
    /** The promo code's use was gone when the money came, so it bought at the full price. */
    promo_lost?: boolean
  }
  /** Another customer has proven an address of this one's whitelist. */
  address_taken: { pool: Pool; address: string }
}

export type Template = keyof Letters

/** A letter to be written. */
export type Mail = {
  [T in Template]: {
    template: T
    to: string
    language: Language
    data: Letters[T]
    /** After this it is not worth sending any more. */
    expiresAt?: Date
  }
}[Template]

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
    /** The traffic credited by this payment. */
    credited_bytes: string
    /** False when less was received than the invoice requires. */
    is_full: boolean
    /** The promo code's use was lost when the money arrived, so the full price applied. */
    promo_lost?: boolean
  }
  /** Another customer has proven an address of this one's whitelist. */
  address_taken: { pool: Pool; address: string }
}

export type Template = keyof Letters

/** A letter to be sent. */
export type Mail = {
  [T in Template]: {
    template: T
    to: string
    language: Language
    data: Letters[T]
    /** After this time it is no longer sent. */
    expiresAt?: Date
  }
}[Template]

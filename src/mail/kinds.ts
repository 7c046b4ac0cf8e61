/** What each letter is filled with; it is stored as JSON, so amounts are decimal text. */
import type { Language } from '#contract/language'
import type { declineReasons, OffReason } from '#contract/topup/rules'
import type { SecurityEvent } from '#contract/security/rules'
import type { Pool } from '#contract/wire'

export interface Letters {
  /** `username`: null for an account without one. `sealed_token`: see sealToken. */
  confirm_email: { username: string | null; sealed_token: string }
  /** `by_staff`: staff have made the old password invalid. */
  reset_password: { username: string | null; sealed_token: string; by_staff?: boolean }
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
    /** The end of the bill, see docs/bill.md; missing: it has no lines yet. */
    bill?: { line: string; hour: string; charged_bytes: string; head: string }
  }
  /** Money of an invoice is given back. `to_balance`: to the referral balance from which it was paid. */
  payment_refunded: {
    invoice: string
    pool: Pool
    refunded_micros: string
    taken_back_bytes: string
    to_balance: boolean
  }
  /** Another customer has proven an address of this one's whitelist. */
  address_taken: { pool: Pool; address: string }
  /**
   * A fifth or a twentieth of the traffic is left, nothing, or (`share`: null) less than the customer's
   * threshold.
   */
  traffic_low: {
    pool: Pool
    share: 'fifth' | 'twentieth' | 'out' | null
    left_bytes: string
    /** At the rate of the last day; null: nothing was used in it. */
    hours_left: number | null
  }
  /** As much as the customer's own cap was used in a UTC hour, day or month. */
  cap_reached: { pool: Pool; window: 'hour' | 'day' | 'month'; cap_bytes: string }
  /** Exits of countries that the customer uses do not answer, or do again. */
  exit_trouble: {
    pool: Pool
    event: 'began' | 'ended'
    /** Their codes, "de,fr"; * stands for lines without a country. */
    countries: string
    /** Of the first of them. */
    since: string
  }
  /**
   * Of automatic top-up: a charge failed, it was switched off, the bank asks for the customer, or the month's
   * bound is reached.
   */
  top_up: {
    pool: Pool
    event: 'failed' | 'off' | 'authentication' | 'bound'
    reason: (typeof declineReasons)[number] | OffReason | null
    /** What the customer knows the saved method by. */
    card: string | null
    /** The price of the charge, or the bound, in millionths of the currency. */
    currency: string | null
    micros: string | null
    is_off: boolean
    /** When it is tried again; null: it is not. */
    retry_at: string | null
    /** The page on which the customer pays. */
    url: string | null
  }
  /** A copy of what the customer has agreed to. */
  top_up_consent: { text: string; sha256: string; given_at: string }
  /** The account was signed in to from a new device, network or country. */
  new_sign_in: { device: string | null; ip: string; country: string | null; at: string }
  /** Something that protects the account was changed; `ip`: null, staff did. */
  security_changed: { event: SecurityEvent; ip: string | null; at: string }
  /**
   * Gigabytes were given to another customer, received from one, or exchanged. `who`: the other one's user
   * name.
   */
  traffic_moved: {
    event: 'given' | 'received' | 'exchanged'
    who: string | null
    pool: Pool
    bytes: string
    to_pool: Pool
    to_bytes: string
    at: string
  }
  /**
   * Of a payout of the referral balance. `reason`: of a refusal; null: refunds left nothing of it.
   * `address_end`: of the wallet.
   */
  payout: {
    event: 'requested' | 'reduced' | 'paid' | 'refused'
    micros: string
    network: string
    address_end: string
    reference: string | null
    reason: string | null
    at: string
  }
  /** To the new address; see sealToken. */
  confirm_new_email: { username: string | null; sealed_token: string }
  /** To the old address, which is asked whether it agrees. `ip`: where the change was asked for from. */
  approve_new_email: { username: string | null; sealed_token: string; ip: string }
  /**
   * To the old address, with the link that restores it. `ip`: where the new one was confirmed from; null: the
   * old one kept silent.
   */
  email_replaced: { username: string | null; sealed_token: string; ip: string | null }
  /** The customer has asked to have their data erased. */
  erasure_requested: Record<string, never>
  /** Staff do not erase the data, and say why. */
  erasure_declined: { reason: string }
  /** The last letter; nothing of it is kept. */
  data_erased: Record<string, never>
  /** Written by staff: one line, and paragraphs. */
  from_staff: { subject: string; text: string }
  /** To a member of staff, in their words already; `href` leads to the desk. */
  staff_alert: { subject: string; lines: string[]; href: string }
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

/** The data of each letter; stored as JSON, so amounts are decimal text. */
import type { letterTemplates } from '#contract/desk/choices'
import type { Language } from '#contract/language'
import type { declineReasons, OffReason } from '#contract/topup/rules'
import type { SecurityEvent } from '#contract/account-security/rules'
import type { TeamRole } from '#contract/acting/roles'
import type { Goods, Pool } from '#contract/wire'

export interface Letters {
  /** `username`: null for an account without one. `sealed_token`: see sealToken. */
  confirm_email: { username: string | null; sealed_token: string }
  /** `by_staff`: staff have made the old password invalid. */
  reset_password: { username: string | null; sealed_token: string; by_staff?: boolean }
  payment_received: {
    invoice: string
    /** The number of the invoice for people. */
    short_number: string
    /** `balance`: a top-up of the money balance. */
    pool: Goods
    received_micros: string
    /** The traffic credited by this payment. */
    credited_bytes: string
    /** False when less was received than the invoice requires. */
    is_full: boolean
    /** The promo code's use was lost when the money arrived, so the full price applied. */
    promo_lost?: boolean
    /** The head of the bill's hash chain, see docs/bill.md; missing: the bill has no lines yet. */
    bill?: { line: string; hour: string; charged_bytes: string; head: string }
  }
  /** Money of an invoice is refunded. `to_balance`: to the balance from which it was paid. */
  payment_refunded: {
    invoice: string
    /** The number of the invoice for people. */
    short_number: string
    /** `balance`: a top-up of the money balance. */
    pool: Goods
    refunded_micros: string
    taken_back_bytes: string
    to_balance: boolean
    /** That balance is the money balance, not the referral balance. */
    to_money?: boolean
  }
  /** A refund that the customer was told of did not arrive: its money is the shop's again. */
  refund_failed: {
    invoice: string
    /** The number of the invoice for people. */
    short_number: string
    /** `balance`: a top-up of the money balance. */
    pool: Goods
    refunded_micros: string
    /** Traffic that is back on the balance. */
    returned_bytes: string
  }
  /** Another customer has proven an address of this one's whitelist. */
  address_taken: { pool: Pool; address: string }
  /**
   * A fifth, a twentieth or nothing of the traffic is left, or (`share`: null) less than the customer's
   * threshold.
   */
  traffic_low: {
    pool: Pool
    share: 'fifth' | 'twentieth' | 'out' | null
    left_bytes: string
    /** At the rate of the last day; null: nothing was used in it. */
    hours_left: number | null
  }
  /** The customer's own cap for a UTC hour, day or month was reached. */
  cap_reached: { pool: Pool; window: 'hour' | 'day' | 'month'; cap_bytes: string }
  /** Exits of countries that the customer uses do not answer, or answer again. */
  exit_trouble: {
    pool: Pool
    event: 'began' | 'ended'
    /** Their codes, "de,fr"; * stands for lines without a country. */
    countries: string
    /** The time at which the first of them began. */
    since: string
  }
  /** Once a month: the end of the hash chain of the bill, see docs/bill.md. */
  bill_month: {
    /** The first day of the UTC month. */
    month: string
    line: string
    hour: string
    charged_bytes: string
    head: string
    /** Charged in the month, by pool: "mobile 90,residential 1200". */
    charged: string
  }
  /**
   * Of automatic top-up: a charge failed, it was switched off, the bank asks for the customer, or the month's
   * bound is reached.
   */
  top_up: {
    pool: Pool
    event: 'failed' | 'off' | 'authentication' | 'bound'
    reason: (typeof declineReasons)[number] | OffReason | null
    /** The display name of the saved method. */
    card: string | null
    /** The price of the charge, or the bound, in millionths of the currency. */
    currency: string | null
    micros: string | null
    is_off: boolean
    /** When it is retried; null: never. */
    retry_at: string | null
    /** The page on which the customer pays. */
    url: string | null
  }
  /** A copy of the customer's consent. */
  top_up_consent: { text: string; sha256: string; given_at: string }
  /** The account was signed in to from a new device, network or country. */
  new_sign_in: { device: string | null; ip: string; country: string | null; at: string }
  /** A security setting of the account was changed; `ip`: null if staff changed it. */
  security_changed: { event: SecurityEvent; ip: string | null; at: string }
  /**
   * Gigabytes were given to another customer, received from one, or exchanged. `who`: the other customer's
   * user name.
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
   * A payout of the referral balance. `reason`: of a refusal; null: refunds used it up. `address_end`: the
   * end of the wallet's address.
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
  /** To the old address, asking for its consent. `ip`: the client that requested the change. */
  approve_new_email: { username: string | null; sealed_token: string; ip: string }
  /**
   * To the old address, with the link that restores it. `ip`: the client that confirmed the new address;
   * null: the old address did not answer.
   */
  email_replaced: { username: string | null; sealed_token: string; ip: string | null }
  /** To the invited address. `team`: the name of the inviting account. */
  team_invitation: { team: string; role: TeamRole; sealed_token: string }
  /** The customer has asked to have their data erased. */
  erasure_requested: Record<string, never>
  /** Staff declined the erasure, with the reason. */
  erasure_declined: { reason: string }
  /** The confirmation of an erasure; it is not stored after sending. */
  data_erased: Record<string, never>
  /** Written by staff: one line, and paragraphs. */
  from_staff: { subject: string; text: string }
  /** To a member of staff, with complete texts; `href` is a page of the desk. */
  staff_alert: { subject: string; lines: string[]; href: string }
}

/** The templates, each with a name at the desk; one without data in `Letters` is a type error, and the reverse. */
export type Template = (typeof letterTemplates)[number]

/** A letter to be sent. */
export type Mail = {
  [T in Template]: {
    template: T
    to: string
    language: Language
    data: Letters[T]
    /** Whom it is about; unset: the account that has the address now, if any; null: nobody. */
    accountId?: bigint | null
    /** After this time it is no longer sent. */
    expiresAt?: Date
  }
}[Template]

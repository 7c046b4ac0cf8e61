/** Customers: search, the facts about one, and what staff do to an account. */
import * as z from 'zod'
import { teamRoles } from '../../acting/roles.ts'
import {
  actKey,
  actor,
  amount,
  changed,
  day,
  done,
  empty,
  ended,
  givenAmount,
  id,
  label,
  moment,
  page,
  pageOf,
  pool,
  positive,
  reason,
  time,
} from '../schemas.ts'
import { bulkActs, customerSorts, customerStates } from '../choices.ts'
import { contact, email, freeText, masks } from '../../masks.ts'

const state = z.enum(customerStates)

/** ISO 3166-1. */
const country = z.string().regex(/^[A-Z]{2}$/)

export const findInput = z.strictObject({ text: z.string().max(320) })

/** Hits of the search over everything, the best match first. */
export const found = z.array(
  z.object({
    kind: z.enum(['customer', 'invoice', 'connection', 'exit', 'promo_code']),
    id: z.string(),
    /** The name of the hit. */
    title: z.string(),
    /** The field that matched, such as `proxy_login`. */
    by: z.enum([
      'id',
      'name',
      'email',
      'telegram',
      'proxy_login',
      'address',
      'invoice_number',
      'request_id',
      'part_of_name',
      'exit_name',
      'promo_code',
    ]),
  }),
)

export const customersInput = z.strictObject({
  ...page,
  /** Name, e-mail, Telegram name, proxy login, listed address, invoice number, request id or id. */
  text: z.string().max(320).optional(),
  state: state.optional(),
  tag: z.string().max(40).optional(),
  /** Micro-USD paid by real money, refunds subtracted. */
  spent_from: givenAmount.optional(),
  spent_to: givenAmount.optional(),
  seen_from: z.union([day, moment]).optional(),
  seen_to: z.union([day, moment]).optional(),
  joined_from: z.union([day, moment]).optional(),
  joined_to: z.union([day, moment]).optional(),
  /** The balance of all pools together, in bytes. */
  balance_from: givenAmount.optional(),
  balance_to: givenAmount.optional(),
  /** The margin of the last 30 days in micro-USD; only for members who may see reports. */
  margin_from: givenAmount.optional(),
  margin_to: givenAmount.optional(),
  campaign: z.string().max(64).optional(),
  inviter: id.optional(),
  /** The country of the sign-up. */
  country: country.optional(),
  price_list: id.optional(),
  sort: z.enum(customerSorts).optional(),
})

export const customerRow = z.object({
  id,
  name: z.string().nullable(),
  email: email.nullable(),
  telegram: contact.nullable(),
  state,
  tags: z.array(z.string()),
  spent_micros: amount,
  balance_bytes: amount,
  /** The margin of the last 30 days; null for members who may not see reports. */
  margin_micros: amount.nullable(),
  last_seen_at: time.nullable(),
  created_at: time,
  /** The country of the sign-up; null: not known. */
  country: country.nullable(),
  /** The name of the price list; null: the shop’s prices. */
  price_list: z.string().nullable(),
})

export const customersPage = pageOf(customerRow).extend({
  /**
   * When the balances that order or filter the rows were read; null: the list does not use them. The balance
   * in each row is the current one.
   */
  balances_at: time.nullable(),
  /** When the margins were computed; null for members who may not see them. */
  margins_at: time.nullable(),
})

export const customerInput = z.strictObject({ id })

const session = z.object({ id: z.string(), created_at: time, used_at: time, expires_at: time })

const teamPerson = z.object({
  id,
  name: z.string().nullable(),
  role: z.enum(teamRoles),
  joined_at: time,
})

export const note = z.object({ id, text: freeText, by: actor, at: time })

export const customer = z.object({
  id,
  name: z.string().nullable(),
  email: email.nullable(),
  email_confirmed: z.boolean(),
  telegram: contact.nullable(),
  language: z.enum(['ru', 'en']),
  state,
  blocked: z.object({ at: time, until: time.nullable(), reason: freeText.nullable() }).nullable(),
  /** When the customer asked to have their data erased, and when it was erased. */
  erasure_asked_at: time.nullable(),
  erased_at: time.nullable(),
  created_at: time,
  last_seen_at: time.nullable(),
  last_signed_in_at: time.nullable(),
  /** The country of the sign-up; null: not known. */
  country: country.nullable(),
  has_password: z.boolean(),
  invited_by: z.object({ id, name: z.string().nullable() }).nullable(),
  invited: z.number(),
  campaign: z.string().nullable(),
  /** Their share of invitees' payments, in parts per million; null: the shop's own. */
  referral_ppm: z.number().nullable(),
  /** Null: the shop’s prices. */
  price_list: z.object({ id, name: z.string() }).nullable(),
  referral_micros: amount,
  /** The money balance; what disputes withhold of it; what later money pays off. */
  money_micros: amount,
  money_withheld_micros: amount,
  money_owed_micros: amount,
  spent_micros: amount,
  invoices: z.number(),
  tags: z.array(z.string()),
  pools: z.array(
    z.object({
      pool,
      login: z.string(),
      paid_bytes: amount,
      bonus_bytes: amount,
      /** On lease to gateways; part of the balance. */
      leased_bytes: amount,
      /** Reserved for proxy users; not part of the balance. */
      reserved_bytes: amount,
      used_30_days_bytes: amount,
      addresses: z.array(z.object({ ip: contact, proven: z.boolean() })),
    }),
  ),
  sessions: z.array(session),
  notes: z.array(note),
  /** Customers who may act on this account. */
  members: z.array(teamPerson.extend({ email: email.nullable() })),
  /** Accounts on which this customer may act. */
  teams: z.array(teamPerson),
})

export const ledgerInput = z.strictObject({
  ...page,
  id,
  /** Entries of one account only: a pool, the referral balance, or the money balance. */
  account: z.union([pool, z.enum(['referral', 'balance'])]).optional(),
})

export const ledgerPage = pageOf(
  z.object({
    /** The id of the transaction. */
    id,
    at: time,
    /** Why the transaction was posted, such as `purchase`, `refund` or `staff`. */
    kind: z.string(),
    /** What the transaction is for, such as the number of an invoice. */
    reference: z.string(),
    account: z.union([pool, z.enum(['referral', 'balance'])]),
    part: z.enum([
      'paid',
      'bonus',
      'reserved_paid',
      'reserved_bonus',
      'referral',
      'payout',
      'balance',
      'withheld',
    ]),
    /** Bytes of a pool; micro-USD of the referral balance or the money balance. */
    amount,
  }),
)

export const usageInput = z.strictObject({
  id,
  by: z.enum(['day']).optional(),
  from: day,
  until: day,
  pool: pool.optional(),
  ...page,
})

export const usagePage = pageOf(
  z.object({ day, pool, charged_bytes: amount, bonus_bytes: amount, requests: amount }),
)

export const timelineInput = z.strictObject({ ...page, id })

/** One event of a customer's life; `subject` is what a click opens. */
export const timelinePage = pageOf(
  z.object({
    at: time,
    kind: z.enum([
      'signed_up',
      'email_confirmed',
      'invoice_made',
      'invoice_settled',
      'invoice_refunded',
      'invoice_disputed',
      'balance_changed',
      'note',
      'staff_act',
      'blocked',
      'letter',
      'signed_in',
      'telegram_linked',
      'erasure_asked',
      'invited',
      'address_listed',
    ]),
    subject_kind: z.enum(['customer', 'invoice', 'ledger', 'note', 'audit', 'letter']),
    subject_id: z.string(),
    /** Facts of the event, for its sentence: amounts as digits, names, states. */
    facts: z.record(z.string(), z.string().nullable()).register(masks, { mask: 'facts' }),
    by: actor.nullable(),
  }),
)

// Acts

export const giveTrafficInput = z.strictObject({ id, pool, bytes: positive, reason, key: actKey })

export const takeTrafficInput = z.strictObject({ id, pool, bytes: positive, reason, key: actKey })

/** The bytes that were moved: at most the balance is taken. */
export const movedBytes = z.object({ bytes: amount, balance_bytes: amount })

export const moneyInput = z.strictObject({
  id,
  micros: positive,
  /** Which balance; absent: the referral balance. */
  of: z.enum(['referral', 'balance']).optional(),
  reason,
  key: actKey,
})

export const movedMicros = z.object({ micros: amount, balance_micros: amount })

export const blockInput = z.strictObject({
  id,
  /** When the block ends; omitted: only staff end it. */
  until: moment.optional(),
  reason,
  /** Whether the customer is told the reason when their sign-in is refused. */
  tell: z.boolean(),
})

export const unblockInput = z.strictObject({ id, reason: reason.optional() })

export const endSessionsInput = z.strictObject({ id, reason: reason.optional() })

export const removeTeamMemberInput = z.strictObject({ id, member_id: id, reason: reason.optional() })

export const addNoteInput = z.strictObject({ id, text: z.string().trim().min(1).max(4000) })

export const removeNoteInput = z.strictObject({ note_id: id })

const tag = label(40)

export const setTagsInput = z.strictObject({ id, tags: z.array(tag).max(20) })

export const countryList = z.array(z.object({ country, customers: z.number() }))

export const tagList = z.array(z.object({ tag: z.string(), customers: z.number() }))

export const tryBulkInput = z.strictObject({
  act: z.enum(bulkActs),
  ids: z.array(id).min(1).max(2000),
  tag: tag.optional(),
  /** The list for the act `price_list`; null: the shop’s prices. */
  list_id: id.nullable().optional(),
})

/** What an act on these customers would do; nothing is changed. */
export const triedBulk = z.object({
  /** The number of customers whom the act would change. */
  will: z.number(),
  /** The number of customers who are blocked, tagged or at these prices already, or have no address. */
  unchanged: z.number(),
  /** The number of ids without a customer. */
  unknown: z.number(),
  /** Each customer, in the order of `ids`. */
  people: z.array(
    z.object({
      id,
      name: z.string().nullable(),
      /** `unchanged`: the act would change nothing, or the customer has no address for a letter. */
      outcome: z.enum(['will', 'unchanged', 'unknown']),
    }),
  ),
})

export const addTagInput = z.strictObject({ id, tag })

export const sendLetterInput = z.strictObject({
  id,
  /** One line, because it is a header of the letter. */
  subject: label(120),
  text: z.string().trim().min(1).max(8000),
  key: actKey,
})

export const customersDeskSchemas = {
  find: { input: findInput, output: found },
  customers: { input: customersInput, output: customersPage },
  customer: { input: customerInput, output: customer },
  customer_ledger: { input: ledgerInput, output: ledgerPage },
  customer_usage: { input: usageInput, output: usagePage },
  customer_timeline: { input: timelineInput, output: timelinePage },
  give_traffic: { input: giveTrafficInput, output: movedBytes },
  take_traffic: { input: takeTrafficInput, output: movedBytes },
  give_money: { input: moneyInput, output: movedMicros },
  take_money: { input: moneyInput, output: movedMicros },
  block_customer: { input: blockInput, output: changed },
  unblock_customer: { input: unblockInput, output: changed },
  end_customer_sessions: { input: endSessionsInput, output: ended },
  remove_team_member: { input: removeTeamMemberInput, output: changed },
  add_note: { input: addNoteInput, output: note },
  remove_note: { input: removeNoteInput, output: done },
  try_bulk: { input: tryBulkInput, output: triedBulk },
  add_tag: { input: addTagInput, output: changed },
  send_letter: { input: sendLetterInput, output: done },
  set_tags: { input: setTagsInput, output: done },
  sign_up_countries: { input: empty, output: countryList },
  tags: { input: empty, output: tagList },
} as const

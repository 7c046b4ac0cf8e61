/** The schemas of inputs and outputs; `contract.ts` assigns them to the calls. */
import * as z from 'zod'
import { languageCodes } from './language.ts'
import { consentDocuments } from './legal/consents.ts'
import { maxOrderGb } from './price.ts'
import { protocols, proxyFormats, regions } from './proxy-lines.ts'
import * as rules from './schemas.rules.ts'
import { judged } from './texts.ts'
import { pools } from './wire.ts'

export const pool = z.enum(pools)
export const language = z.enum(languageCodes)

/** Amounts of money in USD with at most 6 decimals. */
const usd = z.number()
/** A fraction between 0 and 1. */
const fraction = z.number().min(0).max(1)
/** Traffic as `trafficToWire` returns it. The string form is serialised as a bare number too. */
export const traffic = z.union([z.number(), z.string()])

const codes = z.array(z.string().min(1).max(64)).max(500)
const maybeCodes = codes.nullish()
const promocode = judged(z.string().max(64)).nullish()

// Accounts

export const signupInput = z.strictObject({
  username: rules.username,
  email: rules.email,
  password: rules.newPassword,
  referral_id: judged(z.union([z.string().max(64), z.number()])).nullish(),
  admin_referral_code: judged(z.string().max(64)).nullish(),
  /** What the person has agreed to: each document that `sign_up_documents` names, as it was shown. Absent: nothing is recorded. */
  consents: z
    .array(z.strictObject({ document: z.enum(consentDocuments), sha256: z.string().regex(/^[0-9a-f]{64}$/) }))
    .max(consentDocuments.length)
    .optional(),
})

export const signinInput = z.strictObject({
  username: judged(z.string().max(320)),
  password: z.string().max(1000),
})

const profilePool = z.object({
  balance: traffic,
  balance_format: z.string(),
  /** The proxy password, or null when the customer has never had traffic in this pool. */
  password: z.string().nullable(),
})

export const profile = z.object({
  created_at: z.string(),
  updated_at: z.string(),
  reg_date: z.string(),
  user_id: z.number(),
  lang: language,
  invited_by: z.number().nullable(),
  pers_percent: z.string(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  /** `*` when a password is set, else null; never the password itself. */
  password: z.string().nullable(),
  role_id: z.number(),
  confirmed: z.boolean(),
  tgcode: z.string().nullable(),
  tgcode_expires: z.string().nullable(),
  ref_balance_usd: usd,
  token: z.string().nullable(),
  residential: profilePool,
  residential_premium: profilePool,
  datacenter: profilePool,
  mobile: profilePool,
})

export const profiles = z.array(profile)

export const changeLanguageInput = z.strictObject({ code: language })
export const confirmEmailInput = z.strictObject({ confirmation_token: z.string().max(200) })
/** A message that is the code of a refusal replaces the general refusal of an invalid field. */
export const telegramSigninInput = z.strictObject({
  p_code: rules.telegramCode,
})
export const changePasswordInput = z.strictObject({
  old_password: z.string().max(1000).nullish(),
  new_password: rules.newPassword,
})

/** The answer is the same whether the address is known or not. */
export const requestPasswordResetInput = z.strictObject({ email: rules.email })
export const newEmailInput = z.strictObject({ email: rules.email })
export const resetAccountPasswordInput = z.strictObject({
  reset_token: z.string().max(200),
  new_password: rules.newPassword,
})

export const referralInfo = z.object({
  balance: usd,
  ref_num: z.number(),
  percent: fraction,
  links: z.object({ website: z.string(), telegram: z.string().nullable() }),
})

export const referralInfos = z.array(referralInfo)

// Buying

/** Only the pools that are on sale. */
export const prices = z.partialRecord(pool, usd)
export const calculateInput = z.strictObject({
  amounts: z.array(z.number().min(0).max(maxOrderGb)).min(1).max(100),
})
export const discounts = z.array(fraction)

export const invoiceInput = z.strictObject({
  payment_method: z.string().min(1).max(64),
  amount: rules.amountGb,
  promocode,
  pool,
  /** Where the fiscal receipt goes, of this order and of later ones; absent: as before. */
  receipt_email: rules.email.nullish(),
  /** The `sha256` of the consent to save the payment method (`get_top_ups`); absent: it is not saved. */
  save_consent: z.string().max(64).nullish(),
})
export const displayCurrency = z.object({ currency: z.string().nullable() })
export const displayCurrencyInput = z.strictObject({ currency: z.string().max(3) })
export const receiptEmailInput = z.strictObject({ email: rules.email.nullable() })
export const receiptEmail = z.object({
  /** Null: there is none. */
  email: z.string().nullable(),
  /** It was given for receipts; otherwise it is the e-mail of the account. */
  is_own: z.boolean(),
  /** The payment methods that need it. */
  needed_for: z.array(z.string()),
})
export const referralPaymentInput = z.strictObject({ amount: rules.amountGb, promocode, pool })

export const referralPaymentOutput = z.object({ ok: z.boolean() })

/** Where a fiscal receipt went, and by what it is found. */
export const receiptRegistration = {
  /** Where it is sent. */
  email: z.string().nullable(),
  /** ФД, ФН and ФП of a receipt of a till. */
  fiscal_document_number: z.string().nullable(),
  fiscal_storage_number: z.string().nullable(),
  fiscal_attribute: z.string().nullable(),
  /** The number of a receipt that was registered by hand. */
  number: z.string().nullable(),
  link: z.string().nullable(),
}

export const invoiceNumberInput = z.strictObject({ number: z.string().max(64) })
export const invoicesInput = z.strictObject({ before: z.string().max(64).optional() })
/** The cost in another currency: decimal text, of the currency for one USD, and the day of the rate. */
const inCurrency = z.object({
  currency: z.string(),
  amount: z.string(),
  /** Decimal places of its smallest unit. */
  digits: z.number(),
  per_usd: z.string(),
  on: z.string(),
})
export const invoice = z.object({
  number: z.string(),
  pool,
  gb: z.number(),
  /** The payment method, or `referral`. */
  method: z.string(),
  /** Charged by automatic top-up. */
  automatic: z.boolean(),
  state: z.enum(['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded']),
  /** The cost; without the promo discount once that is lost. */
  cost_usd: usd,
  /** What the payment method collects, at the rate frozen with the invoice; null: USD. */
  charged: inCurrency.nullable(),
  /** What it was shown as in the currency that the customer had chosen, frozen too; null: USD, or as in `charged`. */
  shown: inCurrency.nullable(),
  received_usd: usd,
  refunded_usd: usd,
  /** The promo code no longer applied when the payment arrived. */
  promo_lost: z.boolean(),
  /** The traffic credited, less what a refund took back. */
  credited: traffic,
  created_at: z.string(),
  expires_at: z.string(),
  settled_at: z.string().nullable(),
  /** The payment page, while the invoice is open. */
  payment_url: z.string().nullable(),
  /** Fiscal receipts, the oldest first. */
  receipts: z.array(
    z.object({
      kind: z.enum(['payment', 'closing', 'refund']),
      state: z.enum(['pending', 'registered']),
      ...receiptRegistration,
      registered_at: z.string().nullable(),
    }),
  ),
})
export const invoices = z.array(invoice)

/** The documents of an invoice in PDF, the first first. */
export const invoiceDocuments = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(['invoice', 'credit_note']),
    number: z.string(),
    /** Of a test purchase or a demo: no document of a sale. */
    specimen: z.boolean(),
    amount_usd: usd,
    issued_at: z.string(),
    /** SHA-256 of the file, in hexadecimal digits. */
    sha256: z.string(),
  }),
)
export const invoiceDocumentInput = z.strictObject({
  number: z.string().max(64),
  /** Of `invoice_documents`. */
  id: z.string().max(20),
})

/** What documents say of the buyer besides the account; all empty: nothing. */
export const buyerDetailsInput = z.strictObject({
  name: z.string().max(200),
  address: z.string().max(300),
  tax_id: z.string().max(60),
})
export const buyerDetails = z.object({ name: z.string(), address: z.string(), tax_id: z.string() })

export const promocodeInfoInput = z.strictObject({
  code: judged(z.string().max(64)),
  amount: rules.amountGb,
  /** Left out: the pools of the code are judged when the order is made. */
  pool: pool.optional(),
})
export const promocodeInfo = z.object({
  discount: fraction,
  expires_at: z.string().nullable(),
  max_uses: z.number().nullable(),
  uses: z.number(),
})
export const trafficCodeInput = z.strictObject({ code: z.string().max(64) })
export const trafficCodeOutput = z.object({ pool, traffic })
export const paymentSystems = z.array(
  z.object({
    name: z.string(),
    /** What the operator calls it; null: the page's own name. */
    title: z.string().nullable(),
    description: z.string(),
    /** Why it cannot be used at present; absent: it can. */
    unavailable: z.string().optional(),
  }),
)

// Proxies

export const getProxyInput = z.strictObject({
  anonymous: rules.onOrOff,
  type: z.enum(['sticky', 'rotating', 'dynamic']),
  protocol: z.enum(protocols),
  format: z.enum(proxyFormats),
  quantity: rules.count,
  sessionttl: rules.count,
  pool,
  countries: maybeCodes,
  cities: maybeCodes,
  states: maybeCodes,
  excluded_asns: z
    .array(z.union([z.string().max(64), z.number()]))
    .max(500)
    .nullish(),
  included_asns: z
    .array(z.union([z.string().max(64), z.number()]))
    .max(500)
    .nullish(),
  zipcodes: maybeCodes,
  region: z.enum(regions).nullish(),
  /** The number of a proxy user of the pool, whose lines these are. */
  proxy_user: z.int().min(1).max(1_048_575).nullish(),
})

const { provider } = rules
export const countriesInput = z.strictObject({ provider, pool })
export const statesInput = z.strictObject({ provider, pool, countries: codes })
export const citiesInput = z.strictObject({ provider, pool, countries: codes, states: maybeCodes })
export const asnsInput = z.strictObject({
  provider,
  pool,
  countries: codes,
  states: maybeCodes,
  cities: maybeCodes,
})
export const zipcodesInput = z.strictObject({ provider, pool, countries: codes, states: maybeCodes })

export const countries = z.array(z.object({ code: z.string(), name: z.string(), count: z.number() }))
export const states = z.array(
  z.object({ code: z.string(), name: z.string(), count: z.number(), country_code: z.string() }),
)
export const cities = z.array(
  z.object({
    code: z.string(),
    name: z.string(),
    count: z.number(),
    state_code: z.string().nullable(),
    country_code: z.string(),
  }),
)
export const asns = z.array(z.object({ asn: z.number(), name: z.string(), count: z.number() }))
export const zipcodes = z.array(z.object({ code: z.string(), name: z.string(), count: z.number() }))

export const poolInput = z.strictObject({ pool })
/** The account password, where the account has one. */
export const ownerInput = z.strictObject({ password: z.string().max(1000).nullish() })
export const personalData = z.object({
  /** When the customer asked to have their data erased; null: they did not. */
  erasure_requested_at: z.string().nullable(),
})
export const personalDownload = z.object({
  /** A path of this server that gives the file once. */
  url: z.string(),
  expires_at: z.string(),
})

export const newPassword = z.object({ password: z.string() })
export const statisticInput = z.strictObject({ period: z.enum(['week', 'month']), pool })
export const statistic = z.object({
  usage: z.array(z.object({ d_usage: z.string(), traffic, extra_traffic: traffic, request: z.number() })),
  total: z.object({ traffic, extra_traffic: traffic }),
})

export const empty = z.strictObject({})
export const done = z.boolean()
export const text = z.string()
/** An image, sent with its content type. */
/** With a name: a file for the caller alone, which is saved under it. */
export const blob = z.object({
  bytes: z.instanceof(Uint8Array),
  content_type: z.string(),
  name: z.string().optional(),
})

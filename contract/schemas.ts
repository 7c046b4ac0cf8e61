/** The schemas of inputs and outputs; `contract.ts` assigns them to the calls. */
import * as z from 'zod'
import { languageCodes } from './language.ts'
import { maxOrderGb } from './price.ts'
import { protocols, proxyFormats, regions } from './proxy-lines.ts'
import * as rules from './schemas.rules.ts'
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
const promocode = z.string().max(64).nullish()

// Accounts

export const signupInput = z.strictObject({
  username: rules.username,
  email: rules.email,
  password: rules.newPassword,
  referral_id: z.union([z.string().max(64), z.number()]).nullish(),
  admin_referral_code: z.string().max(64).nullish(),
})

export const signinInput = z.strictObject({
  username: z.string().max(320),
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
})
export const referralPaymentInput = z.strictObject({ amount: rules.amountGb, promocode, pool })

export const referralPaymentOutput = z.object({ ok: z.boolean() })

export const invoiceNumberInput = z.strictObject({ number: z.string().max(64) })
export const invoice = z.object({
  number: z.string(),
  pool,
  gb: z.number(),
  /** The payment method, or `referral`. */
  method: z.string(),
  state: z.enum(['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded']),
  /** The cost; without the promo discount once that is lost. */
  cost_usd: usd,
  received_usd: usd,
  refunded_usd: usd,
  /** The promo code was used up before the payment arrived. */
  promo_lost: z.boolean(),
  /** The traffic credited, less what a refund took back. */
  credited: traffic,
  created_at: z.string(),
  expires_at: z.string(),
  settled_at: z.string().nullable(),
  /** The payment page, while the invoice is open. */
  payment_url: z.string().nullable(),
})
export const invoices = z.array(invoice)

export const promocodeInfoInput = z.strictObject({ code: z.string().max(64), amount: rules.amountGb })
export const promocodeInfo = z.object({
  discount: fraction,
  expires_at: z.string().nullable(),
  max_uses: z.number().nullable(),
  uses: z.number(),
})
export const trafficCodeInput = z.strictObject({ code: z.string().max(64) })
export const trafficCodeOutput = z.object({ pool, traffic })
export const paymentSystems = z.array(z.object({ name: z.string(), description: z.string() }))

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
export const newPassword = z.object({ password: z.string() })
/** A cap on the bytes charged in an hour, a day or a month, from 1 MB to 1 PB; null: no cap. */
const byteCap = z
  .int('invalid_byte_cap')
  .min(1_000_000, 'invalid_byte_cap')
  .max(1_000_000_000_000_000, 'invalid_byte_cap')
  .nullable()

const limitsOnPool = {
  hour_bytes: byteCap,
  day_bytes: byteCap,
  month_bytes: byteCap,
  /** The most connections open at a time. */
  connections: z.int().min(1).max(100_000).nullable(),
  /** Exact names and addresses, or `*.suffix`. An empty list allows all. */
  allowed_hosts: rules.hostPatterns,
  denied_hosts: rules.hostPatterns,
  data_saver: z.boolean(),
}

/** Omitted fields stay unchanged. */
export const poolLimitsInput = z.strictObject({
  pool,
  ...z.object(limitsOnPool).partial().shape,
})
export const poolLimits = z.object({
  pool,
  ...limitsOnPool,
  /** Charged so far in the current UTC hour, day and month. */
  used: z.object({ hour_bytes: z.number(), day_bytes: z.number(), month_bytes: z.number() }),
})

export const whitelistInput = z.strictObject({ ip: rules.ipv4, pool })

export const addresses = z.array(z.string())

export const whitelistEntries = z.object({
  entries: z.array(
    z.object({
      ip: z.string(),
      added_at: z.string(),
      /** Null: unproven. */
      proven_at: z.string().nullable(),
      /** The time at which it is removed unless it is proven or used before. */
      expires_at: z.string().nullable(),
    }),
  ),
  /** The addresses removed in the last week other than by the customer. */
  lost: z.array(z.object({ ip: z.string(), reason: z.enum(['taken', 'unproven']), lost_at: z.string() })),
})

// Statistics and content

export const statisticInput = z.strictObject({ period: z.enum(['week', 'month']), pool })
export const statistic = z.object({
  usage: z.array(z.object({ d_usage: z.string(), traffic, extra_traffic: traffic, request: z.number() })),
  total: z.object({ traffic, extra_traffic: traffic }),
})

export const banners = z.array(z.object({ id: z.number(), name: z.string(), link: z.string() }))
/** The operator's texts in the requested language; links that do not exist are null. */
export const site = z.object({
  brand: z.object({ name: z.string(), logo_text: z.string() }),
  links: z.object({
    bot: z.string().nullable(),
    support: z.string().nullable(),
    channel: z.string().nullable(),
    enterprise: z.string().nullable(),
  }),
  rules: z.object({
    title: z.string(),
    subtitle: z.string(),
    rules: z.array(z.object({ text: z.string(), more_link: z.string().nullable() })),
    partner: z.object({ name: z.string(), link: z.string().nullable() }).nullable(),
    ending: z.string(),
    note: z.string(),
  }),
  reviews: z.object({
    intro: z.string(),
    links: z.array(z.object({ name: z.string(), link: z.string() })),
  }),
  /** The entry point of lines without a region: the host, and the port of each pool; and the regions that have a host of their own. */
  gateway: z.object({
    host: z.string(),
    ports: z.record(pool, z.number()),
    regions: z.array(z.enum(regions)),
  }),
  /** The username of the shop's bot, for links that start it; null without a bot. */
  telegram_bot: z.string().nullable(),
  /** Whether the counts of addresses include made-up ones of the demo. */
  demo_inventory: z.boolean(),
})

export const bannerInput = z.strictObject({ id: z.string().max(32) })

export const empty = z.strictObject({})
export const done = z.boolean()
export const text = z.string()
/** An image, sent with its content type. */
export const blob = z.object({ bytes: z.instanceof(Uint8Array), content_type: z.string() })

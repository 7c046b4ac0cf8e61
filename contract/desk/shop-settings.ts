/**
 * The settings that staff may change while the shop runs. A variable of the environment with the same meaning
 * takes precedence, so the machine's owner can pin a setting.
 */

import { type ProcessorMethod, processorMethods } from '../invoices.ts'
import type { PayoutNetwork } from '../referral/payout.ts'

/** `usd` is in micro-USD; `flag` is 1 for yes and 0 for no; all others are whole numbers of their unit. */
export type SettingUnit = 'flag' | 'users' | 'gb' | 'usd' | 'minutes' | 'hours' | 'days' | 'months'

interface SettingRule {
  group: 'payments' | 'limits' | 'payouts' | 'retention' | 'notices'
  unit: SettingUnit
  least: bigint
  most: bigint
  /** The value until staff change it. */
  default: bigint
  /** The variable of the environment that overrides it; null: none. */
  variable: string | null
}

const day = 24n * 60n

/** Whether something is switched on; it is, until staff change it. */
const switchedOn = { unit: 'flag', least: 0n, most: 1n, default: 1n, variable: null } as const

const ofNetwork = { group: 'payouts', ...switchedOn } as const
const ofMethod = { group: 'payments', ...switchedOn } as const

/** The payment methods that staff can stop offering: all but the demo's test payments. */
export type SwitchedMethod = Exclude<ProcessorMethod, 'sandbox'>
export const switchedMethods = processorMethods.filter(
  (method): method is SwitchedMethod => method !== 'sandbox',
)

/** The setting of a payment method: whether customers may pay by it. */
export const offerSetting = <M extends SwitchedMethod>(method: M) => `offer_${method}` as const

/** The payment method whose offer a setting switches; null: it is another setting. */
export const offeredMethod = (name: string): SwitchedMethod | null =>
  switchedMethods.find((method) => offerSetting(method) === name) ?? null

/** One setting for each payment method, named by `offerSetting`. */
const ofMethods = Object.fromEntries(
  switchedMethods.map((method) => [offerSetting(method), ofMethod]),
) as Readonly<Record<`offer_${SwitchedMethod}`, typeof ofMethod>>

export const shopSettings = {
  ...ofMethods,
  /** The maximum traffic that support may give away in a day. */
  support_gb_per_day: {
    group: 'limits',
    unit: 'gb',
    least: 0n,
    most: 1_000_000n,
    default: 5n,
    variable: 'DESK_SUPPORT_GB',
  },
  /** From this amount on, giving traffic needs a fresh second factor. */
  step_up_gb: {
    group: 'limits',
    unit: 'gb',
    least: 0n,
    most: 1_000_000n,
    default: 50n,
    variable: 'DESK_STEP_UP_GB',
  },
  /** From this amount on, refunding and giving money need a fresh second factor. */
  step_up_micros: {
    group: 'limits',
    unit: 'usd',
    least: 0n,
    most: 1_000_000_000_000n,
    default: 100_000_000n,
    variable: 'DESK_STEP_UP_USD',
  },
  /**
   * When a processor returns money that the desk did not order, unused traffic is taken back; otherwise the
   * loss is noted.
   */
  returns_take_traffic: {
    group: 'limits',
    unit: 'flag',
    least: 0n,
    most: 1n,
    default: 1n,
    variable: null,
  },
  /** The home page announces the pools that have no price yet. */
  unsold_pools_soon: { group: 'limits', unit: 'flag', least: 0n, most: 1n, default: 0n, variable: null },
  /** How many proxy users a customer may have in a pool. */
  proxy_users_per_pool: {
    group: 'limits',
    unit: 'users',
    least: 0n,
    most: 100_000n,
    default: 1000n,
    variable: null,
  },
  /** Customers may give bought traffic to each other. */
  gifts: { group: 'limits', unit: 'flag', least: 0n, most: 1n, default: 1n, variable: 'GIFTS' },
  /** How much bought traffic a customer may give away within 24 hours. */
  gift_gb_per_day: {
    group: 'limits',
    unit: 'gb',
    least: 1n,
    most: 1_000_000n,
    default: 100n,
    variable: 'GIFT_GB_PER_DAY',
  },
  /** Referral balances are paid out to wallets; staff send the payouts by hand. */
  payouts: { group: 'payouts', unit: 'flag', least: 0n, most: 1n, default: 0n, variable: 'PAYOUTS' },
  /** The minimum amount of a payout. */
  payout_least_micros: {
    group: 'payouts',
    unit: 'usd',
    least: 1n,
    most: 1_000_000_000_000n,
    default: 20_000_000n,
    variable: 'PAYOUT_LEAST_USD',
  },
  /** One setting for each network, named by `payoutSetting`: whether payouts are sent through it. */
  payout_usdt_trc20: ofNetwork,
  payout_usdt_ton: ofNetwork,
  payout_btc: ofNetwork,
  payout_ltc: ofNetwork,
  /** Customers may exchange bought traffic between their pools. */
  exchanges: { group: 'limits', unit: 'flag', least: 0n, most: 1n, default: 1n, variable: 'EXCHANGES' },
  /** How much bought traffic a customer may exchange within 24 hours. */
  exchange_gb_per_day: {
    group: 'limits',
    unit: 'gb',
    least: 1n,
    most: 1_000_000n,
    default: 1000n,
    variable: 'EXCHANGE_GB_PER_DAY',
  },
  /** Rates of this age are no longer used for sales or for showing prices; 0: rates of any age are. */
  rate_close_days: { group: 'limits', unit: 'days', least: 0n, most: 365n, default: 7n, variable: null },
  /** How long the records of connections are kept. */
  connection_log_days: {
    group: 'retention',
    unit: 'days',
    least: 7n,
    most: 3650n,
    default: 30n,
    variable: 'CONNECTION_LOG_DAYS',
  },
  /** How long usage by the hour is kept; 0: for ever. */
  usage_hours_months: {
    group: 'retention',
    unit: 'months',
    least: 0n,
    most: 1200n,
    default: 3n,
    variable: 'USAGE_HOURS_MONTHS',
  },
  /** How long usage by the day is kept; 0: for ever. */
  usage_days_months: {
    group: 'retention',
    unit: 'months',
    least: 0n,
    most: 1200n,
    default: 0n,
    variable: 'USAGE_DAYS_MONTHS',
  },
  /**
   * How long deleted proxy users are kept with their names and usage, at least as long as records of connections;
   * 0: for ever.
   */
  deleted_users_months: {
    group: 'retention',
    unit: 'months',
    least: 0n,
    most: 1200n,
    default: 13n,
    variable: null,
  },
  /** How long the records of sent letters and their recipients are kept. */
  letters_days: { group: 'retention', unit: 'days', least: 7n, most: 3650n, default: 30n, variable: null },
  /** How long the addresses from which customers signed in are kept. */
  sign_ins_days: {
    group: 'retention',
    unit: 'days',
    least: 7n,
    most: 3650n,
    default: 180n,
    variable: null,
  },
  /** The page of today shows letters that have not been sent for this long. */
  letters_stuck_minutes: {
    group: 'notices',
    unit: 'minutes',
    least: 1n,
    most: 7n * day,
    default: 30n,
    variable: null,
  },
  /** The page of today shows a last backup of this age. */
  backup_old_hours: {
    group: 'notices',
    unit: 'hours',
    least: 1n,
    most: 8760n,
    default: 48n,
    variable: null,
  },
  /** An exit is down when all attempts through it have failed for this long. */
  exit_down_minutes: {
    group: 'notices',
    unit: 'minutes',
    least: 1n,
    most: day,
    default: 5n,
    variable: null,
  },
  /** Customers are notified of a country whose exits have failed for this long; 0: they are not notified. */
  trouble_told_minutes: {
    group: 'notices',
    unit: 'minutes',
    least: 0n,
    most: day,
    default: 15n,
    variable: null,
  },
  /** The page of today shows currency rates of this age. */
  rate_old_days: { group: 'notices', unit: 'days', least: 1n, most: 365n, default: 3n, variable: null },
} as const satisfies Record<string, SettingRule>

/** The setting of a network: whether payouts are sent through it. */
export const payoutSetting = <N extends PayoutNetwork>(network: N) => `payout_${network}` as const

export type SettingName = keyof typeof shopSettings
export const settingNames = Object.keys(shopSettings) as SettingName[]

const microsPerUsd = 1_000_000n

/**
 * Parses a value as people write it, USD with at most six decimals; null: the text is no number, or outside
 * of the setting's range.
 */
export function parseSetting(name: SettingName, text: string): bigint | null {
  const { unit, least, most }: SettingRule = shopSettings[name]
  const match = /^(\d{1,12})(?:[.,](\d{1,6}))?$/.exec(text.trim())
  if (match === null || (unit !== 'usd' && match[2] !== undefined)) return null
  const whole = BigInt(match[1] ?? '')
  const value = unit === 'usd' ? whole * microsPerUsd + BigInt((match[2] ?? '').padEnd(6, '0')) : whole
  return value < least || value > most ? null : value
}

/** The inverse, without the unit: "5", "100", "0.5". */
export function printSetting(name: SettingName, value: bigint): string {
  if (shopSettings[name].unit !== 'usd') return String(value)
  const fraction = String(value % microsPerUsd)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${value / microsPerUsd}${fraction === '' ? '' : `.${fraction}`}`
}

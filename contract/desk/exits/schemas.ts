/** Exits: their figures, costs, stocks and tests. */
import * as z from 'zod'
import {
  amount,
  changed,
  day,
  done,
  empty,
  id,
  label,
  moment,
  page,
  pageOf,
  pool,
  reason,
  time,
} from '../schemas.ts'
import { costRoundings, sellerCounts } from '../choices.ts'
import { isForeignCurrency } from '../../rates/rates.ts'

const exit = z.object({
  id,
  pool,
  name: z.string(),
  kind: z.string(),
  enabled: z.boolean(),
  weight: z.number(),
  /** Host and port; null: this machine. */
  endpoint: z.string().nullable(),
  preset: z.string().nullable(),
  has_password: z.boolean(),
  max_connections: z.number().nullable(),
  /** The number of places; null: the exit serves all places. */
  places: z.number().nullable(),
  countries: z.array(z.string()),
  fault: z.string().nullable(),
})

export const exits = z.array(exit)

/** Whether the exits work at present, the worst first; without their kind and address. */
export const exitHealth = z.array(
  z.object({
    id,
    pool,
    name: z.string(),
    /** `off`: gets no connections; `unknown`: none was attempted yet; `fault`: it is not usable as set. */
    state: z.enum(['fault', 'down', 'degraded', 'up', 'unknown', 'off']),
    /** The time since which the exit is in this state; null: not known. */
    since: time.nullable(),
    /** The last failure that the exit itself caused. Null: none is known. */
    error: z
      .object({
        at: time,
        /** The gateway's code of the failure. */
        code: z.string(),
        status: z.number().nullable(),
        /** The seller's error message, without the target. */
        word: z.string().nullable(),
      })
      .nullable(),
    /** Attempts by minute in the last hour, the oldest first; minutes without any are left out. */
    minutes: z.array(z.object({ at: time, answered: amount, failed: amount })),
  }),
)

/** The present state and load of the gateways. */
export const gatewayHealth = z.array(
  z.object({
    name: z.string(),
    state: z.enum(['running', 'draining', 'drained', 'stopped', 'silent']),
    seen_at: time,
    connections: z.number().nullable(),
    bits_per_second: amount,
    /** The number of reports of usage that are not settled yet. */
    reports_waiting: z.number().nullable(),
  }),
)

export const setExitInput = z.strictObject({
  id,
  enabled: z.boolean().optional(),
  /** 0: the exit gets no new connections, but can be tested. */
  weight: z.number().int().min(0).max(1000).optional(),
  max_connections: z.number().int().min(1).max(1_000_000).nullable().optional(),
  reason: reason.optional(),
})

export const testExitInput = z.strictObject({
  id,
  /** The keys of a customer's proxy line to test with, such as `cc-us-sid-a`. */
  line: z.string().max(200).optional(),
})

export const exitTest = z.object({
  worked: z.boolean(),
  /** The status of the answer of the shop's echo through the exit. */
  status: z.number().nullable(),
  took_ms: z.number(),
  /** The address from which the exit reached the target. */
  seen_from: z.string().nullable(),
  /** The one country that the line asks the seller for; null: several, or any. */
  country: z.string().nullable(),
  /** The country in which the address is registered, according to a table in the release. */
  registered_country: z.string().nullable(),
  /** Why the test failed: the seller's error message if there is one. */
  fault: z.string().nullable(),
})

const preset = z.object({
  name: z.string(),
  title: z.string(),
  /** The seller's address for HTTP proxying. */
  http: z.object({ host: z.string(), port: z.number() }),
  /** The seller's address for SOCKS5; null: not known. */
  socks5: z.object({ host: z.string(), port: z.number() }).nullable(),
  takes_username: z.boolean(),
  username_example: z.string().nullable(),
  levels: z.array(z.string()),
  options: z.array(z.object({ key: z.string(), meaning: z.string() })),
})

/** The sellers for which the program can build logins. */
export const exitPresets = z.array(preset)

const answers = z.object({
  /** Connections that the exit opened, and attempts that failed because of the exit. */
  answered: amount,
  failed: amount,
  /** The time from an attempt to its answer, exact to about 10 %; null: no answer, or more than 10 s. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
})

/** The figures of exits in the last 24 hours. */
export const exitFigures = z.array(
  z.object({
    id,
    charged_bytes: amount,
    relayed_bytes: amount,
    /** Its share (0 to 1) of the bytes of its pool's enabled exits; null: it is not enabled, or no bytes. */
    share: z.number().nullable(),
    /**
     * As gateways report, even if connections are not recorded: `hour` of this hour and the previous one,
     * `day` of 24 hours.
     */
    hour: answers,
    day: answers,
    /** Counted from the records of connections, some of which may be lost. */
    connections: amount,
    refused: amount,
  }),
)

const costTerms = {
  /** The first UTC day of these terms; they apply until the first day of later terms. */
  from: day,
  /** The currency of both amounts, which are in millionths. They are converted at the rate of each day. */
  currency: z
    .string()
    .refine((code) => code === 'USD' || isForeignCurrency(code))
    .default('USD'),
  per_gb_micros: z.string().regex(/^\d{1,12}$/),
  /** The cost of each calendar month. */
  month_micros: z.string().regex(/^\d{1,15}$/),
  /** The seller's GB is 2^30 bytes, not 10^9. */
  binary_gb: z.boolean(),
  rounding: z.enum(costRoundings),
  /** The direction that the seller counts; the program takes its part from the records of connections. */
  counts: z.enum(sellerCounts).default('both'),
  /** The seller bills attempts that reached no target. */
  counts_failed: z.boolean().default(true),
}

export const setExitCostInput = z.strictObject({ id, ...costTerms, reason: reason.optional() })

/** All rows come in one page. */
export const exitCostsInput = z.strictObject({ ...page, id })

/** The newest first. `in_force`: applies today. Of rows with the same first day the latest applies. */
export const exitCostsPage = pageOf(
  z.object({
    ...costTerms,
    currency: z.string(),
    counts: z.enum(sellerCounts),
    counts_failed: z.boolean(),
    per_gb_micros: amount,
    month_micros: amount,
    /** The currency has a rate, so the cost in USD is known. */
    rated: z.boolean(),
    set_at: time,
    in_force: z.boolean(),
  }),
)

/**
 * How much of the seller's traffic is left now, or was left at the beginning of the UTC hour of the given
 * time.
 */
export const setExitStockInput = z.strictObject({
  id,
  left_bytes: z.string().regex(/^\d{1,18}$/),
  at: moment.optional(),
  reason: reason.optional(),
})

/** The stocks of exits; an exit is missing if neither staff nor the account at the seller gave its stock. */
export const exitStocks = z.array(
  z.object({
    id,
    /** The stated stock less the bytes counted since. */
    left_bytes: amount,
    set_at: time,
    /** How many days the stock lasts at the rate of the last 7 days; null: nothing was used in them. */
    days_left: z.number().nullable(),
    is_low: z.boolean(),
    /** The account at the seller that reports the stock of all its exits together; null: staff entered it. */
    account: z.string().nullable(),
  }),
)

/**
 * A new exit: another proxy, or this machine itself (`direct`: without address, login and preset). A local
 * address to leave from is set at the command line of the machine.
 */
const newExit = {
  pool,
  name: label(64),
  kind: z.enum(['direct', 'http', 'socks5']),
  preset: z.string().max(32).nullable(),
  /** Host and port are null: those of the preset apply. */
  host: z.string().trim().min(1).max(253).nullable(),
  port: z.number().int().min(1).max(65_535).nullable(),
  username: z.string().min(1).max(300).nullable(),
  password: z.string().min(1).max(1000).nullable(),
  options: z.record(z.string().max(40), z.string().max(200)),
  tls: z.boolean(),
  weight: z.number().int().min(1).max(1000),
  max_connections: z.number().int().min(1).max(1_000_000).nullable(),
  /** The countries that the exit serves; null: every place that the preset supports. */
  countries: z
    .array(z.string().regex(/^[a-z]{2}$/))
    .min(1)
    .max(250)
    .nullable(),
}

export const addExitInput = z.strictObject({ ...newExit, enabled: z.boolean(), reason: reason.optional() })

export const addedExit = z.object({ id })

export const testNewExitInput = z.strictObject({ ...newExit, line: z.string().max(200).optional() })

export const removeExitInput = z.strictObject({ id, reason })

export const exitsDeskSchemas = {
  exits: { input: empty, output: exits },
  exit_health: { input: empty, output: exitHealth },
  gateway_health: { input: empty, output: gatewayHealth },
  set_exit: { input: setExitInput, output: changed },
  exit_figures: { input: empty, output: exitFigures },
  exit_costs: { input: exitCostsInput, output: exitCostsPage },
  set_exit_cost: { input: setExitCostInput, output: done },
  exit_stocks: { input: empty, output: exitStocks },
  set_exit_stock: { input: setExitStockInput, output: done },
  exit_presets: { input: empty, output: exitPresets },
  add_exit: { input: addExitInput, output: addedExit },
  remove_exit: { input: removeExitInput, output: done },
  test_exit: { input: testExitInput, output: exitTest },
  test_new_exit: { input: testNewExitInput, output: exitTest },
} as const

/**
 * The costs of calls: how many tokens a call in an account's name takes from its rate limit, and which calls wait in a
 * queue.
 */
import { availableParallelism } from 'node:os'
import type { Parsed } from '#contract/contract'
import { maxLines } from '#contract/proxy-lines'
import type { Name } from '#contract/wire'

/** The calls that cost more than one token: they write, call other servers, hash or read much. */
const tokens: Partial<Record<Name, number>> = {
  discount_promocode_info: 2,
  legacy_get_statistic: 2,
  get_requests: 2,
  get_overview: 3,
  add_ip_to_whitelist: 2,
  remove_ip_from_whitelist: 2,
  set_pool_limits: 5,
  raise_day_cap: 5,
  reset_password: 5,
  create_proxy_user: 5,
  change_proxy_user: 5,
  freeze_proxy_user: 2,
  renew_proxy_user_password: 5,
  delete_proxy_user: 5,
  save_preset: 2,
  change_preset: 2,
  delete_preset: 2,
  renew_preset_link: 5,
  revoke_preset_link: 2,
  try_line: 20,
  rotate_reseller_token: 5,
  create_invoice_web: 5,
  referral_payment: 5,
  activate_traffic_promocode: 5,
  change_account_password: 20,
  export_personal_data: 20,
  request_erasure: 20,
}

/** The number of lines made and sent in the time of one light call. */
const linesPerToken = 500

/** The number of lines that a call requests. The generator checks whether it is allowed. */
function linesOf(name: Name, input: unknown): number {
  if (name !== 'get_proxy') return 0
  const quantity = Number((input as Parsed<'get_proxy'>).quantity)
  return quantity > 0 && quantity <= maxLines ? quantity : 0
}

/** The cost of a call; `input` is parsed. */
export function tokensOf(name: Name, input: unknown): number {
  return (tokens[name] ?? 1) + Math.floor(linesOf(name, input) / linesPerToken)
}

/** An answer of more rows than a page has costs a token for every so many rows beyond. */
const freeRows = 200
const rowsPerToken = 20

/** The cost of the rows of an answer. */
export const rowTokensOf = (rows: number): number => Math.max(0, Math.ceil((rows - freeRows) / rowsPerToken))

/**
 * Work that keeps a core or the database busy for longer than light calls may wait: how much of each kind one web
 * server does at once, how much may wait, and whose turns they are: an account's, or a network's for calls without a
 * token. A second hash of a core is on its way to the database while the first is computed (`accounts/password.ts`).
 */
export const kinds = {
  passwords: { atOnce: 2 * availableParallelism(), waiting: 40, turnOf: 'network' },
  lines: { atOnce: 2, waiting: 20, turnOf: 'account' },
  places: { atOnce: 4, waiting: 100, turnOf: 'network' },
  statistics: { atOnce: 4, waiting: 100, turnOf: 'account' },
  lists: { atOnce: 2, waiting: 40, turnOf: 'account' },
} as const

export type Kind = keyof typeof kinds

const heavy: Partial<Record<Name, Kind>> = {
  signup: 'passwords',
  signin: 'passwords',
  reset_account_password: 'passwords',
  change_account_password: 'passwords',
  export_personal_data: 'passwords',
  request_erasure: 'passwords',
  proxy_states: 'places',
  proxy_cities: 'places',
  proxy_asns: 'places',
  proxy_zipcodes: 'places',
  legacy_get_statistic: 'statistics',
  get_requests: 'statistics',
  get_overview: 'statistics',
  get_proxy_users: 'lists',
}

/** The kind of a heavy call; null: it is light, like a short list of lines. */
export function kindOf(name: Name, input: unknown): Kind | null {
  return linesOf(name, input) >= linesPerToken ? 'lines' : (heavy[name] ?? null)
}

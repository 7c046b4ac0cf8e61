/**
 * The calls of the operator's desk: method, what the caller needs, and whether the second factor must be fresh. They
 * are served by the desk's own listener, below `/api/`. Bundled for the browser; `contract.ts` has the schemas.
 */
import { type Permission, type Role, may } from './roles.ts'

/**
 * What a caller needs. `anyone`: nothing. `begun`: a sign-in whose second factor may still be missing. `member`: a
 * complete sign-in. A permission: a member whose role grants it.
 */
export type Needs = 'anyone' | 'begun' | 'member' | Permission

/** `always`: the second factor was proved in the last 10 minutes. `over_limit`: only above a limit of the settings. */
export type StepUp = 'never' | 'always' | 'over_limit'

export interface DeskCall {
  method: 'GET' | 'POST'
  needs: Needs
  stepUp: StepUp
  /** It changes something, and is recorded in the audit trail together with the change. */
  changes: boolean
  /** A list that is also served as CSV, whole, at `/api/<name>.csv`. */
  csv: boolean
}

/** Reads. */
const read = <N extends Needs>(needs: N) =>
  ({ method: 'GET', needs, stepUp: 'never', changes: false, csv: false }) as const
/** Reads a list, page by page, or whole as CSV. */
const list = <N extends Needs>(needs: N) =>
  ({ method: 'GET', needs, stepUp: 'never', changes: false, csv: true }) as const
/** Changes, and is recorded. */
const change = (needs: Needs, stepUp: StepUp = 'never') =>
  ({ method: 'POST', needs, stepUp, changes: true, csv: false }) as const
/** Computes an answer from a body, and changes nothing. */
const ask = (needs: Needs) =>
  ({ method: 'POST', needs, stepUp: 'never', changes: false, csv: false }) as const

export const deskWire = {
  // Signing in
  session: read('anyone'),
  sign_in: change('anyone'),
  sign_out: change('begun'),
  passkey_challenge: ask('begun'),
  confirm_totp: change('begun'),
  confirm_recovery_code: change('begun'),
  confirm_passkey: change('begun'),
  confirm_password: change('member'),
  join_begin: ask('anyone'),
  join_finish: change('anyone'),

  // One's own sign-in
  my_sessions: read('member'),
  end_my_session: change('member'),
  my_factors: read('member'),
  change_my_password: change('member', 'always'),
  totp_begin: ask('member'),
  totp_finish: change('member', 'always'),
  remove_totp: change('member', 'always'),
  passkey_begin: ask('member'),
  passkey_finish: change('member', 'always'),
  remove_passkey: change('member', 'always'),
  new_recovery_codes: change('member', 'always'),

  // Customers
  find: read('customers.read'),
  customers: list('customers.read'),
  customer: read('customers.read'),
  customer_ledger: list('customers.read'),
  customer_usage: list('customers.read'),
  customer_timeline: read('customers.read'),
  give_traffic: change('customers.credit', 'over_limit'),
  take_traffic: change('customers.adjust'),
  give_money: change('balances.money', 'over_limit'),
  take_money: change('balances.money'),
  block_customer: change('customers.block'),
  unblock_customer: change('customers.block'),
  end_customer_sessions: change('customers.block'),
  add_note: change('customers.note'),
  remove_note: change('customers.note'),
  set_tags: change('customers.note'),
  tags: read('customers.read'),

  // Invoices and payments
  invoices: list('invoices.read'),
  invoice: read('invoices.read'),
  refund_invoice: change('invoices.refund', 'over_limit'),
  payment_events: read('payments.read'),
  payment_event: read('payments.read'),

  // Traffic and exits
  traffic: read('traffic.read'),
  traffic_sums: list('traffic.read'),
  refusals: read('traffic.read'),
  gateways: read('traffic.read'),
  drain_gateway: change('gateways.change'),
  undrain_gateway: change('gateways.change'),
  connections: list('connections.read'),
  customer_refusals: list('connections.read'),
  complaint_answer: ask('connections.targets'),
  exits: read('exits.read'),
  set_exit: change('exits.change'),
  test_exit: ask('exits.change'),

  // Prices and offers
  prices: read('prices.read'),
  preview_prices: ask('prices.read'),
  change_prices: change('prices.change'),
  promo_codes: list('promo.read'),
  create_promo_codes: change('promo.change'),
  stop_promo_code: change('promo.change'),
  banners: read('content.read'),
  publish_banner: change('content.change'),
  remove_banner: change('content.change'),

  // The shop as a whole
  today: read('reports.read'),

  // Staff and audit
  staff: read('staff.read'),
  invite_staff: change('staff.manage', 'always'),
  set_staff_role: change('staff.manage', 'always'),
  reset_staff: change('staff.manage', 'always'),
  block_staff: change('staff.manage', 'always'),
  unblock_staff: change('staff.manage', 'always'),
  end_staff_sessions: change('staff.manage', 'always'),
  audit: list('audit.read'),
} as const satisfies Record<string, DeskCall>

export type DeskName = keyof typeof deskWire

/** The lists that are also served as CSV. */
export type CsvName = {
  [N in DeskName]: (typeof deskWire)[N]['csv'] extends true ? N : never
}[DeskName]

/** The calls that change something. */
export type ChangingName = {
  [N in DeskName]: (typeof deskWire)[N]['changes'] extends true ? N : never
}[DeskName]

export const isPermission = (needs: Needs): needs is Permission =>
  needs !== 'anyone' && needs !== 'begun' && needs !== 'member'

/** Whether a member with this role may make the call. */
export function mayCall(role: Role, name: DeskName): boolean {
  const { needs } = deskWire[name]
  return !isPermission(needs) || may(role, needs)
}

/** The path of a call on the desk's listener. */
export const deskPath = (name: DeskName): string => `/api/${name}`

/** The path of a list as CSV. */
export const deskCsvPath = (name: CsvName): string => `/api/${name}.csv`

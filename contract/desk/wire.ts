/**
 * The calls of the operator's desk: method, what the caller needs, and whether the second factor must be
 * fresh. They are served by the desk's own listener, below `/api/`. Bundled for the browser; `contract.ts`
 * has the schemas.
 */
import { type Permission, type Role, may } from './roles.ts'

/**
 * What a caller needs. `anyone`: nothing. `begun`: a sign-in whose second factor may still be missing.
 * `member`: a complete sign-in. A permission: a member whose role grants it.
 */
export type Needs = 'anyone' | 'begun' | 'member' | Permission

/**
 * `always`: the second factor was proved in the last 10 minutes. `over_limit`: only above a limit of the
 * settings.
 */
export type StepUp = 'never' | 'always' | 'over_limit'

export interface DeskCall {
  method: 'GET' | 'POST'
  needs: Needs
  stepUp: StepUp
  /** It changes something, and is recorded in the audit trail together with the change. */
  changes: boolean
  /** A list that is also served whole, as CSV and as a workbook: `/api/<name>.csv`, `/api/<name>.xlsx`. */
  csv: boolean
}

/** Reads. */
const read = <N extends Needs>(needs: N) =>
  ({ method: 'GET', needs, stepUp: 'never', changes: false, csv: false }) as const
/** Reads a list, page by page, or whole as a file. */
const list = <N extends Needs>(needs: N) =>
  ({ method: 'GET', needs, stepUp: 'never', changes: false, csv: true }) as const
/** Changes, and is recorded. */
const change = (needs: Needs, stepUp: StepUp = 'never') =>
  ({ method: 'POST', needs, stepUp, changes: true, csv: false }) as const
/** Computes an answer from a body, and changes nothing. */
const ask = (needs: Needs, stepUp: StepUp = 'never') =>
  ({ method: 'POST', needs, stepUp, changes: false, csv: false }) as const

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
  my_alerts: read('member'),
  set_my_alerts: change('member', 'always'),
  confirm_alert_address: change('member'),
  my_views: read('member'),
  save_view: change('member'),
  remove_view: change('member'),
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
  customer_usage_by: list('customers.read'),
  customer_hosts: list('connections.targets'),
  customer_promo_uses: list('customers.read'),
  customer_letters: list('customers.read'),
  customer_limits: read('customers.read'),
  set_customer_limits: change('customers.access'),
  customer_top_ups: read('customers.read'),
  switch_off_top_up: change('customers.block'),
  live_connections: read('connections.read'),
  cut_connections: change('customers.block'),
  reset_access: change('customers.access'),
  see_as_customer: change('customers.see_as'),
  resend_confirmation: change('customers.letter'),
  give_traffic: change('customers.credit', 'over_limit'),
  take_traffic: change('customers.adjust'),
  give_money: change('balances.money', 'over_limit'),
  take_money: change('balances.money'),
  block_customer: change('customers.block'),
  unblock_customer: change('customers.block'),
  end_customer_sessions: change('customers.block'),
  add_note: change('customers.note'),
  remove_note: change('customers.note'),
  try_bulk: ask('customers.read'),
  add_tag: change('customers.note'),
  send_letter: change('customers.letter'),
  set_tags: change('customers.note'),
  export_customer: change('customers.export', 'always'),
  preview_erasure: read('customers.erase'),
  erase_customer: change('customers.erase', 'always'),
  decline_erasure: change('customers.erase'),
  sign_up_countries: read('customers.read'),
  tags: read('customers.read'),

  // Invoices and payments
  invoices: list('invoices.read'),
  invoice_sums: read('invoices.read'),
  invoice: read('invoices.read'),
  invoice_document: read('invoices.documents'),
  dispute_evidence: change('invoices.evidence'),
  preview_refund: ask('invoices.refund'),
  refund_invoice: change('invoices.refund', 'over_limit'),
  send_refund: change('invoices.refund', 'over_limit'),
  drop_refund: change('invoices.refund'),
  settle_return: change('invoices.refund', 'over_limit'),
  ask_processor: change('payments.ask'),
  test_purchase: change('payments.test'),
  replay_payment_event: change('payments.ask'),
  payment_events: list('payments.read'),
  payment_refunds: list('payments.read'),
  receipts: list('payments.read'),
  register_receipt: change('receipts.register', 'over_limit'),
  payouts: list('payments.read'),
  take_payout: change('payouts.send', 'over_limit'),
  pay_payout: change('payouts.send', 'over_limit'),
  refuse_payout: change('payouts.send'),
  disputes: list('payments.read'),
  processors: read('payments.read'),
  set_fee_terms: change('prices.change'),
  payment_event: read('payments.read'),

  // Traffic and exits
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
  exit_figures: read('exits.read'),
  exit_costs: list('exits.read'),
  set_exit_cost: change('exits.change'),
  exit_stocks: read('exits.read'),
  set_exit_stock: change('exits.change'),
  exit_presets: read('exits.read'),
  exit_refusals: list('exits.read'),
  add_exit: change('exits.change', 'always'),
  remove_exit: change('exits.change'),
  test_exit: ask('exits.change'),
  test_new_exit: ask('exits.change', 'always'),
  sellers: read('exits.read'),
  seller_accounts: read('exits.read'),
  seller_bill: list('exits.read'),
  seller_answers: read('exits.read'),
  add_seller_account: change('exits.change', 'always'),
  set_seller_account: change('exits.change', 'always'),
  check_seller_account: change('exits.change'),
  decide_seller_places: change('exits.change'),
  remove_seller_account: change('exits.change'),

  // Places
  places: list('exits.read'),
  place_sources: read('exits.read'),
  preview_places: ask('exits.change'),
  import_places: change('exits.change'),
  restore_places: change('exits.change'),
  remove_places: change('exits.change'),

  // Prices and offers
  prices: read('prices.read'),
  price_changes: list('prices.read'),
  preview_prices: ask('prices.read'),
  change_prices: change('prices.change'),
  currencies: read('prices.read'),
  rate_changes: list('prices.read'),
  set_rate: change('prices.change'),
  preview_rates: ask('prices.change'),
  import_rates: change('prices.change'),
  set_display_currency: change('prices.change'),
  preview_discount: ask('promo.read'),
  promo_codes: list('promo.read'),
  promo_code_uses: list('promo.read'),
  promo_code_days: read('promo.read'),
  create_promo_codes: change('promo.change'),
  change_promo_code: change('promo.change'),
  stop_promo_code: change('promo.change'),
  campaigns: list('promo.read'),
  referral_share: read('promo.read'),
  set_referral_share: change('promo.change'),

  // What the shop says
  content: read('content.read'),
  save_draft: change('content.change'),
  discard_draft: change('content.change'),
  publish_content: change('content.change'),
  content_versions: list('content.read'),
  content_version: read('content.read'),
  restore_content: change('content.change'),
  upload_picture: change('content.change'),
  brand_picture: read('content.read'),
  banners: read('content.read'),
  banner_picture: read('content.read'),
  publish_banner: change('content.change'),
  remove_banner: change('content.change'),

  // The shop as a whole
  report: list('reports.read'),
  margin_report: list('reports.read'),
  month_books: read('reports.read'),
  exit_margins: read('reports.read'),
  postings: list('reports.read'),
  today: read('reports.read'),

  // Settings
  settings: read('settings.read'),
  setting_changes: list('settings.read'),
  alert_settings: read('settings.read'),
  set_alert_settings: change('settings.change', 'always'),
  make_alert_code: change('settings.change', 'always'),
  unlink_alert_group: change('settings.change', 'always'),
  test_alert: change('settings.change'),
  change_setting: change('settings.change', 'always'),

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

/** The lists that are also served as files. */
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

/** The books of a month as files, for an accountant; for those who may make the call `month_books`. */
export const monthBooksPath = '/api/month_books.zip'

/** The files in which lists are served. */
export const fileFormats = ['csv', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

/** The path of a list as a file. */
export const deskFilePath = (name: CsvName, format: FileFormat): string => `/api/${name}.${format}`

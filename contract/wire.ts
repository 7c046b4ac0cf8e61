/**
 * The part of the contract that is bundled for the browser: the method and path of each call, the kind of its answer
 * and who may make it. All paths are below `/api`.
 */

import type { Language } from './language.ts'

export const pools = ['residential', 'residential_premium', 'datacenter', 'mobile'] as const
export type Pool = (typeof pools)[number]

/** The names of the pools in letters, documents and the bot; the pages have theirs among their texts. */
export const poolNames: Readonly<Record<Language, Readonly<Record<Pool, string>>>> = {
  ru: {
    residential: 'Резидентский',
    residential_premium: 'Резидентский премиум',
    datacenter: 'Серверный',
    mobile: 'Мобильный',
  },
  en: {
    residential: 'Residential',
    residential_premium: 'Residential Premium',
    datacenter: 'Datacenter',
    mobile: 'Mobile',
  },
}

/** 1 GB is 10^9 bytes, everywhere. */
export const bytesPerGb = 1_000_000_000n

type Who = 'anyone' | 'customer'
interface WireCall {
  method: 'GET' | 'POST'
  path: string
  answer: 'json' | 'text' | 'blob'
  who: Who
}

/** The target for testing a new line; the only path of the shop that gateways open. */
export const echoPath = '/api/echo'

/** A download of all data of a person, with the token of a link; on the shop's listener and on the desk's. */
export const personalDataPath = '/api/personal_data.zip'

/** The stream of a customer's new requests (`text/event-stream`), with the headers of a call; see `get_requests`. */
export const liveRequestsPath = '/api/rpc/live_requests'

const get = (path: string, who: Who, answer: WireCall['answer'] = 'json') =>
  ({ method: 'GET', path, answer, who }) as const
const post = (path: string, who: Who, answer: WireCall['answer'] = 'json') =>
  ({ method: 'POST', path, answer, who }) as const

export const wire = {
  prices: get('/rpc/prices', 'anyone'),
  calculate: post('/rpc/calculate', 'anyone'),
  signin: post('/rpc/signin', 'anyone', 'text'),
  signup: post('/rpc/signup', 'anyone'),
  signout: post('/rpc/signout', 'customer'),
  legacy_profile: get('/legacy_profile', 'customer'),
  change_language: post('/rpc/change_language', 'customer'),
  legacy_referal_info: get('/legacy_referal_info', 'customer'),
  referral_earnings: post('/rpc/referral_earnings', 'customer'),
  get_payouts: get('/rpc/get_payouts', 'customer'),
  request_payout: post('/rpc/request_payout', 'customer'),
  cancel_payout: post('/rpc/cancel_payout', 'customer'),
  get_proxy: post('/rpc/get_proxy', 'customer', 'text'),
  get_presets: get('/rpc/get_presets', 'customer'),
  save_preset: post('/rpc/save_preset', 'customer'),
  change_preset: post('/rpc/change_preset', 'customer'),
  delete_preset: post('/rpc/delete_preset', 'customer'),
  renew_preset_link: post('/rpc/renew_preset_link', 'customer'),
  revoke_preset_link: post('/rpc/revoke_preset_link', 'customer'),
  try_line: post('/rpc/try_line', 'customer'),
  proxy_countries: get('/rpc/get_{provider}_proxy_countries', 'anyone'),
  proxy_states: post('/rpc/get_{provider}_proxy_states', 'anyone'),
  proxy_cities: post('/rpc/get_{provider}_proxy_cities', 'anyone'),
  proxy_asns: post('/rpc/get_{provider}_proxy_asns', 'anyone'),
  proxy_zipcodes: post('/rpc/get_{provider}_proxy_zipcodes', 'anyone'),
  legacy_get_statistic: get('/rpc/legacy_get_statistic', 'customer'),
  get_usage: post('/rpc/get_usage', 'customer'),
  get_host_privacy: get('/rpc/get_host_privacy', 'customer'),
  set_host_privacy: post('/rpc/set_host_privacy', 'customer'),
  get_moves: get('/rpc/get_moves', 'customer'),
  quote_exchange: post('/rpc/quote_exchange', 'customer'),
  give_traffic: post('/rpc/give_traffic', 'customer'),
  exchange_traffic: post('/rpc/exchange_traffic', 'customer'),
  get_bill: post('/rpc/get_bill', 'customer'),
  is_password_exists: get('/rpc/is_password_exists', 'customer'),
  reset_password: post('/rpc/reset_password', 'customer'),
  change_account_password: post('/rpc/change_account_password', 'customer'),
  personal_data: get('/rpc/personal_data', 'customer'),
  export_personal_data: post('/rpc/export_personal_data', 'customer'),
  request_erasure: post('/rpc/request_erasure', 'customer'),
  withdraw_erasure: post('/rpc/withdraw_erasure', 'customer'),
  request_password_reset: post('/rpc/request_password_reset', 'anyone'),
  reset_account_password: post('/rpc/reset_account_password', 'anyone'),
  reseller_token: post('/rpc/reseller_token', 'customer', 'text'),
  rotate_reseller_token: post('/rpc/rotate_reseller_token', 'customer', 'text'),
  revoke_reseller_token: post('/rpc/revoke_reseller_token', 'customer'),
  get_whitelist_ips: post('/rpc/get_whitelist_ips', 'customer'),
  get_whitelist_entries: post('/rpc/get_whitelist_entries', 'customer'),
  add_ip_to_whitelist: post('/rpc/add_ip_to_whitelist', 'customer'),
  remove_ip_from_whitelist: post('/rpc/remove_ip_from_whitelist', 'customer'),
  get_pool_limits: post('/rpc/get_pool_limits', 'customer'),
  set_pool_limits: post('/rpc/set_pool_limits', 'customer'),
  raise_day_cap: post('/rpc/raise_day_cap', 'customer'),
  get_proxy_users: post('/rpc/get_proxy_users', 'customer'),
  create_proxy_user: post('/rpc/create_proxy_user', 'customer'),
  change_proxy_user: post('/rpc/change_proxy_user', 'customer'),
  freeze_proxy_user: post('/rpc/freeze_proxy_user', 'customer'),
  renew_proxy_user_password: post('/rpc/renew_proxy_user_password', 'customer'),
  delete_proxy_user: post('/rpc/delete_proxy_user', 'customer'),
  proxy_user_usage: post('/rpc/proxy_user_usage', 'customer'),
  get_notices: get('/rpc/get_notices', 'customer'),
  set_notices: post('/rpc/set_notices', 'customer'),
  get_banners: get('/rpc/get_banners', 'anyone'),
  get_banner_blob: get('/rpc/get_banner_blob', 'anyone', 'blob'),
  site: get('/rpc/site', 'anyone'),
  legal_page: get('/rpc/legal_page', 'anyone'),
  sign_up_documents: get('/rpc/sign_up_documents', 'anyone'),
  confirm_email: post('/rpc/confirm_email', 'anyone'),
  resend_confirmation: post('/rpc/resend_confirmation', 'customer'),
  telegram_code_signin: post('/rpc/telegram_code_signin', 'anyone', 'text'),
  activate_traffic_promocode: post('/rpc/activate_traffic_promocode', 'customer'),
  payment_systems: get('/payment_systems', 'anyone'),
  discount_promocode_info: get('/rpc/discount_promocode_info', 'customer'),
  referral_payment: post('/rpc/referral_payment', 'customer'),
  create_invoice_web: post('/rpc/create_invoice_web', 'customer', 'text'),
  get_top_ups: get('/rpc/get_top_ups', 'customer'),
  top_up_consent: post('/rpc/top_up_consent', 'customer'),
  set_top_up: post('/rpc/set_top_up', 'customer'),
  switch_off_top_up: post('/rpc/switch_off_top_up', 'customer'),
  remove_saved_method: post('/rpc/remove_saved_method', 'customer'),
  display_currency: get('/rpc/display_currency', 'customer'),
  set_display_currency: post('/rpc/set_display_currency', 'customer'),
  receipt_email: get('/rpc/receipt_email', 'customer'),
  set_receipt_email: post('/rpc/set_receipt_email', 'customer'),
  invoices: get('/rpc/invoices', 'customer'),
  invoice: get('/rpc/invoice', 'customer'),
  invoice_documents: get('/rpc/invoice_documents', 'customer'),
  invoice_document: get('/rpc/invoice_document', 'customer', 'blob'),
  buyer_details: get('/rpc/buyer_details', 'customer'),
  set_buyer_details: post('/rpc/set_buyer_details', 'customer'),
  explain_request: get('/rpc/explain_request', 'customer'),
  get_requests: get('/rpc/get_requests', 'customer'),
  get_overview: get('/rpc/get_overview', 'customer'),
  signin_second_step: post('/rpc/signin_second_step', 'anyone', 'text'),
  signin_passkey_options: post('/rpc/signin_passkey_options', 'anyone'),
  signin_passkey: post('/rpc/signin_passkey', 'anyone', 'text'),
  security: get('/rpc/security', 'customer'),
  prove_owner_options: post('/rpc/prove_owner_options', 'customer'),
  prove_owner: post('/rpc/prove_owner', 'customer'),
  totp_begin: post('/rpc/totp_begin', 'customer'),
  totp_finish: post('/rpc/totp_finish', 'customer'),
  remove_totp: post('/rpc/remove_totp', 'customer'),
  passkey_begin: post('/rpc/passkey_begin', 'customer'),
  passkey_finish: post('/rpc/passkey_finish', 'customer'),
  remove_passkey: post('/rpc/remove_passkey', 'customer'),
  new_recovery_codes: post('/rpc/new_recovery_codes', 'customer'),
  my_sessions: get('/rpc/my_sessions', 'customer'),
  end_sessions: post('/rpc/end_sessions', 'customer'),
  set_sign_in_letters: post('/rpc/set_sign_in_letters', 'customer'),
  change_email: post('/rpc/change_email', 'customer'),
  cancel_email_change: post('/rpc/cancel_email_change', 'customer'),
  confirm_new_email: post('/rpc/confirm_new_email', 'anyone'),
  answer_email_change: post('/rpc/answer_email_change', 'anyone'),
  undo_email_change: post('/rpc/undo_email_change', 'anyone'),
} as const satisfies Record<string, WireCall>

export type Name = keyof typeof wire

/** The prefix of reseller tokens, which distinguishes them from session tokens. */
export const resellerTokenPrefix = 'tpr_'

/** Calls that move money or traffic: they accept an Idempotency-Key. */
const idempotentCalls: ReadonlySet<Name> = new Set<Name>([
  'create_invoice_web',
  'referral_payment',
  'activate_traffic_promocode',
  'request_payout',
  'give_traffic',
  'exchange_traffic',
])

/** Whether the call is executed once per Idempotency-Key. */
export function takesIdempotencyKey(name: Name): boolean {
  return idempotentCalls.has(name)
}

/** Calls for sessions, account passwords, consents and the person's data as a whole, which reseller tokens cannot make. */
const sessionOnlyCalls: ReadonlySet<Name> = new Set<Name>([
  'signup',
  'signin',
  'telegram_code_signin',
  'confirm_email',
  'resend_confirmation',
  'request_password_reset',
  'reset_account_password',
  'signout',
  'change_account_password',
  'personal_data',
  'export_personal_data',
  'request_erasure',
  'withdraw_erasure',
  // What protects the account.
  'signin_second_step',
  'signin_passkey_options',
  'signin_passkey',
  'security',
  'prove_owner_options',
  'prove_owner',
  'totp_begin',
  'totp_finish',
  'remove_totp',
  'passkey_begin',
  'passkey_finish',
  'remove_passkey',
  'new_recovery_codes',
  'my_sessions',
  'end_sessions',
  'set_sign_in_letters',
  'change_email',
  'cancel_email_change',
  'confirm_new_email',
  'answer_email_change',
  'undo_email_change',
  // A link that works without a token, and outlives the program's.
  'renew_preset_link',
  // What is given away needs the proved owner.
  'give_traffic',
  'exchange_traffic',
  // What is paid out does too, and shows wallets.
  'get_payouts',
  'request_payout',
  'cancel_payout',
  // A person agrees to be charged.
  'top_up_consent',
  'set_top_up',
  'remove_saved_method',
])

/** Whether a reseller token may make this call. */
export function isForResellers(name: Name): boolean {
  return !sessionOnlyCalls.has(name)
}

/**
 * Calls that change nothing, neither what is stored nor what is counted of a customer: those that a member of staff may make
 * who sees the shop as a customer does. What is not listed is refused.
 */
const readingCalls: ReadonlySet<Name> = new Set<Name>([
  'prices',
  'calculate',
  'payment_systems',
  'invoices',
  'invoice',
  'display_currency',
  'receipt_email',
  'get_top_ups',
  'invoice_documents',
  'invoice_document',
  'buyer_details',
  'legacy_profile',
  'legacy_referal_info',
  'referral_earnings',
  'get_payouts',
  'is_password_exists',
  'get_proxy',
  'get_presets',
  'proxy_countries',
  'proxy_states',
  'proxy_cities',
  'proxy_asns',
  'proxy_zipcodes',
  'get_whitelist_ips',
  'get_whitelist_entries',
  'get_pool_limits',
  'get_proxy_users',
  'proxy_user_usage',
  'get_notices',
  'legacy_get_statistic',
  'explain_request',
  'get_usage',
  'get_host_privacy',
  'get_moves',
  'quote_exchange',
  'get_bill',
  'get_requests',
  'get_overview',
  'get_banners',
  'get_banner_blob',
  'legal_page',
  'sign_up_documents',
  'personal_data',
  'security',
  'my_sessions',
  'site',
])

/** Whether the call changes nothing. `get_proxy` then makes no lines whose settings would have to be stored. */
export function isReading(name: Name): boolean {
  return readingCalls.has(name)
}

/** The provider that always exists: it combines all exits of the operator. */
export const builtInProvider = 'gateway'

/** The path of a call, its `{provider}` filled in. */
export function pathOf(name: Name, provider: string = builtInProvider): string {
  return `/api${wire[name].path.replace('{provider}', encodeURIComponent(provider))}`
}

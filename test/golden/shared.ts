/**
 * Refusals common to many calls. Each is defined once, with the calls that return it; `sharedAnswers` prints
 * one golden answer for every pair of a call and a refusal, in the form of the files in `answers/`.
 */
import { descriptions } from '#contract/openapi/descriptions'
import type { Name } from '#contract/wire'
import { print } from './exchange.ts'
import { type CallRequest, hideGenerated, requestOf } from './request.ts'

interface Call {
  method: 'GET' | 'POST'
  /**
   * Session: customers only, and not with a reseller token. Program: customers, by session or reseller token.
   * Either: anyone, and a customer by session or reseller token.
   */
  caller: 'anyone' | 'either' | 'session' | 'program'
  /** The field that is reported first when all are missing. */
  missed?: string
}

const call = (method: Call['method']) => (caller: Call['caller'], missed?: string) => ({
  method,
  caller,
  ...(missed === undefined ? {} : { missed }),
})
const get = call('GET')
const post = call('POST')

/**
 * Not derived from the contract: a change of the contract that changes what a call refuses must be made here
 * too.
 */
const calls: Record<Name, Call> = {
  prices: get('either'),
  calculate: post('either', 'amounts'),
  signin: post('anyone', 'username'),
  signup: post('anyone', 'username'),
  signout: post('session'),
  legacy_profile: get('program'),
  change_language: post('program', 'code'),
  legacy_referal_info: get('program'),
  referral_earnings: post('program', 'days'),
  get_payouts: get('session'),
  request_payout: post('session', 'micros'),
  cancel_payout: post('session', 'number'),
  get_proxy: post('program', 'anonymous'),
  end_connections: post('program', 'pool'),
  freeze_proxy_users: post('program', 'pool'),
  delete_proxy_users: post('program', 'pool'),
  proxy_users_lines: post('program', 'anonymous'),
  get_proxy_user: post('program', 'pool'),
  set_proxy_login_prefix: post('program', 'prefix'),
  get_presets: get('program'),
  save_preset: post('program', 'pool'),
  change_preset: post('program', 'number'),
  delete_preset: post('program', 'number'),
  renew_preset_link: post('session', 'number'),
  revoke_preset_link: post('program', 'number'),
  try_line: post('program', 'anonymous'),
  proxy_countries: get('anyone', 'pool'),
  proxy_states: post('anyone', 'pool'),
  proxy_cities: post('anyone', 'pool'),
  proxy_asns: post('anyone', 'pool'),
  proxy_zipcodes: post('anyone', 'pool'),
  legacy_get_statistic: get('program', 'period'),
  get_usage: post('program', 'from'),
  get_status: get('anyone'),
  get_activity: get('program'),
  get_host_privacy: get('program'),
  set_host_privacy: post('program', 'withholds_hosts'),
  get_bill: post('program'),
  get_bill_proof: get('program'),
  bill_roots: get('anyone'),
  is_password_exists: get('program'),
  reset_password: post('program', 'pool'),
  change_account_password: post('session', 'new_password'),
  personal_data: get('session'),
  export_personal_data: post('session'),
  request_erasure: post('session'),
  withdraw_erasure: post('session'),
  request_password_reset: post('anyone', 'email'),
  reset_account_password: post('anyone', 'reset_token'),
  reseller_token: post('program'),
  rotate_reseller_token: post('program'),
  revoke_reseller_token: post('program'),
  get_team: get('session'),
  invite_member: post('session', 'email'),
  resend_invitation: post('session', 'id'),
  revoke_invitation: post('session', 'id'),
  change_member: post('session', 'account'),
  remove_member: post('session', 'account'),
  invitation: post('anyone', 'invitation_token'),
  accept_invitation: post('session', 'invitation_token'),
  my_teams: get('session'),
  act_on_account: post('session', 'account'),
  leave_team: post('session', 'account'),
  get_whitelist_ips: post('program', 'pool'),
  get_whitelist_entries: post('program', 'pool'),
  add_ip_to_whitelist: post('program', 'ip'),
  remove_ip_from_whitelist: post('program', 'ip'),
  get_pool_limits: post('program', 'pool'),
  display_currency: get('program'),
  set_display_currency: post('program', 'currency'),
  set_pool_limits: post('program', 'pool'),
  raise_day_cap: post('program', 'pool'),
  get_proxy_users: post('program', 'pool'),
  create_proxy_user: post('program', 'label'),
  create_proxy_users: post('program', 'users'),
  add_proxy_user_to_pool: post('program', 'number'),
  change_proxy_user: post('program', 'number'),
  freeze_proxy_user: post('program', 'frozen'),
  renew_proxy_user_password: post('program', 'number'),
  give_proxy_user: post('program', 'number'),
  take_proxy_user: post('program', 'number'),
  delete_proxy_user: post('program', 'number'),
  proxy_user_usage: post('program', 'days'),
  proxy_users_usage: post('program', 'from'),
  get_notices: get('program'),
  set_notices: post('program'),
  get_banners: get('anyone'),
  get_banner_blob: get('anyone', 'id'),
  site: get('anyone'),
  legal_page: get('anyone', 'page'),
  sign_up_documents: get('anyone'),
  confirm_email: post('anyone', 'confirmation_token'),
  resend_confirmation: post('session'),
  telegram_code_signin: post('anyone'),
  activate_traffic_promocode: post('program', 'code'),
  payment_systems: get('anyone'),
  discount_promocode_info: get('program', 'code'),
  referral_payment: post('program', 'amount'),
  create_invoice_web: post('program', 'payment_method'),
  buy: post('program', 'amount'),
  create_balance_invoice: post('program', 'payment_method'),
  money_balance: post('program'),
  get_top_ups: get('program'),
  top_up_consent: post('session', 'pool'),
  set_top_up: post('session', 'pool'),
  switch_off_top_up: post('program', 'pool'),
  remove_saved_method: post('session', 'id'),
  receipt_email: get('program'),
  set_receipt_email: post('program', 'email'),
  invoices: get('program'),
  invoice: get('program', 'number'),
  explain_request: get('program', 'id'),
  get_requests: get('program'),
  get_overview: get('program'),
  get_last_hour: post('program', 'pool'),
  get_moves: get('program'),
  quote_exchange: post('program', 'pool'),
  give_traffic: post('session', 'pool'),
  exchange_traffic: post('session', 'pool'),
  invoice_documents: get('program', 'number'),
  invoice_document: get('program', 'number'),
  buyer_details: get('program'),
  set_buyer_details: post('program', 'name'),
  signin_second_step: post('anyone', 'ticket'),
  signin_passkey_options: post('anyone'),
  signin_passkey: post('anyone', 'response'),
  security: get('session'),
  prove_owner_options: post('session'),
  prove_owner: post('session', 'proof'),
  totp_begin: post('session'),
  totp_finish: post('session', 'code'),
  remove_totp: post('session'),
  passkey_begin: post('session'),
  passkey_finish: post('session', 'name'),
  remove_passkey: post('session', 'id'),
  new_recovery_codes: post('session'),
  my_sessions: get('session'),
  end_sessions: post('session'),
  set_sign_in_letters: post('session', 'on'),
  change_email: post('session', 'email'),
  cancel_email_change: post('session'),
  confirm_new_email: post('anyone', 'confirmation_token'),
  answer_email_change: post('anyone', 'agreed'),
  undo_email_change: post('anyone', 'undo_token'),
}
export const callNames = Object.keys(calls) as Name[]
const needsNobody = ({ caller }: Call) => caller === 'anyone' || caller === 'either'
export const isForAnyone = (name: Name) => needsNobody(calls[name])

const order = (amount: number) => ({
  payment_method: 'sandbox',
  amount,
  promocode: null,
  pool: 'residential',
})
const gift = (megabytes: number) => ({ pool: 'residential', megabytes, to: 'bob_jones' })
const swap = (megabytes: number) => ({
  pool: 'residential',
  to_pool: 'mobile',
  megabytes,
  to_bytes: '221518987',
})
const payment = (amount: number) => ({ amount, promocode: null, pool: 'residential' })
const payout = (micros: string) => ({
  micros,
  network: 'usdt_trc20',
  wallet: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
})

const userAmount = (bytes: number) => ({ pool: 'residential', number: 1, bytes })

/** Orders with an Idempotency-Key, as the stories make them. */
export const keyed = {
  activate_traffic_promocode: { key: '7f3f6a58-0002', input: { code: 'FIRST' } },
  buy: { key: 'purchase-1', input: payment(2) },
  create_balance_invoice: { key: 'top-up-1', input: { payment_method: 'sandbox', amount_usd: 100 } },
  create_invoice_web: { key: '7f3f6a58-0001', input: order(7) },
  give_proxy_user: { key: 'user-1', input: userAmount(5_000_000_000) },
  take_proxy_user: { key: 'user-2', input: userAmount(2_000_000_000) },
  give_traffic: { key: 'gift-1', input: gift(500) },
  exchange_traffic: { key: 'exchange-1', input: swap(500) },
  referral_payment: { key: 'payment-1', input: payment(2) },
  request_payout: { key: 'payout-1', input: payout('5000000') },
} as const

/** The calls that accept an Idempotency-Key. */
export const keyedCalls: readonly Name[] = [
  'accept_invitation',
  'activate_traffic_promocode',
  'add_ip_to_whitelist',
  'add_proxy_user_to_pool',
  'buy',
  'cancel_email_change',
  'cancel_payout',
  'change_email',
  'change_language',
  'change_member',
  'change_preset',
  'change_proxy_user',
  'create_balance_invoice',
  'create_invoice_web',
  'create_proxy_user',
  'create_proxy_users',
  'delete_preset',
  'delete_proxy_user',
  'delete_proxy_users',
  'end_connections',
  'end_sessions',
  'exchange_traffic',
  'freeze_proxy_user',
  'freeze_proxy_users',
  'give_proxy_user',
  'give_traffic',
  'invite_member',
  'leave_team',
  'raise_day_cap',
  'referral_payment',
  'remove_ip_from_whitelist',
  'remove_member',
  'remove_saved_method',
  'renew_preset_link',
  'renew_proxy_user_password',
  'request_payout',
  'reseller_token',
  'resend_confirmation',
  'resend_invitation',
  'reset_password',
  'revoke_invitation',
  'revoke_preset_link',
  'revoke_reseller_token',
  'rotate_reseller_token',
  'save_preset',
  'set_buyer_details',
  'set_display_currency',
  'set_host_privacy',
  'set_notices',
  'set_pool_limits',
  'set_proxy_login_prefix',
  'set_receipt_email',
  'set_sign_in_letters',
  'set_top_up',
  'switch_off_top_up',
  'take_proxy_user',
  'top_up_consent',
  'try_line',
  'withdraw_erasure',
]
const isKeyed = (_call: Call, name: Name) => keyedCalls.includes(name)

/** The key of requests that are refused because of it. */
export const usedKey = 'order-1'
const withKey = (asked: CallRequest, key = usedKey) => ({ ...asked, headers: { 'idempotency-key': key } })

interface Shared {
  isGivenBy: (call: Call, name: Name) => boolean
  /** The request that is refused, made from one that would succeed. */
  ask: (asked: CallRequest, call: Call, name: Name) => CallRequest
  status: number
  /** Those of the answer besides content-type, cache-control and x-request-id. */
  headers?: (call: Call) => [string, string][]
  fault: (call: Call) => { code: string; message: string; details?: Record<string, unknown> }
}

const all = () => true
const withBody = ({ method }: Call) => method === 'POST'
const ofCustomers = (one: Call) => !needsNobody(one)
const challenge = (): [string, string][] => [['www-authenticate', 'Bearer']]
const retryAfter: [string, string] = ['retry-after', '1']
const pace: [string, string][] = [
  ['x-ratelimit-limit', '60'],
  ['x-ratelimit-remaining', '{{number}}'],
  ['x-ratelimit-reset', '{{number}}'],
  ['ratelimit-policy', '"calls";q=60;w=3, "cost";q=400;w=10'],
]
const openToPages: [string, string][] = [
  ['vary', 'authorization'],
  ['access-control-allow-origin', '*'],
  [
    'access-control-expose-headers',
    'x-invoice-id, x-traffic-multiplier, x-payload-bytes, x-request-id, retry-after, idempotency-replayed, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, ratelimit-policy, ratelimit',
  ],
]

const refusedHeaders = (one: Call): [string, string][] => [
  retryAfter,
  ...(one.caller === 'program' ? openToPages : []),
  ...(needsNobody(one) ? [] : pace),
]

/** The address whose allowance is used up for `too-many-requests`. */
export const busyAddress = '203.0.113.90'
/** The customer's reseller token. */
export const program = 'the program'

export const shared = {
  'malformed-json': {
    isGivenBy: withBody,
    ask: (asked) => ({ ...asked, body: '{"colour": ' }),
    status: 400,
    fault: () => ({
      code: 'malformed_json',
      message: 'Тело запроса — не JSON. Проверьте кавычки и запятые.',
    }),
  },
  'body-too-large': {
    isGivenBy: withBody,
    ask: (asked) => ({ ...asked, input: { ...asked.input, colour: 'x'.repeat(70_000) } }),
    status: 413,
    fault: () => ({ code: 'body_too_large', message: 'Запрос больше 64 КиБ. Отправьте его частями.' }),
  },
  'unsupported-media-type': {
    isGivenBy: withBody,
    ask: (asked) => ({
      ...asked,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'colour=red',
    }),
    status: 415,
    fault: () => ({ code: 'unsupported_media_type', message: 'Отправьте тело как application/json.' }),
  },
  'method-not-allowed': {
    isGivenBy: all,
    ask: (_asked, { method }) => ({ method: method === 'GET' ? 'POST' : 'GET' }),
    status: 405,
    headers: ({ method }) => [['allow', method === 'GET' ? 'GET, HEAD, OPTIONS' : 'OPTIONS, POST']],
    fault: ({ method }) => ({
      code: 'method_not_allowed',
      message: `Этот вызов делается методом ${method}.`,
      details: { allowed: method },
    }),
  },
  'unknown-field': {
    isGivenBy: all,
    ask: (asked) => ({ ...asked, input: { ...asked.input, colour: 'red' } }),
    status: 422,
    fault: () => ({
      code: 'unknown_field',
      message: 'Поле «colour» здесь не предусмотрено. Уберите его.',
      details: { field: 'colour' },
    }),
  },
  'invalid-field': {
    isGivenBy: ({ missed }) => missed !== undefined,
    ask: (asked, { missed = '' }) => {
      const { [missed]: _left, ...input } = asked.input ?? {}
      return { ...asked, input }
    },
    status: 422,
    fault: ({ missed = '' }) => ({
      code: `invalid_${missed}`,
      message: `Не хватает поля «${missed}».`,
      details: { field: missed },
    }),
  },
  unauthorized: {
    isGivenBy: ofCustomers,
    ask: ({ as: _nobody, ...asked }) => asked,
    status: 401,
    headers: challenge,
    fault: () => ({
      code: 'unauthorized',
      message: 'Войдите в аккаунт: сессия закончилась или не начиналась.',
    }),
  },
  'unauthorized-unknown-token': {
    isGivenBy: ({ caller }) => caller !== 'anyone',
    ask: ({ as: _nobody, ...asked }) => ({
      ...asked,
      language: 'en',
      headers: { authorization: `Bearer ${'a'.repeat(43)}` },
    }),
    status: 401,
    headers: challenge,
    fault: () => ({
      code: 'unauthorized',
      message: 'Sign in: your session has ended or has not started.',
    }),
  },
  'too-many-requests': {
    isGivenBy: all,
    ask: (asked, one) => (needsNobody(one) ? { ...asked, from: busyAddress } : { ...asked, as: program }),
    status: 429,
    headers: refusedHeaders,
    fault: () => ({
      code: 'too_many_requests',
      message: 'Слишком много запросов. Повторите через 1 с.',
      details: { seconds: 1 },
    }),
  },
  'not-for-reseller-token': {
    isGivenBy: ({ caller }) => caller === 'session',
    ask: (asked) => ({ ...asked, as: program }),
    status: 403,
    headers: () => pace,
    fault: () => ({
      code: 'not_for_reseller_token',
      message: 'Этот вызов не делается токеном API. Войдите в аккаунт на сайте.',
    }),
  },
  'idempotency-key-reused': {
    isGivenBy: isKeyed,
    ask: (asked) => withKey(asked),
    status: 409,
    fault: () => ({
      code: 'idempotency_key_reused',
      message: 'Этот Idempotency-Key уже использован с другим запросом. Возьмите новый.',
    }),
  },
  'invalid-idempotency-key': {
    isGivenBy: isKeyed,
    ask: (asked) => withKey(asked, 'two words'),
    status: 422,
    fault: () => ({
      code: 'invalid_idempotency_key',
      message: 'Idempotency-Key — от 1 до 255 видимых символов ASCII.',
    }),
  },
  'idempotency-key-busy': {
    isGivenBy: isKeyed,
    ask: (asked) => withKey(asked),
    status: 409,
    headers: () => [retryAfter],
    fault: () => ({
      code: 'idempotency_key_busy',
      message: 'Запрос с этим Idempotency-Key ещё выполняется. Повторите через секунду.',
    }),
  },
  'stored-answer-unreadable': {
    isGivenBy: isKeyed,
    ask: (asked) => withKey(asked),
    status: 409,
    fault: () => ({
      code: 'stored_answer_unreadable',
      message:
        'Запрос с этим Idempotency-Key уже выполнен, но его ответ больше нельзя прочитать. Посмотрите, что изменилось.',
    }),
  },
} satisfies Record<string, Shared>
export type SharedCase = keyof typeof shared

const rowOf = (of: SharedCase): Shared => shared[of]

export const isGivenBy = (name: Name, of: SharedCase) => rowOf(of).isGivenBy(calls[name], name)

/** The request of a pair, with the refusal it must end with. */
export function askedFor(name: Name, of: SharedCase): CallRequest {
  const { ask, fault, status } = rowOf(of)
  const one = calls[name]
  const example: CallRequest = {
    ...(needsNobody(one) ? {} : { as: 'anna_smith' }),
    input: descriptions[name].input as Record<string, unknown>,
  }
  return { ...ask(example, one, name), ends: { status, code: fault(one).code } }
}

function answerOf(name: Name, of: SharedCase) {
  const { status, headers, fault } = rowOf(of)
  const one = calls[name]
  const sent: [string, string][] = [
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
    ...(headers?.(one) ?? []),
    ['x-request-id', '{{request id}}'],
  ]
  return { status, headers: sent, body: JSON.stringify(fault(one)) }
}

/** The golden answers of all pairs: `<call>/<refusal>.http` → text. */
export function sharedAnswers(): Map<string, string> {
  return new Map(
    callNames.flatMap((name) =>
      (Object.keys(shared) as SharedCase[])
        .filter((of) => isGivenBy(name, of))
        .map((of): [string, string] => {
          const request = requestOf(name, askedFor(name, of), (token) => `{{token of ${token}}}`)
          const exchange = {
            request: { ...request, body: hideGenerated(request.body) },
            answer: answerOf(name, of),
          }
          return [`${name}/${of}.http`, print(exchange)]
        }),
    ),
  )
}

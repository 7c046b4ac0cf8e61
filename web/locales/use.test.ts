// @vitest-environment node
/** Every text is used and translated, and components contain no text of their own. */
import { describe, expect, it } from 'vitest'
import { noticeKinds, noticeWays } from '#contract/account-rules'
import { themes } from '#contract/colours'
import { alertKinds, alertTopics } from '#contract/desk/alerts'
import { shopChecks } from '#contract/desk/faults'
import { legalPages } from '#contract/legal/pages'
import type { Language } from '#contract/language'
import { processorMethods, referralMethod } from '#contract/invoices'
import { regions } from '#contract/proxy-lines'
import { defaultSessionMinutes } from '#contract/session-times'
import {
  accessParts,
  auditActions,
  bulkActs,
  costRoundings,
  customerSorts,
  customerStates,
  disputeStates,
  feeKinds,
  invoiceStates,
  ledgerKinds,
  letterTemplates,
  partNames,
  paymentVerdicts,
  personalPartNames,
  receiptFaults,
  receiptKinds,
  receiptNeeds,
  receiptStates,
  refundStates,
  sellerCounts,
  sellerFaults,
  sellerParts,
  returnStates,
} from '#contract/desk/choices'
import { roles } from '#contract/desk/roles'
import { payoutStates } from '#contract/referral/payout'
import { proxyCodes } from '#contract/gateway/refusals'
import { settingNames } from '#contract/desk/shop-settings'
import { pools } from '#contract/wire'
import deskRefusals from './ru/deskRefusals.json'
import { flatten, type TextTree, withoutPlural } from './flatten.ts'
import { readSource } from './sources.ts'

const files = import.meta.glob<TextTree>('./*/*.json', { eager: true, import: 'default' })
const code = import.meta.glob<string>(
  ['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}', '!../build/**', '!./**'],
  {
    eager: true,
    import: 'default',
    query: '?raw',
  },
)
const sources = Object.entries(code).map(([file, text]) => ({ file, ...readSource(file, text) }))

const namespaces = [
  ...new Set(Object.keys(files).map((path) => path.split('/')[2]?.replace('.json', '') ?? '')),
]
const textsOf = (language: Language, namespace: string) =>
  flatten(files[`./${language}/${namespace}.json`] ?? {})

const states = ['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded']
const methods = [...processorMethods, referralMethod]
const tabs = [
  'main',
  'panel',
  'statistic',
  'requests',
  'whitelist',
  'proxyUsers',
  'invoices',
  'referal',
  'changePass',
  'resell',
]
const contacts = ['bot', 'support', 'channel']
const advantages = ['protocols', 'targeting', 'sessions', 'lines', 'stats']
const formErrors = [
  'fillFields',
  'invalidEmail',
  'passwordsDiffer',
  'shortPassword',
  'shortUsername',
  'linkUsername',
]

const endings = ['client_failed', 'target_failed', 'no_traffic', 'idle', 'cut', 'other']
const firstSteps = ['mail', 'buy', 'line', 'request']

const moves = ['give', 'take', 'giveMoney', 'takeMoney']

/** The values that components insert into computed keys, in place of the star. */
const computed: Record<string, readonly string[]> = {
  'header:pools.*': pools,
  'footer.*': contacts,
  'contacts.*': contacts,
  'contacts.*Text': contacts,
  'invoices.state.*': states,
  'wrong.*': ['label', 'total', 'day', 'month', 'connections', 'expires'],
  'stateOf.*': ['active', 'frozen', 'expired', 'used_up'],
  'per.*': ['total', 'month', 'day'],
  'whitelist.lost.*': ['taken', 'unproven'],
  'invoices.heading.*': states,
  'invoices.explain.*': [...states, 'promoLost', 'underpaidClosed'],
  'invoices.methods.*': methods,
  'invoices.documents.*': ['invoice', 'credit_note', 'specimen'],
  'documents.*': ['invoice', 'credit_note', 'specimen'],
  'methods.*': methods,
  'tab.*': tabs,
  'title.*': [...tabs, 'invoice', 'request'],
  'repair.*': ['buy', 'limits', 'rules', 'generator', 'security', 'whitelist', 'users', 'support'],
  'end.*': [...endings, 'done', 'refused'],
  'requests:endText.*': endings,
  'one.*': ['authenticated', 'exit_chosen', 'connected', 'first_byte', 'ended'],
  'requests:overview.steps.*': firstSteps,
  'requests:overview.steps.*Text': firstSteps,
  'requests:outcomes.*': ['done', 'refused', 'failed'],
  'requests:times.*': ['hour', 'day', 'week'],
  'fault.*': ['form', 'number', 'hour', 'hash', 'balance'],
  'statistics.*': ['week', 'month'],
  'statistics.*Note': ['week', 'month'],
  'reseller.*Title': ['rotate', 'revoke'],
  'reseller.*Next': ['rotate', 'revoke'],
  'reseller.*Act': ['rotate', 'revoke'],
  'region.*': regions,
  'place.*': ['countries', 'states', 'cities', 'zipcodes'],
  'connection.*': ['sticky', 'rotating'],
  'security.*': ['fillFields', 'shortPassword'],
  'errors.*': formErrors,
  'confirm.*': ['invalid', 'failed', 'success'],
  'telegram.*': [
    'invalid',
    'unknown',
    'bad',
    'often',
    'failed',
    'noToken',
    'noProfile',
    'badToken',
    'profileFailed',
  ],
  'builder.*': ['sticky', 'rotating', 'login', 'cc', 'sid', 'password', 'host'],
  'builder.*Hint': ['sticky', 'rotating'],
  'pricing.*': ['gb', 'tb'],
  'about.*': ['both', 'narrow', 'handshake', 'refused', 'silent'],
  'home:features.about.*': pools,
  'advantages.*': advantages,
  'advantages.*Text': advantages,
  'gatewayRefusals:advice.*': proxyCodes,
  'gatewayRefusals:names.*': proxyCodes,
  'call.*': ['anyone', 'token', 'session'],

  // The desk
  'page.*': [
    'today',
    'customers',
    'invoices',
    'payments',
    'reports',
    'traffic',
    'connections',
    'exits',
    'prices',
    'promo',
    'staff',
    'audit',
    'me',
    'places',
    'settings',
    'shop',
  ],
  'theme.*': ['system', 'light', 'dark'],
  'role.*': roles,
  'desk:role.*': roles,
  'help.*': ['palette', 'search', 'rows', 'select', 'open', 'help', 'close'],
  'palette:*': ['purchase', 'promocode', 'home', 'sticky', 'rotating'],
  'userBtns:title.*': tabs,
  'userBtns:tab.*': tabs,
  'docs:*': [
    'start',
    'auth',
    'errors',
    'limits',
    'retries',
    'numbers',
    'resellers',
    'connect',
    'formats',
    'targeting',
    'sessions',
    'answers',
  ].map((section) => `${section}.title`),
  'palette:words.*': [...tabs, 'purchase', 'promocode', 'docs', 'home', 'signOut'],
  'palette.kind.*': ['customer', 'invoice', 'connection', 'exit', 'promo_code'],
  'palette.by.*': [
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
  ],
  'today.need.*': alertKinds,
  'deskSellers:sellers.tab.*': ['exits', 'accounts'],
  'sellers.countsOf.*': sellerCounts,
  'cost.countsOf.*': sellerCounts,
  'cost.failedOf.*': ['billed', 'free'],
  'sellers.fault.*': sellerFaults,
  'sellers.meterNote.*': ['left', 'used'],
  'sellers.part.*': sellerParts,
  'sellers.unclear.*': ['refilled', 'missed'],
  'alerts.kind.*': alertKinds,
  'alerts.topic.*': alertTopics,
  'alerts.in.*': ['ru', 'en'],
  'alerts.*': ['from', 'until'],
  'customerState.*': customerStates,
  'invoiceState.*': invoiceStates,
  'customers.sort.*': customerSorts,
  'many.act.*': bulkActs,
  'deskCustomer:many.act.*': bulkActs,
  'many.title.*': bulkActs,
  'many.unchanged.*': bulkActs,
  'many.outcome.*': ['done', 'unchanged', 'failed'],
  'why.*': Object.keys(deskRefusals.why),
  'did.*': auditActions,
  'deskActions:did.*': auditActions,
  'entry.*': ledgerKinds,
  'lists.*': [
    'timeline',
    'refusals',
    'live',
    'usage',
    'ledger',
    'invoices',
    'access',
    'promo',
    'invited',
    'letters',
  ],
  'method.*': methods,
  'deskCustomer:acts.*': ['resetAccess', 'resend', 'refund', 'seeAs', 'export', 'declineErasure', 'erase'],
  'personal.fact.*': ['month', 'balance', 'signIn', 'books', 'file', 'noPasswords'],
  'person.obstacle.*': ['open_invoice', 'dispute', 'refund_due', 'receipt_due', 'open_payout'],
  'person.fate.*': ['removed', 'anonymised', 'kept'],
  'person.part.*': personalPartNames,
  'deskCustomer:invoiceAct.*': [
    'ask_processor',
    'replay_payment_event',
    'refund_invoice',
    'register_receipt',
    'settle_return',
    'test_purchase',
  ],
  'reset.part.*': accessParts,
  'reset.about.*': accessParts,
  'try.code.*': ['gateway_unreachable', 'trial_timeout', 'unexpected_answer'],
  'generator:needs.*': ['httpx', 'scrapy', 'selenium', 'playwright', 'puppeteer'],
  'limits.*': ['hour', 'day', 'month'],
  'limits.*Gb': ['hour', 'day', 'month'],
  'row.*': ['given', 'received', 'exchanged'],
  'usage.way.*': ['day', 'hour', 'country', 'host'],
  'usage.about.*': ['day', 'hour', 'country', 'host'],
  'promoUses.kinds.*': ['discount', 'traffic'],
  'promoUses.state.*': ['held', 'used'],
  'letters.state.*': ['waiting', 'sent', 'failed'],
  'deskCustomer:letters.state.*': ['waiting', 'sent', 'failed'],
  'letters.template.*': letterTemplates,
  'notices.kind.*': noticeKinds,
  'notices.kind.*Text': noticeKinds,
  'notices.via.*': noticeWays,
  'customer.languages.*': ['ru', 'en'],
  'event.*': ['signed_up', 'email_confirmed', 'telegram_linked', 'signed_in', 'erasure_asked', 'blocked'],
  'act.*': ['give', 'take', 'giveMoney', 'takeMoney', 'block', 'unblock', 'endSessions'],
  'act.*Title': moves,
  'act.*Submit': moves,
  'refund.kind.*': ['whole', 'unused', 'amount'],
  'refund.about.*': ['whole', 'unused', 'amount'],
  'refund.way.*': ['processor', 'balance', 'by_hand'],
  'refund.state.*': ['due', 'sent', 'failed'],
  'invoice.fee.kind.*': feeKinds,
  'invoice.returns.cause.*': ['refund', 'dispute'],
  'invoice.returns.state.*': returnStates,
  'settleReturn.kind.*': ['part', 'nothing'],
  'staff.state.*': ['active', 'invited', 'blocked'],
  'staff.factor.*': ['totp', 'passkey', 'recovery_code'],
  'staff.about.*': roles,
  'traffic.periods.*': ['day', 'week', 'month'],
  'traffic.by.*': ['pool', 'exit', 'country', 'hour', 'day'],
  'traffic.key.*': ['pool', 'exit', 'country', 'hour', 'day'],
  'live.*': ['days', 'hours', 'minutes', 'drain', 'undrain'],
  'live.*Title': ['drain', 'undrain'],
  'live.*Text': ['drain', 'undrain'],
  'live.state.*': ['running', 'draining', 'drained', 'stopped', 'silent'],
  'connections.languages.*': ['ru', 'en'],
  'setting.*': settingNames,
  'setting.*Text': settingNames,
  'currencies.tabs.*': ['prices', 'currencies'],
  'currencies.stateOf.*': ['fresh', 'old', 'closed'],
  'currencies.sourceOf.*': ['hand', 'file'],
  'settings.group.*': ['limits', 'payouts', 'retention', 'notices'],
  'settings.flag.*': ['yes', 'no'],
  'settings.unit.*': ['users', 'gb', 'minutes', 'hours', 'days', 'months'],
  'settings.source.*': ['environment', 'changed', 'default', 'file'],
  'settings.tab.*': ['own', 'alerts', 'environment', 'history'],
  'shop.tab.*': [...partNames, 'banners', 'history'],
  'shop.in.*': ['ru', 'en'],
  'legal.*': legalPages,
  '*.title': legalPages,
  '*.description': legalPages,
  'agree.*': ['terms', 'personal_data'],
  'agree.missing.*': ['terms', 'personal_data'],
  'legal:agree.missing.*': ['terms', 'personal_data'],
  'today.check.*': shopChecks,
  'brand.slot.*': ['logo', 'logo_dark', 'icon'],
  'brand.theme.*': themes,
  'brand.pair.*': ['text', 'hover', 'fill', 'words', 'edge', 'wash', 'focus'],
  'links.*': ['support', 'bot', 'channel', 'enterprise'],
  'links.*Hint': ['support', 'bot', 'channel', 'enterprise'],
  'banners.state.*': ['shown', 'to_come', 'over'],
  'purchase:methods.*': methods,
  'places.tab.*': ['offered', 'sources'],
  'cost.gbOf.*': ['decimal', 'binary'],
  'cost.roundingOf.*': costRoundings,
  'reports.report.*': ['sales', 'usage', 'liability', 'refunds', 'referral', 'margin'],
  'reports.about.*': ['sales', 'usage', 'liability', 'refunds', 'referral'],
  'reports.by.*': ['day', 'week', 'month', 'pool', 'method', 'campaign', 'promo', 'exit', 'customer', 'tier'],
  'reports.key.*': [
    'day',
    'week',
    'month',
    'pool',
    'method',
    'campaign',
    'promo',
    'exit',
    'customer',
    'tier',
  ],
  'deskCustomer:promoUses.state.*': ['used', 'held'],
  'postings.title.*': ['sales', 'refunds', 'referral'],
  'reports.margin.*': ['revenue', 'fee', 'referral', 'cost', 'freeCost'],
  'reports.marginBooks.*': ['equal', 'differs', 'archived'],
  'reports.count.*': ['sales', 'usage', 'refunds', 'referral'],
  'reports.micros.*': ['sales', 'refunds', 'referral'],
  'reports.balance.*': ['sales', 'refunds', 'referral'],
  'reports.bytes.*': ['sales', 'usage', 'liability', 'refunds'],
  'payments.disputeState.*': disputeStates,
  'deskMoney:payments.disputeState.*': disputeStates,
  'payments.tab.*': ['events', 'refunds', 'receipts', 'disputes', 'processors'],
  'need.*': receiptNeeds,
  'whatToDo.*': receiptNeeds,
  'state.*': [...receiptStates, ...payoutStates],
  'kind.*': receiptKinds,
  'faults.*': receiptFaults,
  'mark.about.*': ['income', 'cancel', 'till'],
  'receipts.kind.*': receiptKinds,
  'payments.verdict.*': paymentVerdicts,
  'payments.refundState.*': refundStates,
  'promo.tab.*': ['codes', 'campaigns'],
  'promo.state.*': ['good', 'disabled', 'expired', 'used_up'],
}

/** The keys a file uses, as `namespace:key`. A file without namespaces contains keys that other files use. */
function keysUsedBy({ literals, computed: patterns, namespaces: own }: (typeof sources)[number]): string[] {
  const inserted = [...patterns].flatMap((pattern) =>
    (computed[pattern] ?? []).map((value) => pattern.replace('*', value)),
  )
  const searched = own.size === 0 ? namespaces : [...own]
  return [...literals, ...inserted].flatMap((key) =>
    key.includes(':') ? [key] : searched.map((namespace) => `${namespace}:${key}`),
  )
}
const used = new Set(sources.flatMap(keysUsedBy))

/** Texts that are the same in both languages: names and numbers. */
const untranslated = new Set([
  '0',
  '×{{multiplier}}',
  'API',
  'CSV',
  'XLSX',
  'CryptoBot',
  'Telegram',
  'Telegram Stars',
])
const names = new Set(['Telegram', 'DB-IP', 'Ctrl K', 'cc-us', 'HTTP', 'SOCKS5'])

describe.each(namespaces)('texts of %s', (namespace) => {
  it('are all used', () => {
    const unused = textsOf('ru', namespace).filter(([key]) => !used.has(`${namespace}:${withoutPlural(key)}`))
    expect(unused.map(([key]) => key)).toEqual([])
  })

  it('are translated', () => {
    const english = new Map(textsOf('en', namespace))
    const identical = textsOf('ru', namespace).filter(
      ([key, text]) => english.get(key) === text && !untranslated.has(text),
    )
    expect(identical).toEqual([])
  })
})

it('the default length of a session is in no text of the generator: it is a constant', () => {
  const texts = (['ru', 'en'] as const).flatMap((language) =>
    ['home', 'userPanel'].flatMap((namespace) => textsOf(language, namespace).map(([, text]) => text)),
  )
  const length = new RegExp(String.raw`\b${defaultSessionMinutes}[  ]?(?:min|мин)`)
  expect(texts.filter((text) => length.test(text))).toEqual([])
})

describe('the pages', () => {
  it('compute keys only by the patterns listed here', () => {
    const patterns = new Set(sources.flatMap((source) => [...source.computed]))
    expect([...patterns].filter((pattern) => computed[pattern] === undefined)).toEqual([])
    expect(Object.keys(computed).filter((pattern) => !patterns.has(pattern))).toEqual([])
  })

  it('contain no visible text outside of the text files', () => {
    const own = sources.flatMap(({ file, visible }) =>
      visible.filter((text) => !names.has(text)).map((text) => `${file}: ${text}`),
    )
    expect(own).toEqual([])
  })

  it('contain no Cyrillic letters outside of the text files, except for the name of the language, units and commands', () => {
    const others = sources.filter(({ file }) => !file.endsWith('palette/command-words.ts'))
    const russian = others.flatMap(({ file, literals }) =>
      [...literals].filter((text) => /[а-яё]/i.test(text)).map((text) => `${file}: ${text}`),
    )
    expect(russian).toEqual(['../ui/fields/language-switch.tsx: RU, русский'])
  })
})

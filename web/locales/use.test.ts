// @vitest-environment node
/** Every text is used and translated, and components contain no text of their own. */
import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/language'
import { processorMethods, referralMethod } from '#contract/payment-methods'
import { regions } from '#contract/proxy-lines'
import { customerSorts, invoiceStates } from '#contract/desk/choices'
import { roles } from '#contract/desk/roles'
import { pools } from '#contract/wire'
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
const tabs = ['main', 'panel', 'statistic', 'whitelist', 'invoices', 'referal', 'changePass', 'resell']
const contacts = ['bot', 'support', 'channel']
const actions = [
  'buyTraffic',
  'openPanel',
  'promocode',
  'whitelist',
  'viewStatistics',
  'invoices',
  'referral',
  'changePassword',
  'api',
]
const advantages = ['protocols', 'targeting', 'sessions', 'lines', 'stats']
const formErrors = [
  'fillFields',
  'invalidEmail',
  'passwordsDiffer',
  'shortPassword',
  'shortUsername',
  'linkUsername',
]

const moves = ['give', 'take', 'giveMoney', 'takeMoney']

/** The values that components insert into computed keys, in place of the star. */
const computed: Record<string, readonly string[]> = {
  'header:pools.*': pools,
  'footer.*': contacts,
  'contacts.*': contacts,
  'contacts.*Text': contacts,
  'invoices.state.*': states,
  'whitelist.lost.*': ['taken', 'unproven'],
  'invoices.heading.*': states,
  'invoices.explain.*': [...states, 'promoLost'],
  'invoices.methods.*': methods,
  'methods.*': methods,
  'tab.*': tabs,
  'title.*': [...tabs, 'invoice'],
  'action.*': actions,
  'action.*Text': actions,
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

  // The desk
  'page.*': ['today', 'customers', 'invoices', 'exits', 'prices', 'promo', 'staff', 'audit', 'me'],
  'theme.*': ['system', 'light', 'dark'],
  'role.*': roles,
  'desk:role.*': roles,
  'help.*': ['palette', 'search', 'rows', 'select', 'open', 'help', 'close'],
  'palette.kind.*': ['customer', 'invoice', 'exit', 'promo_code'],
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
  'factor.with.*': ['totp', 'passkey', 'recovery_code', 'password'],
  'today.need.*': [
    'dispute',
    'wrong_amount',
    'refund_failed',
    'exit_fault',
    'paid_without_traffic',
    'rate_old',
    'backup_old',
    'letters_stuck',
  ],
  'customerState.*': ['active', 'unconfirmed', 'blocked'],
  'invoiceState.*': invoiceStates,
  'customers.sort.*': customerSorts,
  'bulk.*': ['tag', 'block'],
  'bulk.*Title': ['tag', 'block'],
  'customer.tab.*': ['timeline', 'ledger', 'invoices', 'usage'],
  'customer.languages.*': ['ru', 'en'],
  'event.*': ['signed_up', 'email_confirmed', 'blocked', 'letter'],
  'act.*': ['give', 'take', 'giveMoney', 'takeMoney', 'block', 'unblock', 'endSessions'],
  'act.*Title': moves,
  'act.*Submit': moves,
  'refund.kind.*': ['whole', 'unused', 'amount'],
  'refund.about.*': ['whole', 'unused', 'amount'],
  'refund.way.*': ['processor', 'balance', 'by_hand'],
  'refund.state.*': ['due', 'sent', 'failed'],
  'staff.state.*': ['active', 'invited', 'blocked'],
  'staff.factor.*': ['totp', 'passkey', 'recovery_code'],
  'staff.about.*': roles,
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
const untranslated = new Set(['0', 'API', 'CSV', 'CryptoBot'])
const names = new Set(['Telegram', 'Ctrl K', 'cc-us'])

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

  it('contain no Cyrillic letters outside of the text files, except for the name of the language', () => {
    const russian = sources.flatMap(({ file, literals }) =>
      [...literals].filter((text) => /[а-яё]/i.test(text)).map((text) => `${file}: ${text}`),
    )
    expect(russian).toEqual(['../ui/fields/language-switch.tsx: RU, русский'])
  })
})

// @vitest-environment node
/** Every text is asked for somewhere, is translated, and nothing that people read stands in a component itself. */
import { describe, expect, it } from 'vitest'
import { pools } from '#contract/wire'
import { readSource } from './sources.ts'

type Texts = { [key: string]: string | Texts }

const files = import.meta.glob<Texts>('./*/*.json', { eager: true, import: 'default' })
const code = import.meta.glob<string>(
  ['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}', '!../build/**', '!./**'],
  {
    eager: true,
    import: 'default',
    query: '?raw',
  },
)
const sources = Object.entries(code).map(([file, text]) => ({ file, ...readSource(file, text) }))

function flat(texts: Texts, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  )
}
const stem = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const namespaces = [
  ...new Set(Object.keys(files).map((path) => path.split('/')[2]?.replace('.json', '') ?? '')),
]
const textsOf = (language: 'ru' | 'en', namespace: string) =>
  flat(files[`./${language}/${namespace}.json`] ?? {})

const states = ['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded']
const methods = ['sandbox', 'card', 'yookassa', 'cryptobot', 'crypto', 'referral']
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
const authFaults = ['fillFields', 'invalidEmail', 'passwordsDiffer', 'shortPassword', 'shortUsername']

/** What the programs put in place of each star. A key that nothing here makes is a key that nobody asks for. */
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
  'region.*': ['eur', 'usa', 'jpn', 'aus', 'bra', 'sgp'],
  'place.*': ['countries', 'states', 'cities', 'zipcodes'],
  'connection.*': ['sticky', 'rotating'],
  'security.*': ['fillFields', 'shortPassword'],
  'errors.*': authFaults,
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
}

/** The keys a file asks for, as `namespace:key`. A file without texts of its own names keys for others to ask for. */
function askedBy({ literals, computed: patterns, namespaces: own }: (typeof sources)[number]): string[] {
  const made = [...patterns].flatMap((pattern) =>
    (computed[pattern] ?? []).map((value) => pattern.replace('*', value)),
  )
  const inside = own.size === 0 ? namespaces : [...own]
  return [...literals, ...made].flatMap((key) =>
    key.includes(':') ? [key] : inside.map((namespace) => `${namespace}:${key}`),
  )
}
const asked = new Set(sources.flatMap(askedBy))

/** The same in both languages: names and figures. */
const same = new Set(['0', 'API', 'CSV', 'CryptoBot'])
const names = new Set(['Telegram'])

describe.each(namespaces)('texts of %s', (namespace) => {
  it('are all asked for by some page', () => {
    const idle = textsOf('ru', namespace).filter(([key]) => !asked.has(`${namespace}:${stem(key)}`))
    expect(idle.map(([key]) => key)).toEqual([])
  })

  it('are translated', () => {
    const english = new Map(textsOf('en', namespace))
    const alike = textsOf('ru', namespace).filter(
      ([key, text]) => english.get(key) === text && !same.has(text),
    )
    expect(alike).toEqual([])
  })
})

describe('the pages', () => {
  it('put keys together only in ways that are known here', () => {
    const patterns = new Set(sources.flatMap((source) => [...source.computed]))
    expect([...patterns].filter((pattern) => computed[pattern] === undefined)).toEqual([])
    expect(Object.keys(computed).filter((pattern) => !patterns.has(pattern))).toEqual([])
  })

  it('say nothing but texts', () => {
    const own = sources.flatMap(({ file, spoken }) =>
      spoken.filter((text) => !names.has(text)).map((text) => `${file}: ${text}`),
    )
    expect(own).toEqual([])
  })

  it('have no Russian of their own, but for the name of the language', () => {
    const russian = sources.flatMap(({ file, literals }) =>
      [...literals].filter((text) => /[а-яё]/i.test(text)).map((text) => `${file}: ${text}`),
    )
    expect(russian).toEqual(['../app/language-switch.tsx: RU, русский'])
  })
})

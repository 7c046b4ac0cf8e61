// @vitest-environment node
/** Every text is used and translated, and components contain no text of their own. */
import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/language'
import { defaultSessionMinutes } from '#contract/session-times'
import { computed } from './computed-keys.ts'
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
  'Telegram',
  // Names of payment services.
  'Stripe',
  'Crypto Pay',
  'BTCPay Server',
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

it('the default length of a session is in no text: it is a constant', () => {
  const texts = (['ru', 'en'] as const).flatMap((language) =>
    ['home', 'userPanel', 'docs'].flatMap((namespace) =>
      textsOf(language, namespace).map(([, text]) => text),
    ),
  )
  const length = new RegExp(
    String.raw`\b${defaultSessionMinutes}(?:[  ]?(?:min|мин)| without it)|без него — ${defaultSessionMinutes}`,
  )
  expect(texts.filter((text) => length.test(text))).toEqual([])
})

/** Given to every text. */
const always = new Set(['brand'])
const placeholdersIn = (text: string) =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).filter((name) => !always.has(name))

/** The texts of a key in both languages, by namespace, with all plural forms. */
const variantsOf = (key: string, own: ReadonlySet<string>) => {
  const [first = '', second] = key.split(':')
  const [searched, path] = second === undefined ? [[...own], first] : [[first], second]
  return searched.map((namespace) =>
    (['ru', 'en'] as const).flatMap((language) =>
      textsOf(language, namespace).filter(([each]) => each === path || withoutPlural(each) === path),
    ),
  )
}

it('no text keeps a placeholder: each call gives the values of its text', () => {
  const kept = sources.flatMap(({ file, calls, namespaces: own }) =>
    calls.flatMap(({ key, values }) => {
      const keys = key.includes('*') ? (computed[key] ?? []).map((value) => key.replace('*', value)) : [key]
      return keys.flatMap((each) => {
        const found = variantsOf(each, own).filter((variants) => variants.length > 0)
        const lacks = (variants: (typeof found)[number]) =>
          variants.flatMap(([, text]) => placeholdersIn(text).filter((name) => !values.has(name)))
        const isKept = found.length > 0 && found.every((variants) => lacks(variants).length > 0)
        return isKept ? [`${file}: ${each}: ${[...new Set(found.flatMap(lacks))].join(', ')}`] : []
      })
    }),
  )
  expect(kept).toEqual([])
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

import { describe, expect, it } from 'vitest'

type Texts = { [key: string]: string | Texts }

const files = import.meta.glob<Texts>('./*/*.json', { eager: true, import: 'default' })

/** Every text by its dotted key. */
function flat(texts: Texts, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  )
}

/** A key without its plural ending: the languages have different plural forms. */
const stem = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')
const stems = (texts: Texts) => [...new Set(flat(texts).map(([key]) => stem(key)))].toSorted()
const endings = (texts: Texts, key: string) =>
  flat(texts)
    .filter(([each]) => stem(each) === key && each !== key)
    .map(([each]) => each.slice(key.length + 1))
    .toSorted()
const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].toSorted()

const namespaces = [...new Set(Object.keys(files).map((path) => path.split('/')[2] ?? ''))]
const of = (language: 'ru' | 'en', namespace: string) => files[`./${language}/${namespace}`] ?? {}

/** Latin text in Russian that is right: names, units and addresses. */
const latinOnly = /^[^а-яё]*$/i

describe.each(namespaces)('texts of %s', (namespace) => {
  const ru = of('ru', namespace)
  const en = of('en', namespace)

  it('have the same keys in both languages', () => expect(stems(ru)).toEqual(stems(en)))

  it('have all plural forms of their language', () => {
    const plural = stems(ru).filter((key) => endings(ru, key).length > 0 || endings(en, key).length > 0)
    for (const key of plural) {
      expect([key, endings(ru, key)]).toEqual([key, ['few', 'many', 'one', 'other']])
      expect([key, endings(en, key)]).toEqual([key, ['one', 'other']])
    }
  })

  it('are never empty and have no spaces at their ends', () => {
    for (const [key, text] of [...flat(ru), ...flat(en)]) expect([key, text.trim()]).toEqual([key, text])
    for (const [key, text] of [...flat(ru), ...flat(en)]) expect([key, text]).not.toEqual([key, ''])
  })

  it('take the same values in both languages', () => {
    const english = new Map(flat(en).map(([key, text]) => [stem(key), text]))
    for (const [key, text] of flat(ru)) {
      expect([key, placeholders(text)]).toEqual([key, placeholders(english.get(stem(key)) ?? '')])
    }
  })

  it('contain no Russian in English, and no exclamation marks', () => {
    for (const [key, text] of flat(en)) expect([key, latinOnly.test(text)]).toEqual([key, true])
    for (const [key, text] of [...flat(ru), ...flat(en)])
      expect([key, text]).not.toEqual([key, expect.stringContaining('!')])
  })
})

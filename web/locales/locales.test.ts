import { describe, expect, it } from 'vitest'
import type { Language } from '#contract/language'
import { flatten, type TextTree, withoutPlural } from './flatten.ts'

const files = import.meta.glob<TextTree>('./*/*.json', { eager: true, import: 'default' })

const keysOf = (texts: TextTree) => [...new Set(flatten(texts).map(([key]) => withoutPlural(key)))].toSorted()
const pluralForms = (texts: TextTree, key: string) =>
  flatten(texts)
    .filter(([each]) => withoutPlural(each) === key && each !== key)
    .map(([each]) => each.slice(key.length + 1))
    .toSorted()
const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].toSorted()

const namespaces = [...new Set(Object.keys(files).map((path) => path.split('/')[2] ?? ''))]
const textsOf = (language: Language, namespace: string) => files[`./${language}/${namespace}`] ?? {}

const isLatin = (text: string) => !/[а-яё]/i.test(text)

describe.each(namespaces)('texts of %s', (namespace) => {
  const ru = textsOf('ru', namespace)
  const en = textsOf('en', namespace)

  it('have the same keys in both languages', () => expect(keysOf(ru)).toEqual(keysOf(en)))

  it('have all plural forms of their language', () => {
    const plural = keysOf(ru).filter(
      (key) => pluralForms(ru, key).length > 0 || pluralForms(en, key).length > 0,
    )
    for (const key of plural) {
      expect([key, pluralForms(ru, key)]).toEqual([key, ['few', 'many', 'one', 'other']])
      expect([key, pluralForms(en, key)]).toEqual([key, ['one', 'other']])
    }
  })

  it('are not empty and have no surrounding spaces', () => {
    for (const [key, text] of [...flatten(ru), ...flatten(en)])
      expect([key, text.trim()]).toEqual([key, text])
    for (const [key, text] of [...flatten(ru), ...flatten(en)]) expect([key, text]).not.toEqual([key, ''])
  })

  it('have the same placeholders in both languages', () => {
    const english = new Map(flatten(en).map(([key, text]) => [withoutPlural(key), text]))
    for (const [key, text] of flatten(ru)) {
      expect([key, placeholders(text)]).toEqual([key, placeholders(english.get(withoutPlural(key)) ?? '')])
    }
  })

  it('have no Cyrillic letters in English and no exclamation marks', () => {
    for (const [key, text] of flatten(en)) expect([key, isLatin(text)]).toEqual([key, true])
    for (const [key, text] of [...flatten(ru), ...flatten(en)])
      expect([key, text]).not.toEqual([key, expect.stringContaining('!')])
  })
})

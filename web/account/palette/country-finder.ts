/** Finds countries in words: by code, by name in either language and any case, by the beginning of a name. */
import { countryCodes, countryName, isCountry } from '#contract/countries'
import { languages } from '#contract/language'
import { fillers, otherNames } from './command-words.ts'

interface Word {
  /** In lower case, without accents. */
  word: string
  typed: string
}

interface Found {
  codes: string[]
  unknown: string[]
}

export type CountryFinder = (words: readonly Word[]) => Found

/** In lower case, without accents: «Ё» is «е». */
export const plain = (text: string) => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')

/** The words of a name without those that join them. */
const wordsOf = (name: string) => (plain(name).match(/\p{L}+/gu) ?? []).filter((word) => !fillers.has(word))

/** Without the ending of its case: «германия», «германии» and «германию» are one. */
const stem = (word: string) => {
  const short = word.replace(/[аеиоуыэюя]+$/, '').replace(/ь$/, '')
  return short.length < 3 ? word : short
}

/** The shortest beginning of a name that is understood. */
const shortestStart = 4
const longestName = 7

export function countryFinder(): CountryFinder {
  const exact = new Map<string, string>()
  const stems = new Map<string, Set<string>>()
  const add = (name: string, code: string) => {
    const words = wordsOf(name)
    exact.set(words.join(' '), code)
    const key = words.map(stem).join(' ')
    stems.set(key, (stems.get(key) ?? new Set()).add(code))
  }
  for (const code of countryCodes) for (const language of languages) add(countryName(code, language), code)
  for (const [name, code] of Object.entries(otherNames)) add(name, code)

  const byStart = (start: string) => {
    if (start.length < shortestStart) return undefined
    const codes = new Set([...exact].filter(([name]) => name.startsWith(start)).map(([, code]) => code))
    return codes.size === 1 ? [...codes][0] : undefined
  }
  const named = (words: readonly string[]) => {
    const joined = words.join(' ')
    const bare = stems.get(words.map(stem).join(' '))
    return exact.get(joined) ?? (bare?.size === 1 ? [...bare][0] : undefined) ?? byStart(joined)
  }
  /** A code that is also a word of a sentence (`in`, `at`) is meant as a code in capital letters only. */
  const coded = ({ word, typed }: Word) =>
    word.length === 2 && isCountry(word) && (!fillers.has(word) || typed === typed.toUpperCase())
      ? word
      : undefined
  const read = (words: readonly Word[]) => {
    const [first] = words
    const name = named(words.map(({ word }) => word))
    return words.length === 1 && first !== undefined ? (coded(first) ?? name) : name
  }

  return (words) => {
    const codes = new Set<string>()
    const unknown: string[] = []
    const rest = words.filter((each) => !fillers.has(each.word) || coded(each) !== undefined)
    for (let index = 0; index < rest.length;) {
      let length = Math.min(longestName, rest.length - index)
      while (length > 0 && read(rest.slice(index, index + length)) === undefined) length--
      const code = read(rest.slice(index, index + length))
      if (code === undefined) unknown.push(rest[index]?.word ?? '')
      else codes.add(code)
      index += Math.max(1, length)
    }
    return { codes: [...codes], unknown }
  }
}

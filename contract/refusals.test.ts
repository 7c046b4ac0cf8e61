import { expect, it } from 'vitest'
import { sentence } from './refusals.ts'

it.each([
  [400, 'en', '400 B can'],
  [400, 'ru', 'доступно 400 Б.'],
  [1_500_000, 'en', '1.50 MB can'],
  [3_000_000_000, 'ru', 'доступно 3,00 ГБ.'],
] as const)('a sentence writes %i bytes for people, in %s', (free, language, written) => {
  expect(sentence('reserve_not_covered', language, { free })).toContain(written)
})

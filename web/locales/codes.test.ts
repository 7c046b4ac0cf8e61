// @vitest-environment node
import { expect, it } from 'vitest'
import { proxyCodes } from '#contract/refusals/proxy'
import en from './en/proxyCodes.json'
import ru from './ru/proxyCodes.json'

it.each([
  ['en', en.codes],
  ['ru', ru.codes],
])('every code of the gateway, and nothing else, has one text in %s', (_language, codes) => {
  expect(Object.keys(codes).toSorted()).toEqual([...proxyCodes].toSorted())
  for (const [code, text] of Object.entries(codes)) expect(text, code).toMatch(/^\S[^]{10,}\.$/u)
})

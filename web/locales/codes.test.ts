// @vitest-environment node
import { expect, it } from 'vitest'
import { proxyCodes } from '#contract/gateway/refusals'
import en from './en/gatewayRefusals.json'
import ru from './ru/gatewayRefusals.json'

it.each([
  ['en', en],
  ['ru', ru],
])(
  'every code of the gateway, and nothing else, has one name and one advice in %s',
  (_language, { names, advice }) => {
    expect(Object.keys(names).toSorted()).toEqual([...proxyCodes].toSorted())
    expect(Object.keys(advice).toSorted()).toEqual([...proxyCodes].toSorted())
    for (const [code, text] of Object.entries(advice)) expect(text, code).toMatch(/^\S[^]{10,}\.$/u)
  },
)

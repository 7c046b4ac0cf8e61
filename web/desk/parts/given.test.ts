import { expect, it } from 'vitest'
import { given } from './given.ts'

it('the filters of a list are the named parameters of its address that are set', () => {
  const address = new URLSearchParams('state=paid&pool=&page=2&state=open&__proto__=x')
  expect(given(address, ['state', 'pool', 'method'])).toEqual({ state: 'paid' })
  expect(given(address, [])).toEqual({})
})

import { expect, it } from 'vitest'
import { contract } from '#contract/contract'
import { secretsHidden } from './secrets.ts'

it('a field is hidden by its type, not by its name', () => {
  const hide = secretsHidden('viewer')
  expect(hide({ token: 'x' }, undefined, contract.my_teams.output)).toEqual({ token: 'x' })
})

import { expect, it } from 'vitest'
import { filtersOf } from './filters.ts'

it('the filter accepts dollars and GB as typed, and the account number of an inviter', () => {
  const search = new URLSearchParams({
    state: 'active',
    spent_from: '12,50',
    spent_to: '0',
    balance_from: '1.5',
    inviter: '#7',
    campaign: 'spring',
  })
  expect(filtersOf(search)).toEqual({
    state: 'active',
    campaign: 'spring',
    spent_from: '12500000',
    spent_to: '0',
    balance_from: '1500000000',
    inviter: '7',
  })
})

it('the filter omits values that are not numbers', () => {
  expect(filtersOf(new URLSearchParams({ spent_from: 'much', balance_to: '-1', inviter: 'ann' }))).toEqual({})
})

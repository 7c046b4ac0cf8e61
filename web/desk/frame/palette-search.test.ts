import { describe, expect, it } from 'vitest'
import { actsOn, addressOfHit, textWithoutAct } from './palette-search.ts'

describe('the search for everything', () => {
  it.each([
    ['customer', '7', '/customers/7'],
    ['invoice', 'INV/1', '/invoices/INV%2F1'],
    ['connection', 'c0ffee', '/connections?request_id=c0ffee'],
    ['exit', '3', '/exits?exit=3'],
    ['promo_code', '4', '/promo-codes?text=a%26b'],
  ] as const)('opens a %s at its page', (kind, id, address) =>
    expect(addressOfHit({ kind, id, title: 'a&b', by: 'id' })).toBe(address),
  )
})

const names = {
  give: 'Give traffic',
  block: 'Block',
  unblock: 'Unblock',
  refund: 'Refund',
  resetAccess: 'Reset access',
}
const nameOf = (act: keyof typeof names) => names[act]
const hit = { kind: 'customer', id: '49', title: 'ivan', by: 'name' } as const

it('the palette searches for the person behind an act, and offers the act on who was found', () => {
  expect(textWithoutAct('block ivan', nameOf)).toBe('ivan')
  expect(textWithoutAct('bl ivan', nameOf)).toBe('bl ivan')
  expect(textWithoutAct('block', nameOf)).toBe('block')
  const all = () => true
  expect(actsOn([hit], 'Refund ivan', all, nameOf)).toEqual([
    { key: 'refund-49', title: 'Refund: ivan', note: '#49', to: '/customers/49?tab=invoices' },
  ])
  expect(actsOn([hit], 'ivan', all, nameOf)).toEqual([])
  expect(actsOn([hit], 'block ivan', (name) => name !== 'block_customer', nameOf)).toEqual([])
})

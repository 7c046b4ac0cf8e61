import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalIpv4 } from './ipv4.ts'

const number = fc.nat(255)
const padded = (value: number) =>
  fc.constantFrom(String(value), String(value).padStart(2, '0'), String(value).padStart(3, '0'))

it('every spelling of an address has the same canonical one', () => {
  const written = fc
    .tuple(number, number, number, number)
    .chain((numbers) => fc.tuple(fc.constant(numbers), fc.tuple(...numbers.map(padded))))
  fc.assert(
    fc.property(written, ([numbers, parts]) => {
      const address = canonicalIpv4(parts.join('.'))
      expect(address).toBe(numbers.join('.'))
      expect(canonicalIpv4(address ?? '')).toBe(address)
    }),
  )
})

it.each([
  '',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.256',
  '1.2.3.999',
  '1.2.3.0004',
  '1.2.3.',
  '.1.2.3',
  '1..2.3',
  '1.2.3.-4',
  '1.2.3.+4',
  '1.2.3.4 ',
  ' 1.2.3.4',
  '1.2.3.4\n',
  '1.2.3.4/32',
  '1.2.3.4:80',
  '0x1.2.3.4',
  '1,2,3,4',
  '１.2.3.4',
  '::1',
  '::ffff:1.2.3.4',
  'localhost',
  '3232235777',
])('%j is not an address', (text) => {
  expect(canonicalIpv4(text)).toBeNull()
})

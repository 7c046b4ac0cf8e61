import { expect, it } from 'vitest'
import { ipv4Of } from './address.ts'

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', null],
  ['::1', null],
])('the IPv4 address of the client %s is %s', (clientAddress, address) =>
  expect(ipv4Of(clientAddress)).toBe(address),
)

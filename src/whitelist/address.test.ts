import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseIp } from '#lib/ip'
import { isGlobalUnicast, isGlobalUnicastOrLoopback, listableAddress } from './address.ts'

const number = fc.nat(255)

it.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.1.2.3',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
])('the whitelist refuses %s in every spelling, as it is not a global unicast address', (address) => {
  const padded = address
    .split('.')
    .map((part) => part.padStart(3, '0'))
    .join('.')
  for (const text of [address, padded]) expect(listableAddress(text, isGlobalUnicast)).toBeNull()
})

it('the whitelist accepts a public address, in its canonical spelling', () => {
  expect(listableAddress('008.008.04.4', isGlobalUnicast)).toBe('8.8.4.4')
  expect(listableAddress('100.63.255.255', isGlobalUnicast)).toBe('100.63.255.255')
  expect(listableAddress('8.8.4', isGlobalUnicast)).toBeNull()
})

it('the whitelist accepts in a demo also addresses of this machine, and nothing else', () => {
  const address = fc.tuple(number, number, number, number).map((numbers) => numbers.join('.'))
  fc.assert(
    fc.property(address, (text) => {
      const ip = parseIp(text)
      const isListed = ip !== null && isGlobalUnicast(ip)
      const isListedInDemo = listableAddress(text, isGlobalUnicastOrLoopback) !== null
      expect(isListedInDemo).toBe(isListed || text.startsWith('127.'))
    }),
    { examples: [['127.0.0.1'], ['126.255.255.255'], ['128.0.0.0'], ['10.0.0.1'], ['0.0.0.0']] },
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PayoutNetwork, payoutNetworks } from '#contract/referral/payout'
import { isWallet } from './payout.address.ts'

/** From the documents of the networks: BIP 173, BIP 350, TON's and TRON's own, well-known contracts. */
const good: Record<PayoutNetwork, readonly string[]> = {
  usdt_trc20: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  usdt_ton: [
    'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
    'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p',
  ],
  btc: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
  ltc: ['LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
}

describe.each(payoutNetworks)('an address of %s', (network) => {
  it('is accepted, and addresses of other networks are not', () => {
    for (const other of payoutNetworks)
      for (const address of good[other]) expect(isWallet(network, address), address).toBe(network === other)
  })

  it('is invalid with one character changed, added or missing', () => {
    const [address = ''] = good[network]
    const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    fc.assert(
      fc.property(fc.nat(address.length - 1), fc.constantFrom(...letters), (index, letter) => {
        const other = address.slice(0, index) + letter + address.slice(index + 1)
        expect(isWallet(network, other)).toBe(other === address)
        expect(isWallet(network, address.slice(0, index) + letter + address.slice(index))).toBe(false)
        expect(isWallet(network, address.slice(0, index) + address.slice(index + 1))).toBe(false)
      }),
    )
  })

  it('is no arbitrary text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 100 }), (text) => !isWallet(network, text)))
  })
})

it('an address is invalid with the checksum of another SegWit version', () => {
  // BIP 350: version 1 with the checksum of version 0; version 0 with that of version 1; a program of 16
  // bytes; mixed case.
  for (const address of [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KEMEAWH',
    'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4',
  ])
    expect(isWallet('btc', address), address).toBe(false)
})

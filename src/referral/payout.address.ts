/**
 * Wallet addresses: format and checksum by network, so that a typing error does not lose money.
 */
import { createHash } from 'node:crypto'
import type { PayoutNetwork } from '#contract/referral/payout'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The payload of a Base58Check text (four checksum bytes of a double SHA-256); null: invalid. */
function base58check(text: string): Uint8Array | null {
  let value = 0n
  for (const character of text) {
    const digit = base58.indexOf(character)
    if (digit === -1) return null
    value = value * 58n + BigInt(digit)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = value === 0n ? '' : value.toString(16)
  const bytes = Buffer.concat([
    Buffer.alloc(zeros),
    Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'),
  ])
  if (bytes.length < 5) return null
  const payload = bytes.subarray(0, -4)
  return sha256(sha256(payload)).subarray(0, 4).equals(bytes.subarray(-4)) ? payload : null
}

/** Whether it is 20 bytes behind one of these version bytes. */
function isHash(text: string, versions: readonly number[]): boolean {
  const payload = base58check(text)
  return payload?.length === 21 && versions.includes(payload[0] ?? -1)
}

const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]

function polymod(values: readonly number[]): number {
  let check = 1
  for (const value of values) {
    const top = check >>> 25
    check = ((check & 0x1ffffff) << 5) ^ value
    for (const [bit, generator] of generators.entries()) if ((top >>> bit) & 1) check ^= generator
  }
  return check >>> 0
}

/**
 * The number of bytes in groups of five bits; null: the padding is not fewer than five zero bits.
 */
function bytesIn(groups: readonly number[]): number | null {
  const rest = (groups.length * 5) % 8
  const last = groups.at(-1) ?? 0
  return rest > 4 || (last & ((1 << rest) - 1)) !== 0 ? null : Math.floor((groups.length * 5) / 8)
}

/** A SegWit address (BIP 173, BIP 350) with this prefix: version 0 with 20 or 32 bytes, version 1 with 32. */
function isSegwit(address: string, prefix: string): boolean {
  if (address !== address.toLowerCase() && address !== address.toUpperCase()) return false
  const text = address.toLowerCase()
  if (!text.startsWith(`${prefix}1`) || text.length > 90) return false
  const data = Array.from(text.slice(prefix.length + 1), (character) => bech32.indexOf(character))
  if (data.length < 8 || data.includes(-1)) return false
  const codes = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  const check = polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data])
  const version = data[0] ?? -1
  const size = bytesIn(data.slice(1, -6))
  if (version === 0) return check === 1 && (size === 20 || size === 32)
  return version === 1 && check === 0x2bc830a3 && size === 32
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}

/**
 * A user-friendly address of TON: flags, workchain, 32 bytes, CRC. Addresses of the test network are invalid.
 */
function isTon(text: string): boolean {
  if (!/^[\w+/-]{48}$/.test(text)) return false
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== 36 || ![0x11, 0x51].includes(bytes[0] ?? 0)) return false
  return [0, 0xff].includes(bytes[1] ?? 1) && crc16(bytes.subarray(0, 34)) === bytes.readUInt16BE(34)
}

const rules: Readonly<Record<PayoutNetwork, (address: string) => boolean>> = {
  usdt_trc20: (address) => isHash(address, [0x41]),
  usdt_ton: isTon,
  btc: (address) => isHash(address, [0x00, 0x05]) || isSegwit(address, 'bc'),
  // 0x05 is Litecoin's old number for M… addresses, and Bitcoin's for its own: not taken.
  ltc: (address) => isHash(address, [0x30, 0x32]) || isSegwit(address, 'ltc'),
}

/** Whether an address is valid for the network, including its checksum. */
export function isWallet(network: PayoutNetwork, address: string): boolean {
  return rules[network](address)
}

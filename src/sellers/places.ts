/** The seller's places as a file for the inventory. Pure. */
import { createHash } from 'node:crypto'
import { countryCodes } from '#contract/countries'
import type { SellerPlace } from './adapters/adapter.ts'

export interface PlaceList {
  csv: string
  sha256: Buffer
  rows: bigint
  addresses: bigint
}

/** By this name staff say which list they have seen. */
export const nameOfList = (sha256: Buffer): string => sha256.toString('hex')

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const longestName = 60

/**
 * A name as the inventory accepts it; null: the inventory would refuse it, so the place counts towards the
 * enclosing place.
 */
function nameOf(text: string | null): string | null {
  const plain = (text ?? '').replaceAll(/[\p{Cc}\u{fffd}]/gu, ' ').trim()
  return /[a-z0-9]/i.test(plain.normalize('NFKD')) && plain.length <= longestName ? plain : null
}

const mostAddresses = 4_294_967_296
const known = new Set(countryCodes)

/**
 * The list in a stable order, each place once. Places without addresses are left out; those of sellers that
 * give no numbers count as one address, so that they are offered behind all others
 * (docs/decisions/0029-sellers-accounts.md).
 */
export function listOf(places: readonly SellerPlace[]): PlaceList {
  const counts = new Map<string, number>()
  for (const { pool, country, state, city, zip, asn, count } of places) {
    if (!known.has(country) || count === 0) continue
    const stateName = nameOf(state)
    // Without the name of its state, the city could be confused with another one.
    const cityName = state !== null && stateName === null ? null : nameOf(city)
    const code = zip !== null && /^[A-Za-z0-9 -]{1,16}$/.test(zip) ? zip : ''
    const key = [pool, country, stateName ?? '', cityName ?? '', code, asn === null ? '' : String(asn)]
      .map(quoted)
      .join(',')
    counts.set(key, Math.min((counts.get(key) ?? 0) + (count ?? 1), mostAddresses))
  }
  const lines = [...counts].map(([key, count]) => `${key},${count}`).toSorted()
  const csv = ['pool,country,state,city,zip,asn,count', ...lines, ''].join('\n')
  return {
    csv,
    sha256: createHash('sha256').update(csv).digest(),
    rows: BigInt(lines.length),
    addresses: [...counts.values()].reduce((sum, count) => sum + BigInt(count), 0n),
  }
}

/**
 * Whether a list has shrunk to half or less, by its places or by their addresses: then staff must confirm it
 * before it replaces the current list.
 */
export const hasShrunk = (
  before: Pick<PlaceList, 'rows' | 'addresses'>,
  now: Pick<PlaceList, 'rows' | 'addresses'>,
): boolean => now.rows * 2n <= before.rows || now.addresses * 2n <= before.addresses

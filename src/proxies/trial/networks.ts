/**
 * Which autonomous system announces an address, and in which country it is registered, by the tables of two
 * packages (docs/ATTRIBUTION.md): per family a CSV file of sorted ranges that do not overlap, `first,last,AS
 * number,name` or `first,last,country`, the addresses as numbers.
 *
 * The files are searched on disk, with about a dozen block reads per lookup: there are a few lookups a
 * minute, and loading the files would take a hundred megabytes.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parse } from 'csv-parse/sync'
import { embeddedIpv4, isPublic, parseIp } from '#lib/ip'

export interface AutonomousSystem {
  asn: number
  name: string
}

const require = createRequire(import.meta.url)
const tables = {
  asn: {
    4: require.resolve('@ip-location-db/asn/asn-ipv4-num.csv'),
    6: require.resolve('@ip-location-db/asn/asn-ipv6-num.csv'),
  },
  country: {
    4: require.resolve('@ip-location-db/geo-whois-asn-country/geo-whois-asn-country-ipv4-num.csv'),
    6: require.resolve('@ip-location-db/geo-whois-asn-country/geo-whois-asn-country-ipv6-num.csv'),
  },
} as const

/**
 * Longer than any two lines of the files, so that each block holds the beginning of a line and the rest of
 * it.
 */
const blockBytes = 4096

/**
 * The autonomous system of a public address; null: the address is not public, or no system is known to
 * announce it.
 */
export async function autonomousSystemOf(address: string): Promise<AutonomousSystem | null> {
  const [asn, name = ''] = (await rangeOf('asn', address)) ?? []
  return asn === undefined ? null : { asn: Number(asn), name }
}

/**
 * The country in which a public address is registered, in lower case: what the registries say, not what the
 * exit's seller does. Null as above.
 */
export async function registeredCountryOf(address: string): Promise<string | null> {
  const [country = ''] = (await rangeOf('country', address)) ?? []
  return /^[A-Z]{2}$/.test(country) && country !== 'ZZ' ? country.toLowerCase() : null
}

/** What a table says about the range of an address. */
async function rangeOf(table: keyof typeof tables, address: string): Promise<string[] | null> {
  const parsed = parseIp(address)
  if (parsed === null) return null
  const ip = embeddedIpv4(parsed) ?? parsed
  if (!isPublic(ip)) return null
  const file = await open(tables[table][ip.family])
  try {
    return await search(file, ip.value)
  } finally {
    await file.close()
  }
}

/** Finds the last range that begins at or before the value, by bisection of the file's blocks. */
async function search(file: FileHandle, value: bigint): Promise<string[] | null> {
  const { size } = await file.stat()
  let low = 0
  let high = Math.ceil(size / blockBytes)
  let found: string | undefined
  while (low < high) {
    const middle = (low + high) >> 1
    const lines = await linesFrom(file, middle * blockBytes)
    const [first] = lines
    if (first === undefined || firstOf(first) > value) high = middle
    else {
      found = lines.findLast((line) => firstOf(line) <= value)
      low = middle + 1
    }
  }
  if (found === undefined) return null
  const [[, last = '', ...told] = []] = parse(found) as string[][]
  return BigInt(last) < value ? null : told
}

const firstOf = (line: string) => BigInt(line.slice(0, line.indexOf(',')))

/** The whole lines that begin within the block, the last of which may end after it. */
async function linesFrom(file: FileHandle, at: number): Promise<string[]> {
  // One byte before the block tells whether a line begins with it.
  const from = Math.max(0, at - 1)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2 * blockBytes), 0, 2 * blockBytes, from)
  const bytes = buffer.subarray(0, bytesRead)
  const begin = at === 0 ? 0 : bytes.indexOf('\n') + 1
  const end = bytes.indexOf('\n', Math.min(bytes.length - 1, blockBytes + at - from - 1))
  const text = bytes.subarray(begin, end === -1 ? bytes.length : end).toString('utf8')
  return text.split('\n').filter((line) => line !== '')
}

import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'csv-parse/sync'
import { type Ip, formatIp, isPublic } from '#lib/ip'
import { autonomousSystemOf, registeredCountryOf } from './networks.ts'

const require = createRequire(import.meta.url)

interface Range {
  first: bigint
  last: bigint
  text: string
}

/** The whole table of a family, as a plain reading of its file gives it. */
async function rangesOf(family: 4 | 6): Promise<Range[]> {
  const ranges: Range[] = []
  const input = createReadStream(require.resolve(`@ip-location-db/asn/asn-ipv${family}-num.csv`))
  for await (const text of createInterface({ input })) {
    const [first = '', last = ''] = text.split(',', 2)
    ranges.push({ first: BigInt(first), last: BigInt(last), text })
  }
  return ranges
}

it.each([4, 6] as const)(
  'the table finds the same network as a scan of the whole table of IPv%i',
  async (family) => {
    const ranges = await rangesOf(family)
    expect(ranges.length).toBeGreaterThan(100_000)
    const at = (value: bigint) => formatIp({ family, value } satisfies Ip)
    const expected = (value: bigint) => {
      const range = ranges.find(({ first, last }) => first <= value && value <= last)
      if (range === undefined || !isPublic({ family, value })) return null
      const [[, , asn = '', name = ''] = []] = parse(range.text) as string[][]
      return { asn: Number(asn), name }
    }
    const edges = [ranges[0], ranges.at(-1)].flatMap((range) =>
      range === undefined ? [] : [range.first - 1n, range.first, range.last, range.last + 1n],
    )
    for (const value of edges) expect(await autonomousSystemOf(at(value))).toEqual(expected(value))
    await fc.assert(
      fc.asyncProperty(fc.nat(ranges.length - 1), fc.integer({ min: -1, max: 1 }), async (index, step) => {
        for (const edge of [ranges[index]?.first ?? 0n, ranges[index]?.last ?? 0n]) {
          const value = edge + BigInt(step)
          expect(await autonomousSystemOf(at(value))).toEqual(expected(value))
        }
      }),
      { numRuns: 200 },
    )
  },
)

it('the table knows none for an address that is not public, and for a text that is no address', async () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '192.168.1.1', '203.0.113.80', '::1', 'fd00::1', '', 'x'])
    expect(await autonomousSystemOf(address)).toBeNull()
})

it('the table finds a mapped address by the IPv4 address in it', async () => {
  const plain = await autonomousSystemOf('1.1.1.1')
  expect(plain?.asn).toBe(13335)
  expect(await autonomousSystemOf('::ffff:1.1.1.1')).toEqual(plain)
})

it('the table returns the country in which an address is registered, whatever its exit claims', async () => {
  const input = createReadStream(
    require.resolve('@ip-location-db/geo-whois-asn-country/geo-whois-asn-country-ipv4-num.csv'),
  )
  const lines: string[] = []
  for await (const text of createInterface({ input })) if (lines.push(text) === 3000) break
  for (const text of lines.filter((_, index) => index % 100 === 0)) {
    const [first = '', last = '', country = ''] = text.split(',')
    for (const edge of [first, last])
      expect(await registeredCountryOf(formatIp({ family: 4, value: BigInt(edge) }))).toBe(
        country.toLowerCase(),
      )
  }
  expect(await registeredCountryOf('2001:4860:4860::8888')).toBe('us')
  for (const address of ['127.0.0.1', '203.0.113.80', 'x'])
    expect(await registeredCountryOf(address)).toBeNull()
})

/** One suite for all adapters, each against a fake server that speaks its seller's API. */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeSeller, sellerCases } from '#test/sellers/fakes'
import { SellerClient, SellerFault } from './client.ts'
import { findSeller, sellerAdapters } from './adapters.ts'
import { bytesIn, dayOf } from './units.ts'

const today = '2026-11-20'
const days = ['2026-11-18', '2026-11-19', today]
const gb = 1_000_000_000n

describe('amounts', () => {
  it('are exact bytes of the decimal that was written, in any unit', () => {
    const units = fc.constantFrom(1n, 1000n, 1_000_000n, gb, 2n ** 20n, 2n ** 30n)
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 15n),
        fc.integer({ min: 0, max: 9 }),
        units,
        (digits, places, unit) => {
          const text = String(digits).padStart(places + 1, '0')
          const written = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
          const bytes = bytesIn(written, unit) ?? -1n
          // In units of 1 / (2 * 10^places) of a byte: rounded half up, so within half a byte.
          const away = 2n * (bytes * 10n ** BigInt(places) - digits * unit)
          expect(away > -(10n ** BigInt(places)) && away <= 10n ** BigInt(places)).toBe(true)
          // A number that JSON has parsed reads the same while it has the digits.
          if (digits < 10n ** 15n) expect(bytesIn(Number(written), unit)).toBe(bytes)
        },
      ),
    )
  })

  it.each([
    [32.6, gb, 32_600_000_000n],
    ['12.01', 2n ** 30n, 12_895_639_306n],
    [1e21, 1n, 10n ** 21n],
    [1e-7, gb, 100n],
    [-1.5, gb, -1_500_000_000n],
    ['', 1n, null],
    ['12 GB', 1n, null],
    ['0x10', 1n, null],
    [Number.NaN, 1n, null],
  ])('%s of %s bytes are %s', (amount, unit, bytes) => {
    expect(bytesIn(amount, unit)).toBe(bytes)
  })

  it('belong to the UTC day of their time', () => {
    expect(dayOf('2026-11-19T20:00:00-07:00')).toBe('2026-11-20')
    expect(dayOf('2026-11-20 00:00')).toBe('2026-11-20')
    expect(dayOf('2026-11-20')).toBe('2026-11-20')
    expect([dayOf('yesterday'), dayOf(''), dayOf('2026-13-40')]).toEqual([null, null, null])
  })
})

it('every seller has a fake', () => {
  expect(sellerCases.map(({ name }) => name)).toEqual(sellerAdapters.map(({ name }) => name))
})

describe.each(sellerCases)('$name', (known) => {
  const found = findSeller(known.name)
  if (found === undefined) throw new Error(`no seller ${known.name}`)
  const adapter = found
  const fresh = () => ({
    today,
    leftBytes: 300n * known.unit * 1024n,
    usage: new Map(days.map((day, index) => [day, BigInt(index + 1) * 500n * known.unit])),
    countries: { US: 120, DE: 7 },
  })
  const fake = new FakeSeller(known.answers, fresh())
  beforeAll(() => fake.start())
  afterAll(() => fake.stop())
  beforeEach(() => {
    fake.account = fresh()
    fake.before = null
    fake.calm()
    fake.requests.length = 0
  })

  const clientWith = (credentials = known.credentials, timeoutMs = 10_000) =>
    new SellerClient({
      base: fake.url,
      credentials,
      hidden: adapter.fields.filter(({ isSecret }) => isSecret).map(({ key }) => credentials[key] ?? ''),
      timeoutMs,
      paceMs: 0,
    })
  const asking = (client = clientWith()) => ({ client, pools: [known.pool], from: '2026-11-14', to: today })
  const faultOf = async (work: Promise<unknown>): Promise<SellerFault> => {
    const error: unknown = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof SellerFault)) throw new Error(`no fault of a seller: ${String(error)}`)
    return error
  }

  it('reports the all-time usage where its daily usage is the difference of that', async () => {
    const { usedBytes } = await adapter.balance(asking())
    expect(typeof usedBytes).toBe(adapter.meter === 'used' ? 'bigint' : 'undefined')
    // A seller that reports whole days needs no differences.
    if (adapter.usage !== null && adapter.tellsTodayOnly !== true) expect(adapter.meter).toBeUndefined()
    else expect(adapter.meter).toBeDefined()
  })

  it('reports the remaining traffic, to the byte', async () => {
    expect(await adapter.balance(asking())).toMatchObject({
      leftBytes: fake.account.leftBytes,
      leftMicros: null,
    })
    fake.account.leftBytes = 0n
    expect((await adapter.balance(asking())).leftBytes).toBe(0n)
  })

  it('reports the usage of each UTC day, or does not offer it', async () => {
    if (known.usage === null) return expect(adapter.usage).toBeNull()
    const told = await adapter.usage?.(asking())
    const expected = [...fake.account.usage].filter(([day]) => known.usage === 'days' || day === today)
    expect(Object.fromEntries(told ?? [])).toEqual(Object.fromEntries(expected))
    fake.account.usage.clear()
    const none = await adapter.usage?.(asking())
    expect([...(none ?? [])].filter(([, bytes]) => bytes !== 0n)).toEqual([])
  })

  it('lists its places, or does not offer them', async () => {
    if (known.places === null) return expect(adapter.places).toBeNull()
    const place = { pool: known.pool, state: null, city: null, zip: null, asn: null }
    const count = (number: number) => (known.places === 'counted' ? number : null)
    const told = (await adapter.places?.(asking())) ?? []
    expect(told.toSorted((a, b) => a.country.localeCompare(b.country))).toEqual([
      { ...place, country: 'de', count: count(7) },
      { ...place, country: 'us', count: count(120) },
    ])
  })

  it('refuses wrong credentials, which appear in no message and no stored answer', async () => {
    const secret = 'a-wrong-secret-of-tests'
    const secrets = adapter.fields.filter(({ isSecret }) => isSecret).map(({ key }) => [key, secret])
    const client = clientWith({ ...known.credentials, ...Object.fromEntries(secrets) })
    fake.before = ({ path, headers }) =>
      // A seller that repeats the key in its refusal.
      known.name === 'proxy_seller'
        ? null
        : { status: 403, body: { message: `wrong key ${secret}`, path, headers } }
    const fault = await faultOf(adapter.balance(asking(client)))
    expect(fault.kind).toBe('refused')
    expect(fault.message).not.toContain(secret)
    expect(client.answers.join()).not.toContain(secret)
  })

  it('stores its answers verbatim, without passwords', async () => {
    const client = clientWith()
    await adapter.balance(asking(client))
    await adapter.usage?.(asking(client))
    await adapter.places?.(asking(client))
    expect(client.answers.length).toBeGreaterThan(0)
    const kept = client.answers.join('\n')
    for (const secret of [
      'the-secret-of-tests',
      'proxy-password',
      'of-the-proxies',
      'key-of-the-proxy',
      'p4050',
      'jwt-of-tests',
    ])
      expect(kept).not.toContain(secret)
  })

  it('has distinct faults for busy, failing, HTML, unexpected and redirecting answers', async () => {
    fake.before = () => ({ status: 429, headers: { 'retry-after': '120' }, body: {} })
    expect(await faultOf(adapter.balance(asking()))).toMatchObject({ kind: 'busy', retryAfterMs: 120_000 })
    fake.before = () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: {} })
    expect((await faultOf(adapter.balance(asking()))).kind).toBe('unreachable')
    fake.before = () => ({ body: { unexpected: true } })
    expect((await faultOf(adapter.balance(asking()))).kind).toBe('malformed')
    fake.before = null
    fake.trouble(503)
    expect((await faultOf(adapter.balance(asking()))).kind).toBe('unreachable')
    fake.trouble('malformed')
    expect((await faultOf(adapter.balance(asking()))).kind).toBe('malformed')
  })

  it('times out when it does not answer', async () => {
    fake.trouble('lost')
    const fault = await faultOf(adapter.balance(asking(clientWith(known.credentials, 50))))
    expect(fault).toMatchObject({ kind: 'unreachable' })
    expect(fault.message).toContain('no answer in 50 ms')
  })
})

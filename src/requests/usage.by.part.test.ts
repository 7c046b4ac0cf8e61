import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import type { ConnectionRecord } from '#feed/connection.record'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { testDatabase } from '#test/database'
import { newAccess } from '#test/people'
import { sized } from '#test/size'
import {
  daysOfPart,
  otherKeys,
  setWithholdsHosts,
  type UsagePart,
  usageOfPart,
  withholdsHosts,
} from './requests.ts'

const now = new Date('2026-11-20T12:00:00Z')
const day = '2026-11-20'
let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const customer = async () => {
  const who = await newAccess(db, 'residential')
  const keep = (...records: Partial<ConnectionRecord>[]) =>
    keepConnections(
      db,
      records.map((rest) => connectionOf(who, now, rest)),
      now,
    )
  const by = async (part: UsagePart, most = 200) =>
    (await usageOfPart(db, { accountId: who.accountId, part, from: day, to: day, most })).map(
      ({ key, chargedBytes, connections, refused }) => [key, chargedBytes, connections, refused],
    )
  return { ...who, keep, by }
}

describe('the sums of a customer’s records', () => {
  it('are by host, countries and outcome, each with the same total', async () => {
    const who = await customer()
    await who.keep(
      { target: 'Example.com:443', settings: 'cc-de-sid-cc-ttl-30', country: 'at' },
      { target: 'example.com.:80', settings: 'st-us_ca', country: 'us' },
      { target: '[2001:db8::1]:443', settings: null, country: null },
      { target: 'example.com:443', settings: 'cc-us.de', ...refusedWith('exit_failed'), country: null },
    )
    expect(await who.by('host')).toEqual([
      ['example.com', 2000n, 3n, 1n],
      ['2001:db8::1', 1000n, 1n, 0n],
    ])
    expect(await who.by('country')).toEqual([
      ['', 1000n, 1n, 0n],
      ['de', 1000n, 1n, 0n],
      ['us', 1000n, 1n, 0n],
      ['us.de', 0n, 1n, 1n],
    ])
    expect(await who.by('exit_country')).toEqual([
      ['', 1000n, 2n, 1n],
      ['at', 1000n, 1n, 0n],
      ['us', 1000n, 1n, 0n],
    ])
    expect(await who.by('code')).toEqual([
      ['done', 3000n, 3n, 0n],
      ['exit_failed', 0n, 1n, 1n],
    ])
    expect(
      await daysOfPart(db, {
        accountId: who.accountId,
        part: 'host',
        keys: ['example.com'],
        from: day,
        to: day,
      }),
    ).toEqual([{ key: day, connections: 3n, refused: 1n, chargedBytes: 2000n }])
  })

  it('have a bounded number of hosts, the largest, and lose no byte', async () => {
    const who = await customer()
    let total = 0n
    for (let batch = 0; batch < 4; batch++) {
      const records = Array.from({ length: 900 }, (_, index) => {
        const bytes = BigInt(index === 0 ? 1_000_000 : index)
        total += bytes
        const host = index === 0 ? 'large' : `h${batch}-${index}`
        return {
          target: `${host}.example:443`,
          up_bytes: 0n,
          charged_up_bytes: 0n,
          charged_down_bytes: bytes,
        }
      })
      await who.keep(...records)
    }
    const { rows } = await database.pool.query<{ count: bigint }>(
      `select count(*) as count from usage_part_day where account_id = ${who.accountId} and part = 'host'`,
    )
    expect(rows[0]?.count).toBeLessThanOrEqual(2000n)
    const hosts = await who.by('host', 5000)
    expect(hosts[0]?.slice(0, 2)).toEqual(['large.example', 4_000_000n])
    expect(hosts.at(-1)?.[0]).toBe(otherKeys)
    expect(hosts.reduce((sum, [, bytes]) => sum + BigInt(bytes ?? 0), 0n)).toBe(total)
    const told = await who.by('host', 10)
    expect(told).toHaveLength(11)
    expect(told.reduce((sum, [, bytes]) => sum + BigInt(bytes ?? 0), 0n)).toBe(total)
  })

  it('accept any host that a client can write', async () => {
    const who = await customer()
    const hostsKept = sized(8, 25)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 255 }), async (host) => {
        await who.keep({ target: `${host}:443` })
      }),
      { numRuns: hostsKept },
    )
    const hosts = await who.by('host')
    expect(hosts.reduce((sum, [, , connections]) => sum + BigInt(connections ?? 0), 0n)).toBe(
      BigInt(hostsKept),
    )
    for (const [key] of hosts) expect(String(key)).toMatch(/^[\x20-\x7e]{0,300}$/)
  })
})

describe('a customer who wants that no hosts are kept', () => {
  it('has no hosts in any table, whatever a gateway reports', async () => {
    const who = await customer()
    await setWithholdsHosts(db, who.accountId, true)
    expect(await withholdsHosts(db, who.accountId)).toBe(true)
    const word = 'secret-host.example is closed'
    await who.keep(
      { target: 'secret-host.example:443' },
      { target: 'secret-host.example:443', ...refusedWith('exit_failed'), sentence: word, exit_word: word },
    )
    expect(await who.by('host')).toEqual([['(withheld)', 1000n, 2n, 1n]])
    const { rows: tables } = await database.pool.query<{ name: string }>(
      `select format('%I', relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    )
    for (const { name } of tables) {
      const { rows } = await database.pool.query(
        `select from ${name} row where row::text like '%secret-host%' limit 1`,
      )
      expect(rows, name).toEqual([])
    }
    await setWithholdsHosts(db, who.accountId, false)
    await who.keep({ target: 'public.example:443' })
    expect((await who.by('host')).map(([key]) => key)).toEqual(['(withheld)', 'public.example'])
  })
})

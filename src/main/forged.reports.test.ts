/** What a stolen gateway can report must not break the books, nor the jobs that add them up. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { answersSince } from '#exits'
import type { Report, ReportLine } from '#feed'
import { answerClasses } from '#feed/exit.answers'
import { countMargin } from '#margin'
import {
  addUpConnections,
  connectionSums,
  directionsByExit,
  keepRequests,
  unkeptRequests,
  usageOfPart,
} from '#requests'
import { batchOf, connectionOf } from '#test/connections'
import { testDatabase } from '#test/database'
import { customerWith, feedKnowing, line, newBoot } from '#test/traffic'
import { leasedBy, usageBy } from '#traffic'
import { keepBooks, verifyBooks } from './books.ts'

const hourMs = 3_600_000
/** The beginning of the hour three hours ago: its jobs are due. */
const hour = Math.floor(Date.now() / hourMs) * hourMs - 3 * hourMs
const period = { from: new Date(hour - 24 * hourMs), to: new Date(hour + 24 * hourMs) }
const most = 2n ** 63n - 1n

let home: Database
beforeAll(async () => {
  home = await testDatabase()
})
afterAll(() => home.close())

const keptAll = { hourMonths: null, dayMonths: null }

async function booksAreInOrder(): Promise<void> {
  await keepBooks(home.db, keptAll)
  await countMargin(home.db, new Date())
  await addUpConnections(home.db)
  expect(await verifyBooks(home.db, { full: true })).toEqual([])
}

it('the server refuses charges beyond the grant for good, also those of 10^18 bytes, and notifies the operator', async () => {
  const refused: string[] = []
  const feed = await feedKnowing(home, { onRefused: ({ message }) => refused.push(message) })
  const victim = await customerWith(home.db, { paid: 10_000_000n })
  const boot = newBoot('stolen-0')
  await feed.hello(boot)
  const { lease } = await feed.lease(boot, { access: victim.accessId, want_bytes: 1_000_000n })
  const forged: ReportLine[][] = [
    [line(lease, victim.accessId, 10n ** 18n)],
    Array.from({ length: 10 }, () => line(lease, victim.accessId, 10n ** 18n)),
    [line(lease, victim.accessId, most)],
    [line(lease, victim.accessId, 2n ** 39n)],
    [line(lease, victim.accessId, 0n, { relayed_bytes: most, exit: 1n })],
    [line(lease, victim.accessId, 0n, { relayed_bytes: 2n ** 40n, exit: 1n })],
    [line(lease, victim.accessId, 0n, { requests: 2 ** 50 })],
  ]
  for (const lines of forged) {
    const report: Report = boot.report(lines, { at_ms: hour, sequence: 1 })
    await expect(feed.report(report)).rejects.toThrow(/report 1 of stolen-0/)
  }
  expect(refused).toHaveLength(forged.length)
  await feed.report(boot.report([line(lease, victim.accessId, 1000n)], { at_ms: hour, sequence: 1 }))
  await booksAreInOrder()
  expect((await victim.balance())?.paid).toBe(10_000_000n - 1000n)
  await feed.close()
})

it('the server adds up hours that forged reports have filled', async () => {
  const feed = await feedKnowing(home)
  const customers: Awaited<ReturnType<typeof customerWith>>[] = []
  for (let index = 0; index < 3; index++) customers.push(await customerWith(home.db, { paid: 1_000_000n }))
  const boot = newBoot('stolen-0')
  await feed.hello(boot)
  const report = async (sequence: number, atMs: number) => {
    const lines = []
    for (const { accessId } of customers) {
      const { lease } = await feed.lease(boot, { access: accessId, want_bytes: 1000n })
      lines.push(line(lease, accessId, 10n, { relayed_bytes: 2n ** 34n, exit: 7n, requests: 2 ** 30 }))
    }
    await feed.report(boot.report(lines, { at_ms: atMs, sequence }))
  }
  await report(1, hour)
  // As after millions of such reports.
  await home.pool.query('update usage_hour set relayed_bytes = (1::bigint << 61) where exit_id = 7')
  await report(2, hour)
  await booksAreInOrder()
  // Late ones are added to the sums of days and exits as well.
  await report(3, hour)
  await home.pool.query('update usage_hour set relayed_bytes = (1::bigint << 61) where exit_id = 7')
  await booksAreInOrder()
  const of7 = (await usageBy(home.db, { by: 'exit', ...period })).find(({ key }) => key === '7')
  expect(of7).toMatchObject({ chargedBytes: 90n })
  await feed.close()
})

it('the server adds up forged records, counts and answers', async () => {
  const own = await customerWith(home.db, { pool: 'mobile', paid: 1_000_000n })
  await home.pool.query(
    `insert into exit (pool, name, kind, everywhere) overriding system value values ('mobile', 'x', 'direct', true)`,
  )
  const { rows } = await home.pool.query<{ id: bigint }>('select id from exit')
  const exit = rows[0]?.id ?? 0n
  const feed = await feedKnowing(home, {
    keepRequests: (db, batch, times) => keepRequests(db, batch, { ...times, leasedBy }),
  })
  const boot = newBoot('stolen-0')
  await feed.hello(boot)
  await feed.lease(boot, { access: own.accessId, want_bytes: 1000n })
  const pb = 2n ** 50n
  const bytes = { up_bytes: pb, down_bytes: pb, charged_up_bytes: pb, charged_down_bytes: pb, exit }
  const batch = () => {
    const whose = { ...own, pool: 'mobile' as const }
    const records = Array.from({ length: 3 }, () => connectionOf(whose, new Date(hour), bytes))
    const unkept = Array.from({ length: 3 }, () => ({
      access: own.accessId,
      minute_ms: hour,
      requests: Number.MAX_SAFE_INTEGER,
    }))
    return batchOf(records, { gateway: boot.gateway, boot: boot.boot, unkept })
  }
  const beyond = connectionOf({ ...own, pool: 'mobile' }, new Date(hour), { ...bytes, up_bytes: pb + 1n })
  await expect(feed.record(batchOf([beyond], boot))).rejects.toThrow('more bytes than')
  for (let index = 0; index < 3; index++) await feed.record(batch())
  await home.pool.query(
    'update connection_hour set up_bytes = (1::bigint << 61), down_bytes = (1::bigint << 61)',
  )
  await home.pool.query('update usage_part_day set relayed_bytes = (1::bigint << 61)')
  await home.pool.query('update request_unkept set requests = (1::bigint << 61)')
  await feed.record(batch())
  await booksAreInOrder()
  await feed.record(batch())
  const [sum] = await connectionSums(home.db, { by: 'pool', ...period })
  expect(sum).toMatchObject({ key: 'mobile', connections: 15n })
  const days = { from: period.from.toISOString().slice(0, 10), to: period.to.toISOString().slice(0, 10) }
  expect(await directionsByExit(home.db, days)).toHaveLength(1)
  const parts = await usageOfPart(home.db, { accountId: own.accountId, part: 'host', ...days, most: 10 })
  expect(parts).toMatchObject([{ connections: 15n }])
  expect(await unkeptRequests(home.db, own.accountId)).toBeGreaterThan(0n)
  const told = { exit, failed: 2 ** 30, answered: Array.from({ length: answerClasses }, () => 2 ** 30) }
  const live = { tunnels: 0, bits_per_second: 0, leases: 0, leased_bytes: 0, reports_waiting: 0 }
  await feed.heartbeat({ ...boot, live: { ...live, exits: [told] } })
  await home.pool.query(
    'update exit_hour set failed = (1::bigint << 46), answered = array(select 1::bigint << 46 from unnest(answered))',
  )
  await feed.heartbeat({
    ...boot,
    live: { ...live, exits: [told, { ...told, failed: Number.MAX_SAFE_INTEGER }] },
  })
  expect((await answersSince(home.db, new Date(0))).get(exit)).toMatchObject({ failed: 2n ** 46n })
  await feed.close()
})

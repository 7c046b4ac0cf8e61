import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { type RequestRecord, ReportRefused } from '#feed'
import { batchOf } from '#test/connections'
import { testDatabase } from '#test/database'
import { newAccess } from '#test/people'
import { customerWith, line } from '#test/traffic'
import { lease, leasedBy, settle } from '#traffic'
import { type ConnectionRecord, parseConnection, printConnection } from '#feed/connection.record'
import {
  addUpConnections,
  type ConnectionQuery,
  connectionSums,
  findConnections,
  findRequest,
  forgetOldRequests,
  keepRequests,
  requestById,
  unkeptRequests,
} from './requests.ts'

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const now = new Date('2026-05-17T12:00:00Z')
const dayMs = 86_400_000

const record = (account: bigint, rest: Partial<RequestRecord> = {}): RequestRecord => ({
  id: randomUUID(),
  access: account,
  at_ms: now.getTime(),
  protocol: 'connect',
  target: 'example.com:443',
  settings: 'cc-us',
  multiplier: 2,
  country: 'us',
  exit: 3n,
  authenticated_ms: 1,
  exit_chosen_ms: 2,
  connected_ms: 30,
  first_byte_ms: 40,
  ended_ms: 50,
  outcome: 'done',
  status: null,
  code: null,
  sentence: null,
  exit_status: null,
  exit_word: null,
  up_bytes: 10n,
  down_bytes: 2n ** 49n,
  charged_up_bytes: 20n,
  charged_down_bytes: 2n ** 50n,
  ...rest,
})

const partitions = async () =>
  (
    await sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on oid = inhrelid
      where inhparent = 'connection_record'::regclass and relname like '%_202605__' order by 1`.execute(db)
  ).rows.map(({ name }) => name.slice('connection_record_'.length))

it('records are found by their customer only', async () => {
  const [alice, bob] = [await newAccess(db, 'residential'), await newAccess(db, 'residential')]
  const one = record(alice.accessId)
  const nothing = record(alice.accessId, {
    target: null,
    settings: null,
    country: null,
    exit: null,
    authenticated_ms: null,
    exit_chosen_ms: null,
    connected_ms: null,
    first_byte_ms: null,
    outcome: 'refused',
    status: 400,
    code: 'bad_username',
    sentence: 'a "sentence" \\ with {everything}',
  })
  // A customer who no longer exists does not prevent other records from being written.
  await keepRequests(db, batchOf([one, record(999_999n), nothing]), { now })
  const { access: _access, at_ms: _at, exit: _exit, ...rest } = one
  const found = await findRequest(db, { accountId: alice.accountId, id: one.id })
  const ofUser = { user: null, user_label: null }
  expect(found).toEqual({ ...rest, ...ofUser, pool: 'residential', accepted_at: now, unkept: 0n })
  expect(await findRequest(db, { accountId: alice.accountId, id: nothing.id })).toMatchObject({
    code: 'bad_username',
    sentence: nothing.sentence,
    connected_ms: null,
  })
  expect(await findRequest(db, { accountId: bob.accountId, id: one.id })).toBeNull()
  expect(await findRequest(db, { accountId: alice.accountId, id: 'nonsense' })).toBeNull()
})

it('records are counted when they are not stored', async () => {
  const { accessId, accountId } = await newAccess(db, 'mobile')
  const one = record(accessId)
  const unkept = [{ access: accessId, minute_ms: now.getTime(), requests: 5 }]
  await keepRequests(db, batchOf([one], { unkept }), { now })
  await keepRequests(db, batchOf([], { unkept: [...unkept, ...unkept] }), { now })
  expect((await findRequest(db, { accountId, id: one.id }))?.unkept).toBe(15n)
  expect(await unkeptRequests(db, accountId)).toBe(15n)
})

it('records are deleted after seven days, a day at a time, under concurrent creation and deletion of days', async () => {
  const { accessId, accountId } = await newAccess(db, 'datacenter')
  const ids: string[] = []
  for (let day = 0; day < 10; day += 1) {
    const then = new Date(now.getTime() + day * dayMs)
    const one = record(accessId, { at_ms: then.getTime() })
    ids.push(one.id)
    const unkept = [{ access: accessId, minute_ms: then.getTime(), requests: 1 }]
    await Promise.all([
      keepRequests(db, batchOf([one], { unkept }), { now: then }),
      keepRequests(db, batchOf([one]), { now: then }),
    ])
  }
  const last = new Date(now.getTime() + 9 * dayMs)
  expect(await forgetOldRequests(db, { now: last, keptDays: 7 })).toBe(2)
  expect(await forgetOldRequests(db, { now: last, keptDays: 7 })).toBe(0)
  expect(await partitions()).toEqual([
    '20260519',
    '20260520',
    '20260521',
    '20260522',
    '20260523',
    '20260524',
    '20260525',
    '20260526',
    '20260527',
    '20260528',
    '20260529',
  ])
  const found = await Promise.all(ids.map((id) => findRequest(db, { accountId, id })))
  expect(found.map((one) => one !== null)).toEqual([false, false, ...Array.from({ length: 8 }, () => true)])
  expect(await unkeptRequests(db, accountId)).toBe(8n)
})

it('records of a gateway with a wrong clock are stored under the current day', async () => {
  const { accessId, accountId } = await newAccess(db, 'residential_premium')
  const wrong = [Date.UTC(1999, 0), Date.UTC(2099, 0)].map((at_ms) => record(accessId, { at_ms }))
  const before = await partitions()
  const today = new Date(now.getTime() + 9 * dayMs)
  await keepRequests(db, batchOf(wrong), { now: today })
  expect(await partitions()).toEqual(before)
  for (const { id } of wrong) expect(await findRequest(db, { accountId, id })).not.toBeNull()
})

const day = new Date('2026-05-26T12:00:00Z')

const connection = (
  { accessId, accountId }: { accessId: bigint; accountId: bigint },
  rest: Partial<ConnectionRecord> = {},
): ConnectionRecord => ({
  ...record(accessId, {
    at_ms: day.getTime() - 60_000,
    up_bytes: 1n,
    down_bytes: 2n,
    charged_down_bytes: 3n,
  }),
  account: accountId,
  pool: 'mobile',
  client: '192.0.2.7',
  client_port: 40_000,
  target_address: null,
  exit_address: null,
  exit_port: null,
  ...rest,
})

const send = (records: ConnectionRecord[], rest: { number?: number; run?: string; boot?: string } = {}) =>
  batchOf(records, { gateway: 'gw1', ...rest })

const around = { from: new Date(day.getTime() - 3_600_000), to: day }
/** On all pages: a search by the time alone may end a page early. */
async function idsOf(query: Partial<ConnectionQuery>): Promise<string[]> {
  const found: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await findConnections(db, { ...around, ...query }, { after: after ?? null })
    found.push(...page.rows.map(({ id }) => id))
    after = page.next
  }
  return found
}

it('records are stored once, even if a batch arrives several times at several servers', async () => {
  const who = await newAccess(db, 'mobile')
  const [one, other] = [connection(who), connection(who)]
  const first = {
    ...send([one], { run: 'once' }),
    unkept: [{ access: who.accessId, minute_ms: 0, requests: 2 }],
  }
  await Promise.all([1, 2, 3].map(() => keepRequests(db, first, { now: day })))
  await keepRequests(db, send([other], { run: 'once', number: 5 }), { now: day })
  // Numbers are left out when a batch is dropped; an earlier one can only be a repetition.
  for (const number of [1, 4, 5])
    await keepRequests(db, send([connection(who)], { run: 'once', number }), { now: day })
  expect((await idsOf({ account: who.accountId })).toSorted()).toEqual([one.id, other.id].toSorted())
  expect(await unkeptRequests(db, who.accountId)).toBe(2n)
})

it('records of accesses that the gateway has not leased are left out and counted, unless nothing was connected', async () => {
  const [own, victim] = [
    await customerWith(db, { pool: 'mobile', paid: 1_000_000n }),
    await customerWith(db, { pool: 'mobile', paid: 1_000_000n }),
  ]
  const holder = { gateway: 'gw1', boot: 'leasing' }
  const { lease: id } = await lease(db, holder, { access: own.accessId, want_bytes: 1000n })
  await lease(db, { ...holder, gateway: 'gw2' }, { access: victim.accessId, want_bytes: 1000n })
  const forged: [number, string][] = []
  const keeping = {
    now: day,
    leasedBy,
    onForged: (count: number, gateway: string) => void forged.push([count, gateway]),
  }
  const refused = {
    connected_ms: null,
    up_bytes: 0n,
    down_bytes: 0n,
    charged_up_bytes: 0n,
    charged_down_bytes: 0n,
    code: 'host_denied',
  }
  const [true1, true2, early] = [
    connection(own),
    connection(own, { account: victim.accountId }),
    connection(victim, refused),
  ]
  const cut = connection(victim, { ...refused, code: null, outcome: 'cut', target: 'told.example:443' })
  const boot = 'leasing'
  const told = [true1, connection(victim), early, cut, connection(victim)]
  await keepRequests(db, send(told, { boot }), keeping)
  await settle(db, [
    { ...holder, sequence: 1, at_ms: 0, lines: [line(id, own.accessId, 1n, { close: true })] },
  ])
  await keepRequests(db, send([true2], { boot }), keeping)
  // Another boot of the same gateway has leased nothing.
  await keepRequests(db, send([connection(own)], { boot: 'later' }), keeping)
  expect(forged).toEqual([
    [2, 'gw1'],
    [1, 'gw1'],
  ])
  expect((await idsOf({ account: own.accountId })).toSorted()).toEqual([true1.id, true2.id].toSorted())
  expect((await idsOf({ account: victim.accountId })).toSorted()).toEqual([early.id, cut.id].toSorted())
  expect(await requestById(db, early.id)).toMatchObject({ target: early.target })
  expect(await requestById(db, cut.id)).toMatchObject({ target: null })
})

it('records are found by the facts of a complaint, and by their owner', async () => {
  const [alice, bob] = [await newAccess(db, 'mobile'), await newAccess(db, 'mobile')]
  const one = connection(alice, { target: 'shop.example:443', client: '2001:db8::1', exit: 41n })
  const two = connection(bob, { target: '[2001:db8::2]:80', exit: 42n, settings: 'a\tb\nc' })
  await keepRequests(db, send([one, two]), { now: day })
  expect(await idsOf({ host: 'Shop.Example' })).toEqual([one.id])
  expect(await idsOf({ target: 'shop.example:443' })).toEqual([one.id])
  expect(await idsOf({ target: 'shop.example:80' })).toEqual([])
  expect(await idsOf({ target: '[2001:db8::2]:80' })).toEqual([two.id])
  expect(await idsOf({ client: '2001:db8:0::1' })).toEqual([one.id])
  expect(await idsOf({ exit: 42n })).toEqual([two.id])
  expect(await idsOf({ account: bob.accountId })).toEqual([two.id])
  expect(await idsOf({ access: bob.accessId, exit: 41n })).toEqual([])
  expect(await idsOf({ access: bob.accessId })).toEqual([two.id])
  expect(await idsOf({ requestId: one.id })).toEqual([one.id])
  expect(await idsOf({ requestId: 'nonsense' })).toEqual([])
  expect(await idsOf({ host: 'shop.example', to: new Date(day.getTime() - 70_000) })).toEqual([])
  expect((await findConnections(db, { ...around, requestId: one.id })).rows[0]).toMatchObject({
    account: alice.accountId,
    access: alice.accessId,
    pool: 'mobile',
    target: 'shop.example:443',
    client: '2001:db8::1',
    clientPort: 40_000,
    startedAt: new Date(day.getTime() - 60_000),
    durationMs: 50,
    chargedBytes: 23n,
  })
  expect(await requestById(db, two.id)).toMatchObject({ target: '[2001:db8::2]:80', settings: 'a?b?c' })
})

it('records are found when they were open at the time, even those that ended hours later', async () => {
  const who = await newAccess(db, 'mobile')
  const hour = 3_600_000
  const long = connection(who, { at_ms: day.getTime() - 5 * hour, ended_ms: 5 * hour, exit: 43n })
  const short = connection(who, { at_ms: day.getTime() - 4 * hour, ended_ms: 1000, exit: 43n })
  await keepRequests(db, send([long, short]), { now: day })
  const at = (ms: number) => ({
    from: new Date(day.getTime() + ms - 60_000),
    to: new Date(day.getTime() + ms),
  })
  for (const by of [{ account: who.accountId }, { exit: 43n }]) {
    expect(await idsOf({ ...by, ...at(-4 * hour + 30_000) })).toEqual([long.id, short.id])
    expect(await idsOf({ ...by, ...at(-3 * hour) })).toEqual([long.id])
    expect(await idsOf({ ...by, ...at(-6 * hour) })).toEqual([])
  }
})

it('records are paged without repetition, with an index or by time only', async () => {
  const who = await newAccess(db, 'mobile')
  const all = Array.from({ length: 25 }, (_, index) =>
    // Several end at the same moment.
    connection(who, { at_ms: day.getTime() - 60_000 * Math.floor(index / 4), exit: 44n }),
  )
  await keepRequests(db, send(all), { now: day })
  for (const by of [{ account: who.accountId }, { exit: 44n }]) {
    const found: string[] = []
    for (let after: string | null = null, pages = 0; pages < 30; pages++) {
      const page = await findConnections(db, { ...around, ...by }, { limit: 7, after })
      found.push(...page.rows.map(({ id }) => id))
      after = page.next
      if (after === null) break
    }
    expect(found).toHaveLength(25)
    expect(new Set(found)).toEqual(new Set(all.map(({ id }) => id)))
  }
  await expect(findConnections(db, around, { after: 'elsewhere' })).rejects.toThrow('invalid_field')
})

it.each([
  ['full', { target: 'example.com:443', client: '192.0.2.7', client_port: 40_000 }],
  ['host', { target: 'example.com', client: null, client_port: null }],
  ['none', { target: null, client: null, client_port: null }],
] as const)('records are kept as CONNECTION_LOG=%s says', async (log, kept) => {
  const who = await newAccess(db, 'mobile')
  const one = connection(who)
  await keepRequests(db, send([one]), { now: day, log })
  expect(await requestById(db, one.id)).toMatchObject({ ...kept, account: who.accountId, up_bytes: 1n })
})

it('records are found by the addresses of the target and of the exit, which CONNECTION_LOG may leave out', async () => {
  const who = await newAccess(db, 'mobile')
  const ends = { target_address: '2001:DB8:0:0::5', exit_address: '198.51.100.7', exit_port: 41_022 }
  const one = connection(who, { ...ends, target: 'named.example:443' })
  const literal = connection(who, { ...ends, target: '[2001:db8::5]:443', exit_port: 41_023 })
  const hidden = connection(who, { ...ends, exit_port: 41_024 })
  const forged = connection(who, { target_address: 'example.com', exit_address: 'x', exit_port: 41_025 })
  await keepRequests(db, send([one, literal, forged]), { now: day })
  await keepRequests(db, send([hidden], { run: 'of hosts' }), { now: day, log: 'host' })
  expect(new Set(await idsOf({ host: '2001:db8:0::5' }))).toEqual(new Set([one.id, literal.id]))
  expect(new Set(await idsOf({ target: '[2001:db8::5]:443' }))).toEqual(new Set([one.id, literal.id]))
  expect(await idsOf({ exitAddress: '198.51.100.7', exitPort: 41_022 })).toEqual([one.id])
  expect(await idsOf({ exitPort: 41_023 })).toEqual([literal.id])
  expect(await idsOf({ exitPort: 41_024 })).toEqual([])
  expect(await idsOf({ exitPort: 41_025 })).toEqual([])
  const { rows } = await findConnections(db, { ...around, requestId: one.id })
  expect(rows[0]).toMatchObject({
    targetAddress: '2001:db8::5',
    exitAddress: '198.51.100.7',
    exitPort: 41_022,
  })
})

it('records of a gateway of the first release have none of the later fields', async () => {
  const who = await newAccess(db, 'mobile')
  const line = printConnection(connection(who))
  const first = line.split('\t').slice(0, 28).join('\t')
  expect(parseConnection(first)).toEqual(parseConnection(line))
  expect(parseConnection(`${line}\tlater`)).toEqual(parseConnection(line))
})

it.each([
  ['', 'a line that is no record'],
  [printConnection(connection({ accessId: 1n, accountId: 1n })).replace('\tmobile\t', '\t\u0000\t'), 'NUL'],
  [printConnection(connection({ accessId: 1n, accountId: 1n }, { up_bytes: -1n })), 'less than nothing'],
  [printConnection(connection({ accessId: 2n ** 63n, accountId: 1n })), 'a number beyond 64 bits'],
])('are refused for good when no gateway sent them: %#', async (line) => {
  const batch = {
    unkept: [],
    batch: { gateway: 'gw1', boot: 'b1', run: 'forged', number: 1, lines: `${line}\n` },
  }
  await expect(keepRequests(db, batch, { now: day })).rejects.toThrow(ReportRefused)
})

it.each([
  ['a part of a millisecond', { at_ms: 1.5 }],
  ['an infinite number', { ended_ms: 1, multiplier: Infinity }],
  ['a number beyond 2^53', { at_ms: 1e300 }],
  ['an id with letters whose low byte is a digit', { id: '\u0131'.repeat(8) + randomUUID().slice(8) }],
])('are refused for good with %s', async (_what, rest) => {
  const { accessId } = await newAccess(db, 'mobile')
  await expect(keepRequests(db, batchOf([record(accessId, rest)]), { now: day })).rejects.toThrow(
    ReportRefused,
  )
})

it('records are summed up by hour, country and outcome', async () => {
  const who = await newAccess(db, 'mobile')
  const at_ms = Date.parse('2026-05-26T03:10:00Z')
  const of = (rest: Partial<ConnectionRecord>) =>
    connection(who, { at_ms, country: 'nz', charged_up_bytes: 0n, ...rest })
  await keepRequests(db, send([of({}), of({}), of({ country: 'is', code: 'exit_failed' })]), { now: day })
  const [from, to] = [new Date('2026-05-26T03:00:00Z'), new Date('2026-05-26T04:00:00Z')]
  expect(await connectionSums(db, { by: 'country', from, to })).toEqual([
    { key: 'nz', connections: 2n, refused: 0n, upBytes: 2n, downBytes: 4n, chargedBytes: 6n },
    { key: 'is', connections: 1n, refused: 1n, upBytes: 1n, downBytes: 2n, chargedBytes: 3n },
  ])
  expect((await connectionSums(db, { by: 'code', from, to })).map(({ key }) => key)).toEqual([
    'done',
    'exit_failed',
  ])
  expect((await connectionSums(db, { by: 'hour', from, to })).map(({ key }) => key)).toEqual([
    '2026-05-26T03:00:00Z',
  ])
})

it('records are summed by day; reads add days and single hours, and late records are counted too', async () => {
  const who = await newAccess(db, 'mobile')
  const at = (hour: number, rest: Partial<ConnectionRecord> = {}) =>
    connection(who, { at_ms: Date.parse('2026-05-27T00:10:00Z') + hour * 3_600_000, country: 'fo', ...rest })
  const later = new Date('2026-05-27T23:59:00Z')
  const [from, to] = [new Date('2026-05-27T00:00:00Z'), new Date('2026-05-28T00:00:00Z')]
  const figures = async () => {
    const sums = async (by: 'day' | 'hour' | 'country' | 'code') =>
      (await connectionSums(db, { by, from, to })).reduce((sum, { connections }) => sum + connections, 0n)
    return Promise.all([sums('day'), sums('hour'), sums('country'), sums('code')])
  }
  const all = (count: bigint) => [count, count, count, count]
  await keepRequests(db, send([at(0), at(1), at(1)]), { now: later })
  expect(await figures()).toEqual(all(3n))
  expect(await addUpConnections(db)).toBeGreaterThan(0)
  expect(await addUpConnections(db)).toBe(0)
  expect(await figures()).toEqual(all(3n))
  await keepRequests(db, send([at(0), at(1, { country: 'gl' }), at(2)]), { now: later })
  expect(await figures()).toEqual(all(6n))
  // Batches of these hours while they are added up.
  const batches = Array.from({ length: 20 }, (_, index) =>
    keepRequests(db, send([at(index % 4), at(3), at(3, { country: `x${index % 3}` })]), { now: later }),
  )
  await Promise.all([...batches, addUpConnections(db), addUpConnections(db)])
  expect(await figures()).toEqual(all(66n))
  await addUpConnections(db)
  expect(await figures()).toEqual(all(66n))
})

it('records are summed up over days of any time zone from the UTC days within and the hours around them', async () => {
  const who = await newAccess(db, 'mobile')
  const first = Date.parse('2026-05-13T00:10:00Z')
  for (const dayStart of [0, 24, 48]) {
    const records = Array.from({ length: 24 }, (_, hour) =>
      connection(who, { at_ms: first + (dayStart + hour) * 3_600_000, country: 'sj' }),
    )
    await keepRequests(db, send(records), { now: new Date(first + (dayStart + 23.5) * 3_600_000) })
  }
  const inHours = async (begin: number, end: number) => {
    const [from, to] = [begin, end].map((hour) => new Date(first - 600_000 + hour * 3_600_000)) as [
      Date,
      Date,
    ]
    const sums = await connectionSums(db, { by: 'country', from, to })
    return sums.find(({ key }) => key === 'sj')?.connections
  }
  const periods = [
    [0, 72],
    [5, 67],
    [21, 45],
    [24, 48],
    [1, 48],
    [24, 71],
    [3, 9],
    [23, 25],
  ] as const
  for (const isAdded of [false, true]) {
    if (isAdded) await addUpConnections(db)
    for (const [begin, end] of periods) expect(await inHours(begin, end)).toBe(BigInt(end - begin))
  }
})

it('records are found across days without records', async () => {
  const who = await newAccess(db, 'mobile')
  const at = (ago: number) => new Date(day.getTime() - ago * dayMs)
  const through = (ago: number) => connection(who, { at_ms: at(ago).getTime() - 1000, exit: 77n })
  const [old, late] = [through(12), through(2)]
  await keepRequests(db, send([old]), { now: at(12) })
  await keepRequests(db, send([late]), { now: at(2) })
  expect(await idsOf({ exit: 77n, from: at(20) })).toEqual([late.id, old.id])
  expect(await idsOf({ exit: 77n, from: at(1) })).toEqual([])
})

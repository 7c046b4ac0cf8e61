import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import type { RequestRecord } from '#feed'
import { testDatabase } from '#test/database'
import { newSubuser } from '#test/people'
import { findRequest, forgetOldRequests, keepRequests, unkeptRequests } from './requests.ts'

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
  subuser: account,
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
  down_bytes: 2n ** 60n,
  charged_up_bytes: 20n,
  charged_down_bytes: 2n ** 61n,
  ...rest,
})

const partitions = async () =>
  (
    await sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on oid = inhrelid
      where inhparent = 'request_record'::regclass order by 1`.execute(db)
  ).rows.map(({ name }) => name.slice('request_record_'.length))

it('are found by their customer only', async () => {
  const [alice, bob] = [await newSubuser(db, 'residential'), await newSubuser(db, 'residential')]
  const one = record(alice.subuserId)
  const nothing = record(alice.subuserId, {
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
    sentence: 'a "sentence" \\ with {everything}, Ω',
  })
  // A customer who no longer exists does not prevent other records from being written.
  await keepRequests(db, { records: [one, record(999_999n), nothing], unkept: [] }, now)
  const { subuser: _subuser, at_ms: _at, exit: _exit, ...rest } = one
  const found = await findRequest(db, { accountId: alice.accountId, id: one.id })
  expect(found).toEqual({ ...rest, pool: 'residential', accepted_at: now, unkept: 0n })
  expect(await findRequest(db, { accountId: alice.accountId, id: nothing.id })).toMatchObject({
    code: 'bad_username',
    sentence: nothing.sentence,
    connected_ms: null,
  })
  expect(await findRequest(db, { accountId: bob.accountId, id: one.id })).toBeNull()
  expect(await findRequest(db, { accountId: alice.accountId, id: 'nonsense' })).toBeNull()
})

it('are counted when they are not kept', async () => {
  const { subuserId, accountId } = await newSubuser(db, 'mobile')
  const one = record(subuserId)
  const unkept = [{ subuser: subuserId, minute_ms: now.getTime(), requests: 5 }]
  await keepRequests(db, { records: [one], unkept }, now)
  await keepRequests(db, { records: [], unkept: [...unkept, ...unkept] }, now)
  expect((await findRequest(db, { accountId, id: one.id }))?.unkept).toBe(15n)
  expect(await unkeptRequests(db, accountId)).toBe(15n)
})

it('are deleted after seven days, a day at a time, under concurrent creation and deletion of days', async () => {
  const { subuserId, accountId } = await newSubuser(db, 'datacenter')
  const ids: string[] = []
  for (let day = 0; day < 10; day += 1) {
    const then = new Date(now.getTime() + day * dayMs)
    const one = record(subuserId, { at_ms: then.getTime() })
    ids.push(one.id)
    const batch = { records: [one], unkept: [{ subuser: subuserId, minute_ms: then.getTime(), requests: 1 }] }
    await Promise.all([keepRequests(db, batch, then), keepRequests(db, { ...batch, unkept: [] }, then)])
  }
  const last = new Date(now.getTime() + 9 * dayMs)
  expect(await forgetOldRequests(db, last)).toBe(2)
  expect(await forgetOldRequests(db, last)).toBe(0)
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
  ])
  const found = await Promise.all(ids.map((id) => findRequest(db, { accountId, id })))
  expect(found.map((one) => one !== null)).toEqual([false, false, ...Array.from({ length: 8 }, () => true)])
  expect(await unkeptRequests(db, accountId)).toBe(8n)
})

it('of a gateway with a wrong clock are stored under the current day', async () => {
  const { subuserId, accountId } = await newSubuser(db, 'residential_premium')
  const wrong = [Date.UTC(1999, 0), Date.UTC(2099, 0)].map((at_ms) => record(subuserId, { at_ms }))
  const before = await partitions()
  const today = new Date(now.getTime() + 9 * dayMs)
  await keepRequests(db, { records: wrong, unkept: [] }, today)
  expect(await partitions()).toEqual(before)
  for (const { id } of wrong) expect(await findRequest(db, { accountId, id })).not.toBeNull()
})

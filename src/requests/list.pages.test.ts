/** Pages of a customer's list while further requests end. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ListedRequest } from './row.ts'
import { connectionOf, keepConnections } from '#test/connections'
import { testDatabase } from '#test/database'
import { customerWith } from '#test/traffic'
import type { Database } from '#db'
import { listRequests, mostListed } from './list.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

it('further pages are of the requests that had ended when the first was read', async () => {
  const { db } = database
  const who = { ...(await customerWith(db, { pool: 'residential', paid: 1n })), pool: 'residential' } as const
  const hourAgo = Date.now() - 3_600_000
  const keep = (target: string, count: number, sinceMs: number) =>
    keepConnections(
      db,
      Array.from({ length: count }, (_, index) => connectionOf(who, new Date(sinceMs + index), { target })),
      new Date(),
    )
  await keep('a.example:443', 250, hourAgo)
  const page = (after?: string) =>
    listRequests(db, { accountId: who.accountId, host: 'a.example', limit: 100, after })
  const first = await page()
  // As many as the list examines end meanwhile, with the times of a busy customer.
  await keep('b.example:443', mostListed, Date.now() + 1)
  const second = await page(first.next ?? undefined)
  const third = await page(second.next ?? undefined)
  const all: ListedRequest[] = [first, second, third].flatMap(({ requests }) => requests)
  expect(all).toHaveLength(250)
  expect(new Set(all.map(({ id }) => id)).size).toBe(250)
  expect(third.next).toBeNull()
  const newer = await listRequests(db, { accountId: who.accountId, host: 'b.example', limit: 1 })
  expect(newer.requests).toHaveLength(1)
})

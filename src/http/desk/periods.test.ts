/** Calls that read a whole period: how many connections they take, and when they end. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Refusal } from '#lib/refusal'
import type { DeskContext, DeskHandlers } from '#staff/call'
import { app, type App, refusalOf } from '#test/app'
import { desk, type Desk } from '#test/desk'
import { someWaitForLock } from '#test/waiting.statement'
import { Periods } from './periods.ts'

let shop: App
let office: Desk
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const asked = { report: 'sales', by: 'campaign', from: '2026-01-01', until: '2026-01-31' } as const

/** Blocks all reads of postings until the result is called. */
async function holdPostings() {
  const client = await shop.database.pool.connect()
  await client.query('begin')
  await client.query('lock table ledger_transaction, ledger_entry in access exclusive mode')
  return {
    end: () => client.query('rollback'),
    release: () => client.release(),
  }
}

it('ten reports of one member take one connection, and another member’s report and the site still run', async () => {
  const [one, other] = [await office.staff('owner'), await office.staff('accountant')]
  const customer = await shop.customer()
  const held = await holdPostings()
  try {
    const reports = Array.from({ length: 10 }, () => one.call('report', asked))
    const ends = Promise.allSettled(reports)
    const refused = await Promise.race(reports.map(refusalOf))
    expect(refused).toMatchObject({ status: 429, code: 'too_many_requests' })
    await someWaitForLock(shop.database.db, 1)
    expect(await customer.call('is_password_exists', {})).toBeDefined()
    const others = [
      other.call('report', asked),
      other.call('postings', { report: 'sales', from: asked.from, until: asked.until }),
    ]
    await someWaitForLock(shop.database.db, 2)
    expect(await customer.call('is_password_exists', {})).toBeDefined()
    await held.end()
    const done = (await ends).filter(({ status }) => status === 'fulfilled')
    expect(done).toHaveLength(7)
    await Promise.all(others)
  } finally {
    await held.end()
    held.release()
  }
})

it('a report stops once its client has closed the connection, and the member’s next report begins', async () => {
  const begun: (() => void)[] = []
  let stopped = 0
  const report: DeskHandlers['report'] = async (_input, { closed }) => {
    begun.shift()?.()
    await new Promise((resolve) => closed.addEventListener('abort', resolve, { once: true }))
    stopped += 1
    return closed.throwIfAborted() as never
  }
  const there = await desk(shop, { handlers: { report } })
  try {
    const owner = await there.staff('owner')
    for (const closed of [1, 2]) {
      const leaving = new AbortController()
      const start = new Promise<void>((resolve) => begun.push(resolve))
      const end = owner.browser
        .fetch(`/api/report?${String(new URLSearchParams(asked))}`, { signal: leaving.signal })
        .catch((error: Error) => error.name)
      await start
      leaving.abort()
      expect(await end).toBe('AbortError')
      await expect.poll(() => stopped).toBe(closed)
    }
  } finally {
    await there.close()
  }
})

it('a call whose client closed the connection while it waited does not begin', async () => {
  const periods = new Periods()
  const closing = new AbortController()
  const context = { member: { id: 1n }, closed: closing.signal } as DeskContext
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = periods.run(context, 'call', () => promise)
  let hasBegun = false
  const second = periods.run(context, 'call', async () => (hasBegun = true))
  closing.abort(new Refusal('request_timeout'))
  resolve()
  await first
  await expect(second).rejects.toThrow('request_timeout')
  expect(hasBegun).toBe(false)
})

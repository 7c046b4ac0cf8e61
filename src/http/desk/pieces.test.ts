/** Answers of the desk with unbounded length: other calls run while they are made. */
import { setImmediate } from 'node:timers'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DeskOutput } from '#contract/desk/contract'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

const rows = 5000
/** The rows validated since the last turn of the event loop, and the most in one turn. */
let read = 0
let most = 0

const row = (index: number): DeskOutput<'customers'>['rows'][number] => ({
  // Validation reads each field once.
  get id() {
    read += 1
    return String(index + 1)
  },
  name: `name ${index}`,
  email: `person${index}@shop.example`,
  telegram: null,
  state: 'active',
  tags: [],
  spent_micros: '1000000',
  balance_bytes: '5',
  margin_micros: null,
  last_seen_at: null,
  created_at: '2026-11-20T12:00:00.000Z',
  country: null,
  price_list: null,
})

const registry = new Registry()
let shop: App
let office: Desk
let viewer: StaffMember
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop, {
    registry,
    handlers: {
      customers: async () => ({
        rows: Array.from({ length: rows }, (_, index) => row(index)),
        next: null,
        balances_at: null,
        margins_at: null,
      }),
    },
  })
  viewer = await office.staff('viewer')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

async function mostInATurn(url: string): Promise<string> {
  read = 0
  most = 0
  let isOver = false
  const turn = () => {
    most = Math.max(most, read)
    read = 0
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const answer = await viewer.browser.fetch(url)
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
  isOver = true
  expect(answer.status).toBe(200)
  return text
}

it.each(['/api/customers', '/api/customers.csv', '/api/customers.xlsx'])(
  '%s is made in pieces, each in a turn of the event loop of its own',
  async (url) => {
    const text = await mostInATurn(url)
    expect(most).toBeGreaterThan(0)
    // The getter is read more than once a row: by validation, and where the row is sliced.
    expect(most).toBeLessThanOrEqual(1500)
    if (url.endsWith('xlsx')) return
    expect(text.match(/name \d+/g)).toHaveLength(rows)
    expect(text).not.toContain('person')
  },
)

it('long turns of the desk are counted with the route of the call', async () => {
  expect(registry.getSingleMetric('turnpike_loop_held_seconds')).toBeDefined()
})

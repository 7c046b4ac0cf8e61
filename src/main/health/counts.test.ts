import type { JobHelpers } from 'graphile-worker'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Refusal } from '#lib/refusal'
import { type App, app, press } from '#test/app'
import { Counts } from './counts.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function linesOf(counts: Counts): Promise<string[]> {
  const registry = new Registry()
  counts.register(registry)
  return [...(await registry.metrics()).matchAll(/^turnpike_.*$/gm)].map(([line]) => line)
}

it('the process counts invoices and their money once, in parts and despite repeated notifications', async () => {
  const customer = await shop.customer()
  const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
  await press(shop.origin, number, 'paid')
  const url = await customer.call('create_invoice_web', {
    payment_method: 'sandbox',
    amount: 10,
    pool: 'mobile',
  })
  const half = url.split('/').at(-1) ?? ''
  await press(shop.origin, half, 'underpaid')
  const { rows } = await shop.database.pool.query<{ pool: string; usd: number }>(
    'select pool, received_micros::float8 / 1000000 as usd from invoice',
  )
  const usd = (pool: string) => rows.find((row) => row.pool === pool)?.usd
  const labels = (pool: string) => `{method="sandbox",pool="${pool}"}`
  const lines = await linesOf(shop.services.counts)
  for (const pool of ['residential', 'mobile']) {
    expect(lines).toContain(`turnpike_invoices_created_total${labels(pool)} 1`)
    expect(lines).toContain(`turnpike_invoices_paid_total${labels(pool)} 1`)
    expect(lines).toContain(`turnpike_invoices_received_usd_total${labels(pool)} ${usd(pool)}`)
  }
})

it('the process counts notifications by verdict, including refused and failed ones', async () => {
  const counts = new Counts()
  await counts.webhook('card', async () => 'credited')
  const failing = (error: Error) =>
    expect(counts.webhook('card', () => Promise.reject(error))).rejects.toBe(error)
  await failing(new Refusal('invalid_webhook_signature'))
  await failing(new Refusal('temporarily_unavailable'))
  await failing(new Error('a bug'))
  const verdicts = ['credited', 'forged', 'unreachable', 'failed']
  expect(await linesOf(counts)).toEqual(
    verdicts.map((verdict) => `turnpike_webhooks_total{method="card",verdict="${verdict}"} 1`),
  )
})

it('the process counts jobs by name and result, each attempt', async () => {
  const counts = new Counts()
  const tasks = counts.jobs({
    send_mail: async () => undefined,
    keep_books: () => Promise.reject(new Error('no room')),
  })
  const helpers = {} as JobHelpers
  await tasks['send_mail']?.({}, helpers)
  await tasks['send_mail']?.({}, helpers)
  await expect(tasks['keep_books']?.({}, helpers)).rejects.toThrow('no room')
  expect(await linesOf(counts)).toEqual([
    'turnpike_jobs_total{job="send_mail",result="done"} 2',
    'turnpike_jobs_total{job="keep_books",result="failed"} 1',
  ])
})

it('counting does nothing in a process without metrics', () => {
  new Counts().register(null)
})

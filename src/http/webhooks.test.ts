import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { replayWebhook } from '#purchase'
import { type App, app, type Customer, purchaseDeps } from '#test/app'

let shop: App
let customer: Customer
beforeAll(async () => {
  shop = await app()
  customer = await shop.customer()
})
afterAll(() => shop.close())
// Earlier counts have expired.
beforeEach(() => {
  shop.clock.now = new Date(shop.clock.now.getTime() + 3_600_000)
})

const longest = 64 * 1024

function bring(body: string, ip: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${shop.origin}/api/webhooks/sandbox`, {
    method: 'POST',
    headers: { 'x-forwarded-for': ip, ...headers },
    body,
  })
}

/** Sends a forged notification of random characters, which hardly compress. */
const forge = async (ip: string, size = 20) => {
  const answer = await bring(randomBytes(size / 2).toString('hex'), ip)
  await answer.arrayBuffer()
  return answer
}

/** The sandbox's notification of a payment of a new invoice, and its signature. */
async function genuine(padding = 0) {
  const order = { payment_method: 'sandbox', amount: 10, pool: 'residential' } as const
  const number = (await customer.call('create_invoice_web', order)).split('/').at(-1) ?? ''
  const event = { invoice: number, payment: `${number}-1`, outcome: 'received', received_micros: '35000000' }
  const body = JSON.stringify(event) + ' '.repeat(padding)
  const seconds = Math.floor(shop.clock.now.getTime() / 1000)
  const proof = createHmac('sha256', shop.services.sandboxSecret).update(`${seconds}.${body}`).digest('hex')
  const state = async () => (await customer.call('invoice', { number })).state
  return { body, state, headers: { 'sandbox-signature': `t=${seconds},v1=${proof}` } }
}

const rows = () => shop.database.db.selectFrom('webhook_event').selectAll().orderBy('id').execute()

/** Bytes of the table, its indexes and its TOAST data. */
async function tableBytes(): Promise<number> {
  const { rows: sizes } = await shop.database.pool.query<{ size: bigint }>(
    "select pg_total_relation_size('webhook_event') as size",
  )
  return Number(sizes[0]?.size)
}

describe('forged notifications', () => {
  it('are stored up to sixty from one network; further ones are refused before their body is read', async () => {
    const ends = []
    for (let at = 0; at < 62; at++) ends.push((await forge(`2001:db8:5:5::${at}`)).status)
    expect(ends).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429])
    expect(await rows()).toHaveLength(60)
    const late = await forge('2001:db8:5:5::ffff')
    expect(late.headers.get('retry-after')).toBe('10')
    // Others are not limited, and later this network is served again.
    expect((await forge('203.0.113.5')).status).toBe(401)
    shop.clock.now = new Date(shop.clock.now.getTime() + 10_000)
    expect((await forge('2001:db8:5:5::1')).status).toBe(401)
    expect((await forge('2001:db8:5:5::1')).status).toBe(429)
  })

  it('take 240 KiB for a thousand concurrent ones from 600 networks of one site, and a genuine one between them is settled', async () => {
    const [before, kept] = [await tableBytes(), (await rows()).length]
    const paid = await genuine()
    // A refusal closes the connection before the body is read: it may reset it before the answer has been
    // read.
    const closed = { status: 'closed' } as const
    const forgers = Array.from({ length: 1000 }, (_, at) =>
      forge(`2001:db8:77:${(at % 600).toString(16)}::${at.toString(16)}`, longest).catch(() => closed),
    )
    const answer = await bring(paid.body, '203.0.113.200', paid.headers)
    expect([answer.status, await paid.state()]).toEqual([200, 'paid'])
    const statuses = (await Promise.all(forgers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429 || status === 'closed')).toHaveLength(940)
    expect((await rows()).length - kept).toBe(61)
    expect((await tableBytes()) - before).toBeLessThan(1024 * 1024)
  })

  it('are stored truncated, within four megabytes per method', async () => {
    await shop.database.pool.query('truncate webhook_event')
    for (let site = 0; site < 700; site += 50) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          forge(`198.51.${(site + at) >> 8}.${(site + at) & 255}`, longest),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    }
    const all = await rows()
    expect(new Set(all.map(({ body, body_bytes: bytes }) => `${body.length} of ${bytes}`))).toEqual(
      new Set([`4096 of ${longest}`]),
    )
    const bytes = all.reduce(
      (sum, { body, headers }) => sum + body.length + JSON.stringify(headers).length,
      0,
    )
    // Concurrent ones may all find the last place free.
    expect(bytes).toBeLessThan(4.5 * 1024 * 1024)
    expect(all.length).toBeGreaterThan(500)
    // A genuine one does not need their space.
    const paid = await genuine(longest - 1000)
    expect((await bring(paid.body, '203.0.113.201', paid.headers)).status).toBe(200)
    expect(await paid.state()).toBe('paid')
    await shop.database.pool.query('truncate webhook_event')
  })

  it('are completed by the genuine one with the same bytes, which alone can be verified again', async () => {
    const paid = await genuine(10_000)
    expect((await bring(paid.body, '203.0.113.7')).status).toBe(401)
    const [forged] = await rows()
    const replay = () =>
      replayWebhook(shop.database, purchaseDeps(shop.services), forged?.id ?? 0n, shop.clock.now)
    expect(forged).toMatchObject({ verdict: 'forged', body_bytes: paid.body.length })
    expect(await replay()).toBe('cut')
    expect((await bring(paid.body, '203.0.113.8', paid.headers)).status).toBe(200)
    const [whole, ...more] = await rows()
    expect(more).toEqual([])
    expect(whole).toMatchObject({ verdict: 'credited', ip: '203.0.113.8', deliveries: 2 })
    expect(whole?.body.toString()).toBe(paid.body)
    // A forged copy does not change it.
    expect((await bring(paid.body, '203.0.113.9')).status).toBe(401)
    expect((await rows())[0]).toMatchObject({ verdict: 'credited', ip: '203.0.113.8', body: whole?.body })
    expect(await replay()).toBe('known_payment')
  })
})

describe('a processor', () => {
  it('is not limited for genuine ones, in any number', async () => {
    const paid = await genuine()
    for (let times = 0; times < 100; times++)
      expect((await bring(paid.body, '2001:db8:9:9::1', paid.headers)).status).toBe(200)
  })

  it('that has sent a genuine one is not locked out by forgers from its site', async () => {
    const [first, second] = [await genuine(), await genuine()]
    expect((await bring(first.body, '2001:db8:8:1::1', first.headers)).status).toBe(200)
    for (let at = 0; at < 100; at++) await forge(`2001:db8:8:${(at + 16).toString(16)}::1`)
    expect((await forge('2001:db8:8:2::1')).status).toBe(429)
    expect((await bring(second.body, '2001:db8:8:1::2', second.headers)).status).toBe(200)
    expect(await second.state()).toBe('paid')
  })
})

/** Machines whose clock differs from the database's by days: nothing they do depends on it. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#db'
import { addJob } from '#db/jobs'
import { testDatabase } from '#test/database'
import { type Origin, startOrigin } from '#test/origin'
import { newAccount } from '#test/people'
import { freePort } from '#test/ports'
import { startStack, turnpike, until } from '#test/stack'
import { tunnel } from '../whole/tunnel.ts'
import { type WrongClock, wrongClock } from '#test/wrong-clock'
import { FakeYookassa } from '../processors/yookassa.ts'
import { type Machine, shopEnv, startWorkerMachine } from './machines.ts'

const day = 24 * 3600_000
const clocks: WrongClock[] = []
afterEach(() => {
  for (const clock of clocks.splice(0)) clock.remove()
})
function clockOffBy(days: number): WrongClock {
  const clock = wrongClock(days * day)
  clocks.push(clock)
  return clock
}

describe.each([-4, 4])('a worker that is %i days off', (days) => {
  const fake = new FakeYookassa()
  let database: Database
  let worker: Machine | null = null
  beforeAll(async () => {
    await fake.start()
    database = await testDatabase()
  })
  afterAll(async () => {
    await worker?.stop()
    await database.close()
    fake.stop()
  })

  /** An invoice of a processor that supports queries. */
  async function invoice(state: 'pending' | 'paid', { madeAgo, livesFor }: Record<string, string>) {
    const number = `of ${days} days, ${state}, made ${madeAgo} ago`
    await sql`
      insert into invoice (number, account_id, pool, method, gb, per_gb_micros, volume_discount_ppm, cost_micros,
        full_cost_micros, external_id, state, received_micros, created_at, expires_at, settled_at)
      values (${number}, ${await newAccount(database.db)}, 'mobile', 'yookassa', 1, 7900000, 0, 7900000, 7900000, ${number},
        ${state}, ${state === 'paid' ? 7_900_000 : 0}, now() - ${madeAgo}::interval,
        now() - ${madeAgo}::interval + ${livesFor}::interval, ${state === 'paid' ? sql`now()` : null})`.execute(
      database.db,
    )
    return number
  }
  const find = (number: string) =>
    database.db.selectFrom('invoice').selectAll().where('number', '=', number).executeTakeFirstOrThrow()

  it('does no scheduled work, states the reason, and begins when its clock is corrected', async () => {
    const paid = await invoice('paid', { madeAgo: '12 hours', livesFor: '1 hour' })
    const open = await invoice('pending', { madeAgo: '10 minutes', livesFor: '1 hour' })
    const overdue = await invoice('pending', { madeAgo: '2 hours', livesFor: '1 hour' })
    const before = await find(paid)
    const metricsPort = await freePort()
    const clock = clockOffBy(days)
    const { shopId, secretKey, url } = fake
    const env = shopEnv(database.url, {
      YOOKASSA_SHOP_ID: shopId,
      YOOKASSA_SECRET_KEY: secretKey,
      YOOKASSA_API_BASE: url.href,
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    })
    worker = await startWorkerMachine({ ...env, ...clock.env })

    const page = (path: string) => fetch(`http://127.0.0.1:${metricsPort}${path}`)
    const [way, seconds] = [days > 0 ? 'ahead of' : 'behind', Math.abs(days) * 86_400]
    const ready = await page('/readyz')
    expect(ready.status).toBe(503)
    expect(await ready.text()).toMatch(
      new RegExp(
        `^not ready\nThe clock of this machine is ${Math.floor(seconds / 10)}\\d s ${way} the database's.\n$`,
      ),
    )
    const [, ahead] = /\nturnpike_clock_ahead_seconds (\S+)/.exec(await (await page('/metrics')).text()) ?? []
    expect(Number(ahead)).toBeCloseTo(days * 86_400, -1)
    const doctor = turnpike({ ...env, ...clock.env, DATA_DIR: worker.dataDir }, 'doctor')
    await expect(doctor).rejects.toMatchObject({
      stdout: expect.stringContaining('trouble  clock: The clock of'),
    })

    // The worker queued nothing, and ran no job that others queued.
    expect(await database.db.selectFrom('recurring_task').selectAll().execute()).toEqual([])
    await addJob(database.db, 'expire_invoices', {})
    expect((await find(overdue)).state).toBe('pending')

    clock.set(0)
    await until(async () => (await find(overdue)).state === 'expired', 60_000, 'scheduled work to begin')
    await until(async () => (await find(open)).checked_at !== null, 60_000, 'open invoices to be asked about')
    expect((await find(open)).state).toBe('pending')
    expect(await find(paid)).toEqual(before)
    expect(await (await page('/readyz')).text()).toBe('ready\n')
  }, 150_000)
})

describe('a whole shop that is four days behind its database', () => {
  let origin: Origin
  beforeAll(async () => {
    origin = await startOrigin()
  })
  afterAll(() => origin.close())

  it('writes the database’s time: of sessions, invoices, payments and the traffic of a day', async () => {
    const stack = await startStack(clockOffBy(-4).env)
    // Opens the running shop's database, as a command of the operator does.
    const database = await openDatabase({ dataDir: stack.dataDir, role: 'guest' })
    try {
      const customer = await stack.signIn()
      const page = await customer.call('create_invoice_web', {
        payment_method: 'sandbox',
        amount: 1,
        pool: 'mobile',
      })
      await fetch(page, { method: 'POST', body: new URLSearchParams({ result: 'paid' }), redirect: 'manual' })
      const line = await customer.proxy('mobile')
      const target = { host: origin.host, port: origin.echoPort }
      const open = await tunnel({ port: stack.portBase + 3000, target, ...line })
      await open.echo('hello')
      open.end()
      const { rows } = await sql<{ table: string; far: Date }>`
        select 'invoice' as table, created_at as at from invoice union all
        select 'invoice settled', settled_at from invoice union all
        select 'invoice expires', expires_at - interval '1 hour' from invoice union all
        select 'payment', received_at from payment union all
        select 'webhook', received_at from webhook_event union all
        select 'session', used_at from session union all
        select 'session expires', expires_at - interval '30 days' from session`.execute(database.db)
      const { rows: far } = await sql<{ table: string }>`
        select "table" from json_to_recordset(${JSON.stringify(rows)}::json) as one ("table" text, at timestamptz)
        where at is null or abs(extract(epoch from at - now())) > 120`.execute(database.db)
      expect(far).toEqual([])
      expect(new Set(rows.map(({ table }) => table)).size).toBe(7)
      const days = async () =>
        (
          await sql`select distinct day = (now() at time zone 'UTC')::date as today from usage_day`.execute(
            database.db,
          )
        ).rows
      await until(async () => (await days()).length > 0, 60_000, 'the traffic to be settled')
      expect(await days()).toEqual([{ today: true }])
      const usage = await customer.usage('mobile')
      expect(usage.usage.at(-1)?.request).toBe(1)
    } finally {
      await database.close()
      await stack.close()
    }
  }, 150_000)
})

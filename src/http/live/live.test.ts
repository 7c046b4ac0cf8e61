import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type LiveEvents, liveRequestsPath } from '#contract/requests/live'
import { transaction } from '#db'
import type { RequestRecord } from '#feed'
import { keepRequests } from '#requests'
import { app, type App, type Customer } from '#test/app'
import { batchOf } from '#test/connections'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

async function customerWithPool(): Promise<Customer & { access: bigint }> {
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
  const { access } = await shop.database.db
    .selectFrom('access')
    .innerJoin('account', 'account.id', 'access.account_id')
    .where('account.username', '=', customer.username)
    .select('access.id as access')
    .executeTakeFirstOrThrow()
  return { ...customer, access }
}

const record = (access: bigint, rest: Partial<RequestRecord> = {}): RequestRecord => ({
  id: randomUUID(),
  access,
  at_ms: shop.clock.now.getTime() - 100,
  protocol: 'connect',
  target: 'example.com:443',
  settings: 'cc-us',
  multiplier: 1,
  country: 'us',
  exit: 3n,
  authenticated_ms: 1,
  exit_chosen_ms: 2,
  connected_ms: 20,
  first_byte_ms: 30,
  ended_ms: 50,
  outcome: 'done',
  status: null,
  code: null,
  sentence: null,
  exit_status: null,
  exit_word: null,
  up_bytes: 10n,
  down_bytes: 7n,
  charged_up_bytes: 10n,
  charged_down_bytes: 7n,
  ...rest,
})

const keep = (...records: RequestRecord[]) =>
  keepRequests(shop.database.db, batchOf(records), { now: shop.clock.now })

interface Event {
  id: string
  data: LiveEvents['requests']
}

/** An open stream, whose events are read one by one. */
class Reader {
  readonly response: Response
  readonly #abort: AbortController
  #chunks: ReadableStreamDefaultReader<string> | undefined
  #text = ''

  constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
  }

  /** The next event; null at the end of the stream. */
  async next(): Promise<Event | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        const data = field('data')
        if (data !== undefined)
          return { id: field('id') ?? '', data: JSON.parse(data) as LiveEvents['requests'] }
        continue
      }
      this.#chunks ??= (this.response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
        .pipeThrough(new TextDecoderStream())
        .getReader()
      const { value, done } = await this.#chunks.read().catch(() => ({ value: undefined, done: true }))
      if (done || value === undefined) return null
      this.#text += value
    }
  }

  /** The ids of the requests of the next event. */
  async ids(): Promise<string[]> {
    return ((await this.next())?.data.requests ?? []).map(({ id }) => id)
  }

  close(): void {
    this.#abort.abort()
  }
}

async function open(token: string | null, headers: Record<string, string> = {}): Promise<Reader> {
  const abort = new AbortController()
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${shop.origin}${liveRequestsPath}`, {
    headers: { ...authorization, ...headers },
    signal: abort.signal,
  })
  return new Reader(response, abort)
}

it('the stream sends a customer’s own requests as they are stored, and nobody else’s', async () => {
  const [alice, bob] = [await customerWithPool(), await customerWithPool()]
  const stream = await open(alice.token)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.response.headers.get('cache-control')).toContain('no-store')
  expect(await stream.ids()).toEqual([])
  const hers = record(alice.access, { code: 'no_traffic', status: 402, outcome: 'refused' })
  await keep(record(bob.access), hers)
  const event = await stream.next()
  expect(event?.data).toEqual({
    requests: [
      expect.objectContaining({ id: hers.id, pool: 'mobile', target: 'example.com:443', code: 'no_traffic' }),
    ],
    is_partial: false,
  })
  stream.close()
})

it('the stream goes on after Last-Event-ID without a loss or a repetition, also of a batch that commits late', async () => {
  const { token, access, call } = await customerWithPool()
  const before = record(access)
  await keep(before)
  const page = await call('get_requests', {})
  expect(page.requests.map(({ id }) => id)).toEqual([before.id])

  // A batch that began before the position was taken, and commits after it.
  const late = record(access)
  const early = record(access)
  const position = await transaction(shop.database.db, async (tx) => {
    const columns = sql`ended_at, accepted_at, account_id, access_id, up_bytes, down_bytes, charged_up_bytes,
      charged_down_bytes, duration_ms, multiplier, protocol, outcome`
    await sql`
      insert into connection_record (id, ${columns})
      select ${late.id}::uuid, ${columns} from connection_record where id = ${before.id}::uuid`.execute(tx)
    await keep(early)
    return (await call('get_requests', {})).position
  })
  const first = await open(token, { 'last-event-id': position })
  const resumed = await first.next()
  expect(resumed?.data.requests.map(({ id }) => id)).toEqual([late.id])
  first.close()

  const meanwhile = [record(access), record(access)]
  await keep(...meanwhile)
  const second = await open(token, { 'last-event-id': resumed?.id ?? '' })
  expect((await second.ids()).toSorted()).toEqual(meanwhile.map(({ id }) => id).toSorted())
  const last = record(access)
  await keep(last)
  expect(await second.ids()).toEqual([last.id])
  second.close()
})

it('the stream sends the newest two hundred of more, and reports that there are others', async () => {
  const { token, access } = await customerWithPool()
  const stream = await open(token)
  await stream.next()
  await keep(...Array.from({ length: 260 }, () => record(access)))
  const event = await stream.next()
  expect(event?.data.requests).toHaveLength(200)
  expect(event?.data.is_partial).toBe(true)
  stream.close()
})

it.each([
  'yesterday',
  '1779019200000_5:4:',
  '1779019200000_1:9:3,2',
  `1779019200000_1:9:${'2,'.repeat(4500)}3`,
  '9999999999999_1:2:',
  `${Date.now()}_1:4000000000000:`,
  "1779019200000_1:9:2'; drop table account",
])('the stream begins anew, and says so, at a forged Last-Event-ID: %.40s', async (forged) => {
  const { token, access } = await customerWithPool()
  await keep(record(access))
  const stream = await open(token, { 'last-event-id': forged })
  expect((await stream.next())?.data).toEqual({ requests: [], is_partial: true })
  const next = record(access)
  await keep(next)
  expect(await stream.ids()).toEqual([next.id])
  stream.close()
})

it('the stream sends nothing of another customer for that customer’s position', async () => {
  const [alice, bob] = [await customerWithPool(), await customerWithPool()]
  const { position } = await alice.call('get_requests', {})
  await keep(record(alice.access))
  const stream = await open(bob.token, { 'last-event-id': position })
  expect((await stream.next())?.data).toEqual({ requests: [], is_partial: false })
  stream.close()
})

it('the stream refuses strangers, API tokens, and more than six streams of an account', async () => {
  const customer = await customerWithPool()
  expect((await open(null)).response.status).toBe(401)
  expect((await open('nobody')).response.status).toBe(401)
  const program = await open(await customer.call('reseller_token', {}))
  expect(await program.response.json()).toMatchObject({ code: 'not_for_reseller_token' })
  const streams = await Promise.all(Array.from({ length: 6 }, () => open(customer.token)))
  expect(streams.map(({ response }) => response.status)).toEqual(Array(6).fill(200))
  const seventh = await open(customer.token)
  expect(seventh.response.status).toBe(429)
  expect(await seventh.response.json()).toMatchObject({ code: 'too_many_streams' })
  // Closing one stream permits another.
  streams[0]?.close()
  const statusOfNext = async () => {
    const again = await open(customer.token)
    again.close()
    return again.response.status
  }
  await expect.poll(statusOfNext).toBe(200)
  for (const stream of streams) stream.close()
})

it('the stream ends with the session', async () => {
  const customer = await customerWithPool()
  const stream = await open(customer.token)
  await stream.next()
  await customer.call('signout', {})
  expect(await stream.next()).toBeNull()
})

it('the stream disconnects a client that reads nothing', async () => {
  const { token, access } = await customerWithPool()
  const url = new URL(shop.origin)
  const socket = await new Promise<Socket>((resolve) => {
    const made = connect({ host: url.hostname, port: Number(url.port) }, () => resolve(made))
  })
  socket.on('error', () => undefined)
  socket.write(`GET ${liveRequestsPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  await new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.pause()
  const { id: account } = await shop.database.db
    .selectFrom('account')
    .innerJoin('access', 'access.account_id', 'account.id')
    .where('access.id', '=', access)
    .select('account.id')
    .executeTakeFirstOrThrow()
  const watches = () =>
    shop.database.db.selectFrom('request_watch').selectAll().where('account_id', '=', account).execute()
  expect(await watches()).toHaveLength(1)
  const target = `${'x'.repeat(290)}:443`
  await vi.waitFor(
    async () => {
      await keep(...Array.from({ length: 200 }, () => record(access, { target })))
      expect(await watches()).toEqual([])
    },
    { timeout: 60_000, interval: 200 },
  )
  socket.destroy()
}, 90_000)

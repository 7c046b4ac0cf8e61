/**
 * Two customers and one address, through a real gateway over the real feed: the effects of a claim on others.
 * Clients come from addresses of this machine, which only a demo lists.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { seedDemoExits } from '#exits'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { type Gateway, startGateway } from '#gateway'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { lineOf, until } from '#test/stack'
import { expireClaims } from '#whitelist'
import { RawClient } from '../../src/gateway/testing/client.ts'
import { openFeed } from '../../src/main/feed.ts'
import { Stopper } from '../../src/main/process/stop.ts'

const pool = 'residential'
const everywhereMs = 2000
const stopper = new Stopper()
const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-whitelist-'))

let shop: App
let origin: Origin
let gateway: Gateway
let owner: Customer
let stranger: Customer
let clients: RawClient[]
/** The address that both customers use: a different one in every test. */
let address: string
let last = 10

beforeAll(async () => {
  ;[shop, origin] = await Promise.all([app({ env: { GATEWAY_SLOTS: '1' } }), startOrigin()])
  await seedDemoExits(shop.database.db)
  gateway = await startGateway({
    gateway: 'whitelist',
    journalDir: folder,
    feed: await openFeed(shop.services, stopper, { isOfThisMachine: true, registry: null }),
    ports: [{ pool, port: 0, slots: 1 }],
    host: '127.0.0.1',
    reusePort: false,
    allow: [{ cidr: { ip: { family: 4, value: 0x7f000001n }, prefix: 32 }, port: null }],
    log: shop.services.log,
  })
})
afterAll(async () => {
  await gateway.stop({ graceMs: 0 })
  await stopper.stop(shop.services.log)
  await shop.close()
  await origin.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  clients = []
  address = `127.0.0.${last++}`
  ;[owner, stranger] = [await newCustomer(), await newCustomer()]
})
afterEach(() => {
  for (const client of clients) client.destroy()
})

async function newCustomer(): Promise<Customer> {
  const person = await shop.customer()
  await shop.buy(person, { pool, gb: 1 })
  // A line for slot 1.
  await person.call('get_proxy', {
    anonymous: 'true',
    type: 'sticky',
    protocol: 'http',
    format: 'hostname:port',
    quantity: 1,
    sessionttl: 0,
    pool,
  })
  return person
}

const add = (whose: Customer) => whose.call('add_ip_to_whitelist', { ip: address, pool })
const list = (whose: Customer) => whose.call('get_whitelist_ips', { pool })
const portOf = (slot: number | null) => gateway.addresses.find((each) => each.slot === slot)?.port ?? 0
const entry = () => portOf(null)
const slot = () => portOf(1)

async function basicOf(whose: Customer): Promise<string> {
  const { login, password } = await lineOf(whose.call, pool)
  return `Proxy-Authorization: Basic ${Buffer.from(`${login}:${password}`).toString('base64')}\r\n`
}

function open(port: number): RawClient {
  const client = new RawClient(connectSocket({ host: '127.0.0.1', port, localAddress: address }))
  clients.push(client)
  return client
}

/** Sends a CONNECT to the echo on this connection; returns the status. */
async function ask(client: RawClient, fields = ''): Promise<string> {
  const answers = () => [...client.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? '')
  const before = answers().length
  const target = `127.0.0.1:${origin.echoPort}`
  client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${fields}\r\n`)
  await client.until(() => answers().length > before && client.text.includes('\r\n\r\n'), 'the answer')
  return answers().at(-1) ?? ''
}
const statusAt = (port: number, fields = '') => ask(open(port), fields)
const becomes = (port: number, status: string) =>
  until(async () => (await statusAt(port)) === status, everywhereMs, `${status} at a port`)

async function echo(client: RawClient): Promise<void> {
  const before = client.bytes.length
  client.write('hello')
  await client.until(() => client.bytes.length === before + 5, 'the echo')
}

/** The number of requests charged to a customer. */
const requests = async (whose: Customer) =>
  (await whose.call('legacy_get_statistic', { period: 'week', pool })).usage.at(-1)?.request ?? 0

/**
 * Waits for the 407 before it sends its password, as most clients do; the tunnel is charged to the customer.
 */
async function expectOrdinaryUse(whose: Customer): Promise<void> {
  const client = open(entry())
  expect(await ask(client)).toBe('407')
  expect(await ask(client, await basicOf(whose))).toBe('200')
  await echo(client)
}

it('another customer’s claim changes nothing for a customer who waits for a 407, and discloses nothing to the claimant', async () => {
  await expectOrdinaryUse(owner)
  expect(await add(stranger)).toBe(true)
  await expectOrdinaryUse(owner)
  const { db } = shop.database
  await sql`update account set blocked_at = now() where username = ${stranger.username}`.execute(db)
  await sql`select pg_notify(${feedChannel}, ${printAnnouncement({ type: 'reset' })})`.execute(db)
  await expectOrdinaryUse(owner)
  await sql`update account set blocked_at = null where username = ${stranger.username}`.execute(db)
  for (const client of clients) client.destroy()
  await until(async () => (await requests(owner)) === 3, 60_000, 'the owner to be charged')
  expect(await requests(stranger)).toBe(0)
})

it('a customer lists an address that another claims, and gets it by one connection with a password', async () => {
  await add(stranger)
  await becomes(slot(), '200')
  const before = open(slot())
  await ask(before)
  await echo(before)
  // Not taken: no customer has proven it.
  expect(await add(owner)).toBe(true)
  await before.untilEnd(everywhereMs)
  expect(await statusAt(slot())).toBe('403')
  expect(await statusAt(entry())).toBe('407')
  expect(await statusAt(entry(), await basicOf(owner))).toBe('200')
  await becomes(entry(), '200')
  await becomes(slot(), '200')
  expect([await list(owner), await list(stranger)]).toEqual([[address], []])
  expect((await stranger.call('get_whitelist_entries', { pool })).lost).toMatchObject([
    { ip: address, reason: 'taken' },
  ])
  const letters = await shop.database.db
    .selectFrom('mail')
    .select('recipient')
    .where('template', '=', 'address_taken')
    .where(sql<boolean>`data->>'address' = ${address}`)
    .execute()
  expect(letters).toEqual([{ recipient: stranger.email }])
})

it('another customer behind the same address changes nothing for the one who has proven it', async () => {
  await add(owner)
  expect(await statusAt(entry(), await basicOf(owner))).toBe('200')
  await becomes(entry(), '200')
  const tunnel = open(entry())
  await ask(tunnel)
  expect(await refusalOf(add(stranger))).toMatchObject({ code: 'ip_taken' })
  const here = shop.from(address, 'ru', stranger.token)
  expect(await refusalOf(here('add_ip_to_whitelist', { ip: address, pool }))).toMatchObject({
    code: 'ip_taken',
  })
  for (let time = 0; time < 3; time++) expect(await statusAt(entry(), await basicOf(stranger))).toBe('200')
  await echo(tunnel)
  expect([await list(owner), await list(stranger)]).toEqual([[address], []])
})

it('an address added from itself works immediately, at both kinds of ports', async () => {
  const here = shop.from(address, 'ru', owner.token)
  expect(await here('add_ip_to_whitelist', { ip: address, pool })).toBe(true)
  await becomes(entry(), '200')
  await becomes(slot(), '200')
})

it('a claim that was not proven for a day ends, and its sessions are cut', async () => {
  await add(owner)
  await becomes(slot(), '200')
  const tunnel = open(slot())
  await ask(tunnel)
  await echo(tunnel)
  const { db } = shop.database
  await sql`
    update whitelist set claimed_at = claimed_at - interval '25 hours', last_used_at = last_used_at - interval '25 hours'
    where address = ${address}`.execute(db)
  expect(await expireClaims(db)).toBe(1)
  await tunnel.untilEnd(everywhereMs)
  expect(await statusAt(slot())).toBe('403')
})

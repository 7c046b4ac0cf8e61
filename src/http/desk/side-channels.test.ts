/**
 * A member who sees only masks must learn nothing from order, filters, sums and cursors. All lists are read
 * twice, with every value of every sort and enum; between the two, two customers exchange their masked data.
 */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { deskContract } from '#contract/desk/contract'
import { type DeskCall } from '#contract/desk/call'
import { deskPath, deskWire, type DeskName, isPermission, mayCall } from '#contract/desk/wire'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { connectionOf, keepConnections } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let viewers: StaffMember[]
let support: StaffMember
let customers: Customer[]
let ids: string[]

/** Two that are equal when masked; unmasked, the first comes first in every order. */
const masked = [
  { email: 'qaaaa@haaaa.example', telegram: 1111, text: 'aaaa', ip: '192.0.2.1' },
  { email: 'qzzzz@hzzzz.example', telegram: 999_999, text: 'zzzz zzzz', ip: '203.0.113.99' },
] as const
const target = 'hidden-target.example:443'

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  customers = [await shop.customer('first_person'), await shop.customer('second_person')]
  ids = await Promise.all(customers.map(accountIdOf))
  const owner = await office.staff('owner')
  const { pool: database } = shop.database
  for (const [at, customer] of customers.entries()) {
    const id = ids[at] ?? ''
    await shop.buy(customer, { pool: 'mobile', gb: 1 + at })
    await owner.call('add_note', { id, text: 'a note' })
    await owner.call('block_customer', { id, reason: 'a reason', tell: false })
    await owner.call('unblock_customer', { id })
    await database.query(
      `insert into telegram_identity (telegram_user_id, account_id) values ($1, $2) on conflict do nothing`,
      [at + 5, id],
    )
    await database.query(`insert into whitelist (pool, address, account_id) values ('mobile', $1, $2)`, [
      `198.51.100.${at + 1}`,
      id,
    ])
  }
  const { rows } = await database.query<{ id: bigint }>('select id from access where account_id = $1', [
    ids[0],
  ])
  const whose = { accessId: rows[0]?.id ?? 0n, accountId: BigInt(ids[0] ?? ''), pool: 'mobile' } as const
  const { now } = shop.clock
  await keepConnections(shop.database.db, [connectionOf(whose, now, { target, client: '192.0.2.77' })], now)
  // The shop's clock is ahead of the database's, by which the page of today counts documents that are due:
  // they would become due between two readings.
  await database.query(`update document_due set due_at = due_at - interval '1 day'`)
  viewers = [await office.staff('viewer'), await office.staff('viewer')]
  support = await office.staff('support')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

/** Gives the two customers their masked data: in this order, or exchanged. */
async function give(order: readonly [0 | 1, 0 | 1]): Promise<void> {
  const run = (text: string, values: unknown[]) => shop.database.pool.query(text, values)
  // Removed first, because an address can belong to one account only.
  await run(`update account set email = null, email_key = null where id = any($1)`, [ids])
  await run(
    `update telegram_identity set telegram_user_id = telegram_user_id + 5000000 where account_id = any($1)`,
    [ids],
  )
  for (const [at, which] of order.entries()) {
    const id = ids[at]
    const { email, telegram, text, ip } = masked[which]
    await run('update account set email = $1, email_key = $1 where id = $2', [email, id])
    await run('update telegram_identity set telegram_user_id = $1 where account_id = $2', [telegram, id])
    await run('update account_note set text = $1 where account_id = $2', [text, id])
    await run('update whitelist set address = $1 where account_id = $2', [ip, id])
    await run('update session set ip = $1, user_agent = $2 where account_id = $3', [ip, text, id])
  }
}

const isChoice = (schema: unknown): schema is z.ZodEnum | z.ZodLiteral =>
  schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral

/** The values of a field that has only some. */
function choicesOf(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return choicesOf(schema.unwrap())
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(choicesOf)
  if (!isChoice(schema)) return []
  return (schema instanceof z.ZodEnum ? schema.options : [...schema.values]).map(String)
}

/** A value for a required field that is not a choice. */
function neededBy(field: string): string {
  const today = shop.clock.now.toISOString().slice(0, 10)
  const values: Record<string, string> = {
    from: today,
    until: today,
    id: ids[0] ?? '',
    page: 'customers',
    number: '1',
  }
  return values[field] ?? '1'
}

/** Every query of a call: each choice of each field alone, in pages of one row and of many. */
function* queriesOf(name: DeskName): Generator<string> {
  const { shape } = deskContract[name].input as z.ZodObject
  const fields = Object.entries(shape)
  const needed = Object.fromEntries(
    fields
      .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
      .map(([field, schema]) => [field, choicesOf(schema)[0] ?? neededBy(field)]),
  )
  const sizes = 'limit' in shape ? [{ limit: '1' }, { limit: '50' }] : [{}]
  const chosen = fields.flatMap(([field, schema]) => choicesOf(schema).map((value) => ({ [field]: value })))
  for (const choice of [{}, ...chosen])
    for (const size of sizes) yield new URLSearchParams({ ...needed, ...size, ...choice }).toString()
  for (const id of 'id' in needed ? ids.slice(1) : []) yield new URLSearchParams({ ...needed, id }).toString()
}

const lists = (Object.entries(deskWire) as [DeskName, DeskCall][]).flatMap(
  ([name, { method, needs, answer }]) =>
    method === 'GET' && answer === 'json' && isPermission(needs) && mayCall('viewer', name) ? [name] : [],
)

/** All answers to a viewer, with cursors decoded and without the times of the answers themselves. */
async function readAll(viewer: StaffMember): Promise<Map<string, unknown>> {
  const read = new Map<string, unknown>()
  for (const name of lists)
    for (const query of queriesOf(name)) {
      shop.clock.now = new Date(shop.clock.now.getTime() + 50)
      const answer = await viewer.browser.fetch(`${deskPath(name)}?${query}`)
      const text = (await answer.text()).replaceAll(/"(?:at|balances_at|request_id)":"[^"]*"/g, '')
      const next = /"next":"([^"]+)"/.exec(text)?.[1] ?? ''
      read.set(`${name}?${query}`, [answer.status, text, Buffer.from(next, 'base64url').toString()])
    }
  return read
}

it('a viewer reads the same when two customers exchange their masked data', async () => {
  // A search for connections answers with less once it has taken long, which depends on the machine.
  const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => still.mockRestore())
  const start = shop.clock.now
  await give([0, 1])
  const before = await readAll(viewers[0] as StaffMember)
  shop.clock.now = start
  await give([1, 0])
  const after = await readAll(viewers[1] as StaffMember)
  expect(before.size).toBeGreaterThan(150)
  const answered = [...before.values()].filter((answer) => (answer as [number])[0] === 200)
  expect(answered.length).toBeGreaterThan(before.size * 0.9)
  for (const [query, answer] of before) {
    expect(after.get(query), query).toEqual(answer)
    for (const { email, text } of masked) {
      expect(JSON.stringify(answer), query).not.toContain(email)
      expect(JSON.stringify(answer), query).not.toContain(text)
    }
  }
})

it('a search for the customers of a target or host needs the permission and a reason', async () => {
  const [viewer] = viewers as [StaffMember]
  for (const filter of [
    { target },
    { target: 'no-such.example:443' },
    { host: 'hidden-target.example' },
    { host: 'no-such.example' },
    { target, reason: 'a complaint' },
  ]) {
    expect(await refusalOf(viewer.call('connections', filter))).toMatchObject({ code: 'no_permission' })
    const file = await viewer.browser.fetch(`/api/connections.csv?${new URLSearchParams(filter).toString()}`)
    expect(file.status).toBe(403)
    if (!('reason' in filter))
      expect(await refusalOf(support.call('connections', filter))).toMatchObject({ code: 'reason_needed' })
  }
  expect((await support.call('connections', { target, reason: 'a complaint' })).rows).toHaveLength(1)
})

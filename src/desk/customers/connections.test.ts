import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '#contract/desk/roles'
import type { ConnectionRecord } from '#feed/connection.record'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember
let support: StaffMember
let customer: Customer
let customerId: string
let whose: Parameters<typeof connectionOf>[0]
let exitId: bigint

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  support = await office.staff('support')
  customer = await shop.customer('complained-of')
  customerId = await accountIdOf(customer)
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    'select id from access where account_id = $1',
    [customerId],
  )
  whose = { accessId: rows[0]?.id ?? 0n, accountId: BigInt(customerId), pool: 'mobile' }
  const exit = await shop.database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('mobile', 'seller-1', 'direct', true) returning id`,
  )
  exitId = exit.rows[0]?.id ?? 0n
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const keep = async (...parts: Partial<ConnectionRecord>[]) => {
  const records = parts.map((rest) => connectionOf(whose, shop.clock.now, { exit: exitId, ...rest }))
  await keepConnections(shop.database.db, records, shop.clock.now)
  return records.map(({ id }) => id)
}
/** The ids of all pages: a search by time alone may end a page early, with a cursor to continue from. */
async function found(filter: Parameters<typeof owner.call<'connections'>>[1]): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await owner.call('connections', { ...filter, ...(after === undefined ? {} : { after }) })
    ids.push(...page.rows.map((row) => row.request_id))
    after = page.next
  }
  return ids
}
const lastLooks = async () =>
  (
    await shop.database.pool.query<{
      action: string
      account_id: bigint | null
      after: unknown
      reason: string
    }>(
      `select action, account_id, after, reason from audit_entry
        where action in ('connections', 'complaint_answer') order by id desc`,
    )
  ).rows

describe('a connection', () => {
  it('is found by every fact that a complaint may name, with its customer', async () => {
    const [id = ''] = await keep({ target: 'forum.example:443', client: '2001:db8::7' })
    const reason = 'complaint 17'
    expect(await found({ target: 'Forum.example:443', reason })).toEqual([id])
    expect(await found({ host: 'forum.example', reason })).toEqual([id])
    expect(await found({ ip: '2001:db8:0::7' })).toEqual([id])
    expect(await found({ request_id: id })).toEqual([id])
    for (const filter of [{ exit: String(exitId) }, { customer: customerId }, {}])
      expect(await found(filter)).toContain(id)
    const hour = (by: number) => new Date(shop.clock.now.getTime() + by * 3_600_000).toISOString()
    expect(await found({ host: 'forum.example', reason, from: hour(-1), until: hour(1) })).toEqual([id])
    expect(await found({ host: 'forum.example', reason, from: hour(-3), until: hour(-2) })).toEqual([])
    expect((await owner.call('connections', { request_id: id, reason })).rows).toMatchObject([
      {
        customer_id: customerId,
        customer_name: 'complained-of',
        pool: 'mobile',
        exit: 'seller-1',
        target: 'forum.example:443',
        ip: '2001:db8::7',
        charged_bytes: '1000',
      },
    ])
  })

  it('is found by the target’s address, with a reason only, and by the exit’s address', async () => {
    const ends = { target_address: '203.0.113.80', exit_address: '198.51.100.7', exit_port: 41_022 }
    const [id = ''] = await keep({ target: 'victim.example:22', ...ends })
    await keep({ target: 'other.example:22', ...ends, target_address: '203.0.113.81', exit_port: 41_023 })
    expect((await refusalOf(owner.call('connections', { host: '203.0.113.80' }))).code).toBe('reason_needed')
    expect(await found({ host: '203.0.113.80', reason: 'letter 9' })).toEqual([id])
    expect(await found({ target: '203.0.113.80:22', reason: 'letter 9' })).toEqual([id])
    expect(await found({ exit_ip: '198.51.100.7', exit_port: 41_022 })).toEqual([id])
    const bad = refusalOf(owner.call('connections', { exit_ip: 'ours' }))
    expect((await bad).code).toBe('invalid_exit_ip')
    const shown = async (filter: object) =>
      (await owner.call('connections', { request_id: id, ...filter })).rows[0]
    expect(await shown({})).toMatchObject({
      target: null,
      target_ip: null,
      exit_ip: '198.51.100.7',
      exit_port: 41_022,
    })
    expect(await shown({ reason: 'letter 9' })).toMatchObject({ target_ip: '203.0.113.80' })
  })

  it('is listed page by page, each once', async () => {
    await keep(...Array.from({ length: 7 }, () => ({ client: '198.51.100.200' })))
    const seen: string[] = []
    for (let after: string | undefined, pages = 0; pages < 10; pages += 1) {
      const page = await owner.call('connections', {
        ip: '198.51.100.200',
        limit: 3,
        ...(after === undefined ? {} : { after }),
      })
      seen.push(...page.rows.map((row) => row.request_id))
      if (page.next === null) break
      after = page.next
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7])
  })

  it('is not searched by an invalid filter', async () => {
    const codeOf = async (filter: Parameters<typeof owner.call<'connections'>>[1]) =>
      (await refusalOf(owner.call('connections', filter))).code
    expect(await codeOf({ ip: 'here' })).toBe('invalid_ip')
    expect(await codeOf({ after: 'elsewhere' })).toBe('invalid_after')
    expect(await codeOf({ after: `1_${'-'.repeat(36)}` })).toBe('invalid_after')
    expect(await codeOf({ request_id: 'x' })).toBe('invalid_request_id')
    expect(await codeOf({ from: '0000-01-01' })).toBe('invalid_from')
    expect(await found({ from: '1900-01-01', until: shop.clock.now.toISOString() })).not.toEqual([])
    expect(await found({ from: '1900-01-01', until: '2999-12-31' })).not.toEqual([])
  })
})

describe('a target', () => {
  it('is shown only for a reason, which the audit trail records with the search', async () => {
    const [id = ''] = await keep({ target: 'private.example:443' })
    const before = (await lastLooks()).length
    expect((await support.call('connections', { request_id: id })).rows[0]?.target).toBeNull()
    expect((await refusalOf(support.call('connections', { host: 'private.example' }))).code).toBe(
      'reason_needed',
    )
    expect(await lastLooks()).toHaveLength(before)
    const look = { request_id: id, customer: customerId, reason: 'asked by the customer' }
    expect((await support.call('connections', look)).rows[0]?.target).toBe('private.example:443')
    const looks = await lastLooks()
    expect(looks).toHaveLength(before + 1)
    expect(looks[0]).toEqual({
      action: 'connections',
      account_id: BigInt(customerId),
      after: { request_id: id, customer: customerId },
      reason: 'asked by the customer',
    })
  })

  it('is not shown, searched or guessed by roles without the right', async () => {
    const viewer = await office.staff('viewer')
    const reason = 'curiosity'
    for (const filter of [{ reason }, { host: 'private.example' }, { host: 'private.example', reason }])
      expect((await refusalOf(viewer.call('connections', filter))).code).toBe('no_permission')
    const { rows } = await viewer.call('connections', { customer: customerId })
    expect(rows.map(({ target, ip }) => [target, ip])).toContainEqual([null, '…'])
    const accountant = await office.staff('accountant')
    expect((await refusalOf(accountant.call('connections', {}))).code).toBe('no_permission')
    for (const role of ['viewer', 'accountant'] satisfies Role[]) {
      const member = role === 'viewer' ? viewer : accountant
      const complaint = { request_id: crypto.randomUUID(), language: 'en', reason } as const
      expect((await refusalOf(member.call('complaint_answer', complaint))).code).toBe('no_permission')
    }
  })

  it('is in the CSV under the same rule', async () => {
    const fetched = async (query: string) =>
      (await support.browser.fetch(`/api/connections.csv?customer=${customerId}${query}`)).text()
    expect(await fetched('')).not.toContain('private.example')
    const before = (await lastLooks()).length
    expect(await fetched('&reason=for%20the%20court')).toContain('private.example:443')
    expect((await lastLooks()).length).toBe(before + 1)
  })
})

describe('the answer to a complainant', () => {
  it('names the connection and whether it was ended, and never the person', async () => {
    const [id = ''] = await keep({ target: 'victim.example:443' })
    const ask = (language: 'ru' | 'en') =>
      support.call('complaint_answer', { request_id: id, language, reason: 'complaint 18' })
    const { text } = await ask('en')
    expect(text).toContain('victim.example:443')
    expect(text).toContain(id)
    expect(text).toContain('We are examining')
    expect((await lastLooks())[0]).toMatchObject({
      action: 'complaint_answer',
      account_id: BigInt(customerId),
      reason: 'complaint 18',
    })
    await owner.call('block_customer', { id: customerId, reason: 'abuse', tell: false })
    const russian = (await ask('ru')).text
    expect(russian).toContain('заблокирован')
    const login = (await owner.call('customer', { id: customerId })).pools[0]?.login ?? ''
    for (const secret of ['complained-of', customer.email, login, '203.0.113.9', `#${customerId}`])
      expect(text + russian).not.toContain(secret)
    await owner.call('unblock_customer', { id: customerId })
    const unknown = { request_id: crypto.randomUUID(), language: 'en', reason: 'a guess' } as const
    expect((await refusalOf(support.call('complaint_answer', unknown))).code).toBe('connection_not_found')
  })
})

describe('refusals', () => {
  it('are counted by code with the latest examples, targets masked; ends of tunnels are not included', async () => {
    const said = { exit_status: 403, exit_word: 'Blocked.Example is not allowed' }
    await keep(
      ...Array.from({ length: 4 }, () => ({
        ...refusedWith('exit_refused'),
        ...said,
        target: 'blocked.example:443',
      })),
      refusedWith('no_traffic'),
      { ...refusedWith('exit_failed'), exit_word: 'nothing at hidden.example', target: null },
      { outcome: 'no_traffic' },
      { outcome: 'target_failed' },
    )
    const day = shop.clock.now.toISOString().slice(0, 10)
    const rows = await owner.call('refusals', { from: day, until: day })
    expect(rows.map(({ code, requests }) => [code, requests])).toEqual([
      ['exit_refused', '4'],
      ['exit_failed', '1'],
      ['no_traffic', '1'],
    ])
    expect(rows[0]?.examples).toHaveLength(3)
    expect(rows[0]?.examples[0]).toMatchObject({
      customer_name: 'complained-of',
      exit: 'seller-1',
      code: 'exit_refused',
      exit_status: 403,
      exit_word: '… is not allowed',
    })
    expect(JSON.stringify(rows)).not.toMatch(/(blocked|hidden)\.example/i)
    const years = refusalOf(owner.call('refusals', { from: '1900-01-01', until: day }))
    expect((await years).code).toBe('invalid_until')
    const today = await owner.call('today', {})
    expect(today.refused_requests?.today).toBe('6')
    const own = await owner.call('customer_refusals', { id: customerId, limit: 2 })
    expect(own.rows).toHaveLength(2)
    const rest = await owner.call('customer_refusals', { id: customerId, after: own.next ?? '' })
    expect([...own.rows, ...rest.rows].map(({ code }) => code).toSorted()).toEqual([
      'exit_failed',
      ...Array<string>(4).fill('exit_refused'),
      'no_traffic',
    ])
    expect((await refusalOf(owner.call('customer_refusals', { id: '999999' }))).code).toBe(
      'customer_not_found',
    )
  })
})

describe('gateways', () => {
  it('show what they report, with the figures of their workers, and are drained', async () => {
    const { pool } = shop.database
    await pool.query(`insert into gateway (name, version, address, workers, state, reports_waiting, connections, started_at)
      values ('eu-1', '0.1.0', 'eu1:20000', 2, 'running', 3, 17, now())`)
    await pool.query(`insert into gateway_boot (gateway, boot, started_at, seen_at, tunnels, bits_per_second)
      values ('eu-1-0', 'b1', now(), now(), 9, 8000000000), ('eu-1-1', 'b2', now(), now() - interval '1 minute', 8, 1)`)
    const shown = async () => (await owner.call('gateways', {})).find(({ name }) => name === 'eu-1')
    expect(await shown()).toMatchObject({
      version: '0.1.0',
      address: 'eu1:20000',
      worker_count: 2,
      state: 'running',
      reports_waiting: 3,
      connections: 17,
      drain_asked_at: null,
      leases: 0,
      workers: [{ name: 'eu-1-0', tunnels: 9, bits_per_second: '8000000000', leases: null }],
    })
    const drain = { name: 'eu-1', reason: 'a new disk' }
    expect(await owner.call('drain_gateway', drain)).toEqual({ changed: true })
    expect(await owner.call('drain_gateway', drain)).toEqual({ changed: false })
    expect((await shown())?.drain_asked_at).not.toBeNull()
    expect(await owner.call('undrain_gateway', { name: 'eu-1' })).toEqual({ changed: true })
    const { rows } = await owner.call('audit', { subject_kind: 'gateway', subject_id: 'eu-1' })
    expect(rows.map(({ action, reason }) => [action, reason])).toEqual([
      ['undrain_gateway', null],
      ['drain_gateway', 'a new disk'],
    ])
    expect((await refusalOf(owner.call('drain_gateway', { name: 'nowhere' }))).code).toBe('gateway_not_found')
  })
})

it('a refused connection shows the answer that the client got, without the target unless a reason is given', async () => {
  const sentence = 'there is no country "zz": did you mean "az"? (for secret.example)'
  const [id = ''] = await keep({ ...refusedWith('unknown_country'), target: 'secret.example:443', sentence })
  const shown = async (more: object) => (await owner.call('connections', { request_id: id, ...more })).rows[0]
  expect((await shown({}))?.sentence).toBe('there is no country "zz": did you mean "az"? (for …)')
  expect((await shown({ reason: 'a question' }))?.sentence).toBe(sentence)
  const line = 'there is no country "zz": did you mean "az"?'
  const [early = ''] = await keep({ ...refusedWith('bad_username'), target: null, sentence: line })
  const { rows } = await support.call('customer_refusals', { id: customerId })
  expect(rows.find((row) => row.request_id === early)?.sentence).toBe(line)
  expect(rows.find((row) => row.request_id === id)?.sentence).toMatch(/did you mean "az"\? \(for …\)/)
})

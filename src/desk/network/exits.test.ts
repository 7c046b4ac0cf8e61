import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listExits, noteAnswers, showExits, watchExits } from '#exits'
import { answerClasses } from '#feed/exit.answers'
import type { DeskInput } from '#contract/desk/contract'
import { app, type App, refusalOf } from '#test/app'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { type Peer, startPeer } from '#test/peers'

let shop: App
let office: Desk
let owner: StaffMember
let peer: Peer

beforeAll(async () => {
  ;[shop, peer] = await Promise.all([
    app({ env: { DEMO: '0', GATEWAY_ALLOW: '127.0.0.1' } }),
    startPeer('microsocks'),
  ])
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await Promise.all([shop.close(), peer.stop()])
})

const secret = 's3cret of the seller'
const seller = (own: Partial<DeskInput<'test_new_exit'>> = {}): DeskInput<'test_new_exit'> => ({
  pool: 'residential',
  name: 'impulse',
  kind: 'http',
  preset: 'dataimpulse',
  host: null,
  port: null,
  username: 'abc123',
  password: secret,
  options: { anon: '1' },
  tls: false,
  weight: 3,
  max_connections: 500,
  countries: ['de', 'us'],
  ...own,
})
const add = async (own: Partial<DeskInput<'test_new_exit'>> = {}, enabled = true) => {
  await office.stepUp(owner)
  return owner.call('add_exit', { ...seller(own), enabled, reason: 'a new contract' })
}

describe('this machine as an exit', () => {
  const bare = { kind: 'direct', preset: null, username: null, password: null, options: {} } as const

  it('is tested and added at the desk; a test that fails is not noted', async () => {
    const own = { ...bare, name: 'here', countries: ['de'] }
    // The shop of this test does not listen.
    expect(await owner.call('test_new_exit', seller(own))).toMatchObject({ worked: false, seen_from: null })
    const { id } = await add(own)
    expect(await owner.call('test_exit', { id })).toMatchObject({ worked: false })
    const known = await showExits(shop.database.db, shop.services.secrets)
    expect(known.find(({ name }) => name === 'here')).toMatchObject({
      kind: 'direct',
      host: null,
      countries: ['de'],
      testedAt: null,
    })
    await owner.call('remove_exit', { id, reason: 'the end of the test' })
  })

  it('has neither an address nor a login', async () => {
    expect((await refusalOf(add({ ...bare, host: 'gw.example', port: 1 }))).code).toBe('exit_invalid')
    expect((await refusalOf(add({ ...bare, username: 'abc', password: 'x' }))).code).toBe('exit_invalid')
  })
})

describe('an exit of a seller', () => {
  it('is added by its preset, for gateways with its password, and for nobody else', async () => {
    const { id } = await add()
    const [exit] = (await listExits(shop.database.db, shop.services.secrets)).filter(
      (each) => String(each.id) === id,
    )
    expect(exit).toMatchObject({
      host: 'gw.dataimpulse.com',
      port: 823,
      username: 'abc123',
      password: secret,
      weight: 3,
      max_connections: 500,
    })
    expect(exit?.places?.map(({ country }) => country).toSorted()).toEqual(['de', 'us'])
    expect(JSON.stringify(await owner.call('exits', {}))).not.toContain(secret)
    const { rows } = await owner.call('audit', { action: 'add_exit' })
    expect(rows[0]).toMatchObject({
      subject_id: id,
      reason: 'a new contract',
      after: { name: 'impulse', preset: 'dataimpulse', has_password: true, places: 2 },
    })
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('may be added without being used yet', async () => {
    const { id } = await add({ name: 'later' }, false)
    expect((await owner.call('exits', {})).find((exit) => exit.id === id)?.enabled).toBe(false)
  })

  it('is refused for a taken name, an unknown option, or a login of another form', async () => {
    await office.stepUp(owner)
    const refused = async (own: Partial<DeskInput<'test_new_exit'>>) =>
      (await refusalOf(owner.call('add_exit', { ...seller(own), enabled: true }))).code
    expect(await refused({})).toBe('exit_name_taken')
    expect(await refused({ name: 'a', options: { colour: 'red' } })).toBe('exit_invalid')
    expect(await refused({ name: 'a', username: 'abc 123' })).toBe('exit_invalid')
    expect(await refused({ name: 'a', preset: 'nobody', host: 'x.example', port: 1 })).toBe('exit_invalid')
    expect(await refused({ name: 'a', preset: null, options: {} })).toBe('invalid_host')
    expect(
      await refused({ name: 'a', preset: null, host: 'x.example', port: 1, username: null, options: {} }),
    ).toBe('exit_invalid')
    expect(
      (await owner.call('exits', {})).filter(({ name }) => name === 'a' || name === 'impulse'),
    ).toHaveLength(1)
  })

  it('is neither added nor tested on an old second factor', async () => {
    const operator = await office.staff('operator')
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    await operator.call('session', {})
    expect((await refusalOf(operator.call('add_exit', { ...seller(), enabled: true }))).code).toBe(
      'step_up_needed',
    )
    expect((await refusalOf(operator.call('test_new_exit', seller()))).code).toBe('step_up_needed')
    await owner.call('session', {})
  })

  it('is tested before it is saved, and a failure is reported', async () => {
    await office.stepUp(owner)
    const before = await owner.call('exits', {})
    const here = { preset: null, options: {}, kind: 'socks5', username: null, password: null } as const
    const dead = await owner.call('test_new_exit', seller({ ...here, host: '127.0.0.1', port: 1 }))
    expect(dead).toMatchObject({ worked: false, status: null })
    expect(dead.fault).toMatch(/^exit_/)
    const live = await owner.call('test_new_exit', seller({ ...here, host: '127.0.0.1', port: peer.port }))
    // The shop of this test does not listen: the peer was reached, and could not reach it.
    expect(live.fault).not.toBe(dead.fault)
    expect(await owner.call('exits', {})).toEqual(before)
  })

  it('is removed for good, with a reason that the trail keeps beside what it was', async () => {
    const { id } = await add({ name: 'gone' })
    expect(await owner.call('remove_exit', { id, reason: 'the contract ended' })).toBe(true)
    expect((await owner.call('exits', {})).some((exit) => exit.id === id)).toBe(false)
    expect((await refusalOf(owner.call('remove_exit', { id, reason: 'twice' }))).code).toBe('exit_not_found')
    const { rows } = await owner.call('audit', { action: 'remove_exit' })
    expect(rows[0]).toMatchObject({ subject_id: id, reason: 'the contract ended', before: { name: 'gone' } })
  })
})

it('support sees whether exits and gateways work, the worst first; an alert links to the exit', async () => {
  const { id: dead } = await add({ name: 'dead' })
  const { id: idle } = await add({ name: 'idle' })
  const { db } = shop.database
  const { now } = shop.clock
  const failed = Array<number>(answerClasses).fill(0)
  const last = { code: 'exit_refused', status: 407, word: 'account suspended' }
  await noteAnswers(db, [{ exit: BigInt(dead), failed: 9, answered: failed, last }], now)
  await watchExits(db, now)
  const support = await office.staff('support')
  expect((await refusalOf(support.call('exits', {}))).code).toBe('no_permission')
  const [worst, ...others] = await support.call('exit_health', {})
  expect(worst).toMatchObject({
    id: dead,
    state: 'down',
    since: now.toISOString(),
    error: { code: 'exit_refused', status: 407, word: 'account suspended' },
    minutes: [{ answered: '0', failed: '9' }],
  })
  expect(others.find((exit) => exit.id === idle)?.state).toBe('unknown')
  expect(await support.call('gateway_health', {})).toEqual([])
  await owner.call('set_exit', { id: idle, weight: 0 })
  expect((await owner.call('exit_health', {})).find((exit) => exit.id === idle)?.state).toBe('off')
  shop.clock.now = new Date(now.getTime() + 6 * 60_000)
  await owner.call('session', {})
  const { needs_you: needs } = await owner.call('today', {})
  expect(needs.find(({ kind }) => kind === 'exit_down')).toMatchObject({ href: `/exits?exit=${dead}` })
  await owner.call('set_exit', { id: dead, enabled: false })
})

it('the desk shows what an exit carried and what it refused, in the seller’s own word and without the target', async () => {
  const { id } = await add({ name: 'refusing' })
  const { now } = shop.clock
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  const { rows } = await shop.database.pool.query<{ id: bigint; account_id: bigint }>(
    'select id, account_id from access order by id desc limit 1',
  )
  const whose = {
    accessId: rows[0]?.id ?? 0n,
    accountId: rows[0]?.account_id ?? 0n,
    pool: 'residential',
  } as const
  const refused = {
    ...refusedWith('exit_failed'),
    exit: BigInt(id),
    exit_status: 402,
    exit_word: 'TRAFFIC_EXHAUSTED for TARGET.example',
  }
  await keepConnections(shop.database.db, [connectionOf(whose, now, refused)], now)
  const list = await owner.call('exit_refusals', { id })
  expect(list.rows).toMatchObject([
    { exit: 'refusing', exit_status: 402, exit_word: 'TRAFFIC_EXHAUSTED for …' },
  ])
  const figures = await owner.call('exit_figures', {})
  expect(figures.find((exit) => exit.id === id)).toMatchObject({ connections: '1', refused: '1' })
})

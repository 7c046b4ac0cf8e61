import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { GatewayPresence } from '#feed'
import { feedChannel } from '#feed/announcement'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { forgetGateways, listGateways, notePresence, setDrained } from './gateways.ts'
import { makeGatewayToken, revokeGatewayToken } from './tokens.ts'

let home: Database
beforeAll(async () => {
  home = await testDatabase()
})
afterAll(() => home.close())
beforeEach(() => home.pool.query('truncate gateway, gateway_token; delete from gateway_boot'))

const told = (more: Partial<GatewayPresence> = {}): GatewayPresence => ({
  name: 'gw1',
  version: '0.1.0',
  address: 'eu1:20000',
  workers: 2,
  up_ms: 3_600_000,
  state: 'running',
  reports_waiting: 3,
  connections: 17,
  ...more,
})

const ago = (name: string, seconds: number) =>
  home.pool.query(`update gateway set seen_at = now() - make_interval(secs => $2) where name = $1`, [
    name,
    seconds,
  ])

it('the list of gateways shows what they report, with the state of their tokens', async () => {
  await notePresence(home.db, told())
  for (const name of ['gw2', 'gw3', 'gw3-b']) await notePresence(home.db, told({ name }))
  for (const gateway of ['gw2', 'gw3']) await makeGatewayToken(home.db, { gateway, replaces: false })
  await revokeGatewayToken(home.db, 'gw3')
  expect(await listGateways(home.db)).toEqual([
    {
      name: 'gw1',
      version: '0.1.0',
      address: 'eu1:20000',
      workers: 2,
      state: 'running',
      reportsWaiting: 3,
      connections: 17,
      startedAt: expect.any(Date),
      seenAt: expect.any(Date),
      drainAskedAt: null,
      token: null,
    },
    expect.objectContaining({ name: 'gw2', token: 'own' }),
    expect.objectContaining({ name: 'gw3', token: 'revoked' }),
    expect.objectContaining({ name: 'gw3-b', token: 'revoked' }),
  ])
})

it('the list of gateways keeps the time of a start, by the database’s clock, until the gateway is started again', async () => {
  const startedAt = async () =>
    (await listGateways(home.db)).find(({ name }) => name === 'lasting')?.startedAt.getTime() ?? 0
  await notePresence(home.db, told({ name: 'lasting', up_ms: 3_600_000 }))
  const first = await startedAt()
  await notePresence(home.db, told({ name: 'lasting', up_ms: 3_601_000 }))
  expect(await startedAt()).toBe(first)
  await notePresence(home.db, told({ name: 'lasting', up_ms: 0 }))
  const again = await startedAt()
  expect(again - first).toBeGreaterThanOrEqual(3_600_000)
  await home.db.deleteFrom('gateway').where('name', '=', 'lasting').execute()
})

it('the list of gateways distinguishes a stopped gateway from a silent one, and forgets both unless they are drained', async () => {
  for (const name of ['a', 'b', 'c']) await notePresence(home.db, told({ name }))
  await notePresence(home.db, told({ name: 'b', state: 'stopped' }))
  for (const name of ['a', 'b']) await ago(name, 16)
  const states = async () => (await listGateways(home.db)).map(({ name, state }) => `${name} ${state}`)
  expect(await states()).toEqual(['a silent', 'b stopped', 'c running'])
  await setDrained(home.db, { name: 'a', isDrained: true })
  for (const name of ['a', 'b', 'c']) await ago(name, 31 * 86_400)
  await forgetGateways(home.db)
  expect(await states()).toEqual(['a silent'])
})

it('the list of gateways keeps the request to drain whatever the gateway reports, and announces each change once', async () => {
  const heard: string[] = []
  const client = await home.pool.connect()
  client.on('notification', ({ payload = '' }) => heard.push(payload))
  await client.query(`listen ${feedChannel}`)
  const set = (isDrained: boolean) => setDrained(home.db, { name: 'gw1', isDrained })
  expect(await set(true)).toBe('unknown')
  expect(await notePresence(home.db, told())).toEqual({ drain: false })
  expect([await set(true), await set(true)]).toEqual(['changed', 'unchanged'])
  expect(await notePresence(home.db, told({ state: 'stopped' }))).toEqual({ drain: true })
  expect(await notePresence(home.db, told({ up_ms: 0 }))).toEqual({ drain: true })
  expect(await set(false)).toBe('changed')
  expect(await notePresence(home.db, told())).toEqual({ drain: false })
  await client.query('select 1')
  expect(heard).toEqual(Array.from({ length: 2 }, () => '{"type":"gateways_changed"}'))
  await set(true)
  // Who starts a gateway to take over from another one wants it to serve.
  expect(await notePresence(home.db, told({ takes_over: true }))).toEqual({ drain: false })
  expect(await set(false)).toBe('unchanged')
  client.release(true)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { Registry } from 'prom-client'
import type { Database } from '#db'
import { createFeed, type FeedDeps } from '#traffic'
import { sha256 } from '#lib/secret'
import { testDatabase } from '#test/database'
import { openTerminal, type Terminal } from '#test/terminal'
import { gatewaysMetrics } from '../health/gateways.ts'
import { gatewayCommands } from './gateways.ts'

let home: Database
let terminal: Terminal
beforeAll(async () => {
  home = await testDatabase()
  terminal = openTerminal(home, [gatewayCommands])
})
afterAll(async () => {
  terminal.close()
  await home.close()
})

const run = (...words: string[]) => terminal.run('gateways', ...words)

it('lists gateways and drains one, which is notified through its feed', async () => {
  expect(await run()).toBe('No gateway was heard of in the last seven days.\n')
  await expect(run('drain', 'gw1')).rejects.toThrow('gateway_not_found')
  const feed = await createFeed(home, {} as FeedDeps)
  const heard: string[] = []
  feed.subscribe(({ type }) => heard.push(type))
  const present = () =>
    feed.present({
      name: 'gw1',
      version: '0.1.0',
      address: 'eu1:20000',
      workers: 2,
      up_ms: 3_600_000,
      state: 'running',
      reports_waiting: 3,
      connections: 17,
    })
  expect(await present()).toEqual({ drain: false })
  expect(await run()).toMatch(
    /^gw1 +running +no +0\.1\.0 +eu1:20000 +2 +17 +3 +shared +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d /m,
  )
  expect(await run('drain', 'gw1')).toContain('Gateway gw1 accepts no more connections')
  expect(await run('drain', 'gw1')).toContain('is to be drained already')
  await expect.poll(() => heard).toEqual(['gateways_changed'])
  expect(await present()).toEqual({ drain: true })
  expect(await terminal.data('gateways', 'list')).toEqual([
    expect.objectContaining({ name: 'gw1', drain_asked_at: expect.any(String), reports_waiting: 3 }),
  ])
  const registry = new Registry()
  gatewaysMetrics(home, registry)
  gatewaysMetrics(home, null)
  const page = await registry.metrics()
  expect(page).toContain('turnpike_gateways_info{gateway="gw1",version="0.1.0",address="eu1:20000"} 1')
  expect(page).toContain('turnpike_gateways_up{gateway="gw1"} 1')
  expect(page).toContain('turnpike_gateways_reports_waiting{gateway="gw1"} 3')
  expect(page).toContain('turnpike_gateways_draining{gateway="gw1"} 1')
  expect(page).toMatch(/turnpike_gateways_silent_seconds\{gateway="gw1"\} \d/)
  expect(await run('resume', 'gw1')).toContain('Gateway gw1 serves again')
  expect(await run('undrain', 'gw1')).toContain('is not drained')
  const { rows } = await home.pool.query(
    `select actor_kind, action, subject_id, after from audit_entry where subject_kind = 'gateway' order by id`,
  )
  expect(rows).toEqual([
    { actor_kind: 'system', action: 'drain_gateway', subject_id: 'gw1', after: { drained: true } },
    { actor_kind: 'system', action: 'undrain_gateway', subject_id: 'gw1', after: { drained: false } },
  ])
  await feed.close()
})

it('turnpike gateways makes, replaces and revokes the own token of a gateway, and stores its digest only', async () => {
  expect(await run('list', '--tokens')).toBe('No gateway has an own token.\n')
  const first = await terminal.data('gateways', 'add', 'eu1')
  expect(first).toEqual({ gateway: 'eu1', token: expect.stringMatching(/^tpgw\.eu1\.[\w-]{43}$/) })
  await expect(run('add', 'eu1')).rejects.toThrow('has an own token')
  await expect(run('add', 'eu-1')).rejects.toThrow('letters, digits and underscores')
  const { rows } = await home.pool.query('select token_sha256 from gateway_token')
  expect(rows).toEqual([{ token_sha256: sha256((first as { token: string }).token) }])
  const second = await run('rotate', 'eu1', '--yes')
  expect(second).toContain('FEED_TOKEN=tpgw.eu1.')
  expect(second).not.toContain((first as { token: string }).token)
  expect(await run('list', '--tokens')).toMatch(/^eu1 +\S+ +no *$/m)
  expect(await run('revoke', 'eu1', '--yes')).toContain('is revoked')
  await expect(run('revoke', 'eu1', '--yes')).rejects.toThrow('no valid token')
  await expect(run('rotate', 'eu1', '--yes')).rejects.toThrow('no valid token')
  expect(await run('add', 'eu1')).toContain('FEED_TOKEN=tpgw.eu1.')
  const { rows: entries } = await home.pool.query<{ action: string }>(
    `select action from audit_entry where subject_id = 'eu1' order by id`,
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'add_gateway_token',
    'rotate_gateway_token',
    'revoke_gateway_token',
    'add_gateway_token',
  ])
})

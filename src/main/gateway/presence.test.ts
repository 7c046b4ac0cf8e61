import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FeedFailed } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { eventually } from '#test/eventually'
import { makeLog } from '../process/log.ts'
import { Presence } from './presence.ts'
import { GatewayWorkers } from './workers.ts'

let folder: string
let feed: MemoryFeed
let presence: Presence | undefined
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-presence-'))
  feed = new MemoryFeed()
})
afterEach(async () => {
  await presence?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const log = makeLog('silent')
const begin = ({ takesOver = false } = {}) =>
  (presence = new Presence({ feed, name: 'gw1', folder, portBase: 20_000, workers: 0, takesOver, log }))
const noWorkers = () => new GatewayWorkers({ make: () => [], entryPorts: null, drainMs: 0, log })

it('a gateway drains and serves as the server requests, as soon as it announces a change', async () => {
  const workers = noWorkers()
  await workers.start()
  begin().follow(workers)
  await eventually(() => feed.presences.length > 0, 'the first word')
  expect(feed.presences[0]).toMatchObject({ name: 'gw1', state: 'running', workers: 0, connections: 0 })
  feed.drained.add('gw1')
  feed.emit({ type: 'gateways_changed' })
  await eventually(() => feed.presences.at(-1)?.state === 'drained', 'it to be drained')
  feed.drained.clear()
  feed.emit({ type: 'gateways_changed' })
  await eventually(() => feed.presences.at(-1)?.state === 'running', 'it to serve again')
  await presence?.stop()
  expect(feed.presences.at(-1)?.state).toBe('stopped')
})

it('a gateway keeps the last requested state while the server is unreachable', async () => {
  feed.drained.add('gw1')
  await begin().ask()
  expect(presence?.isDrained).toBe(true)
  feed.present = () => Promise.reject(new FeedFailed('this release knows no such call'))
  await begin().ask()
  expect(presence?.isDrained).toBe(true)
  feed.present = MemoryFeed.prototype.present
  feed.drained.clear()
  await presence?.ask()
  expect(presence?.isDrained).toBe(false)
  feed.away = true
  await begin().ask()
  expect(presence?.isDrained).toBe(false)
})

it('a gateway serves when it takes over, and reports that until the server has acknowledged it', async () => {
  feed.drained.add('gw1')
  await begin().ask()
  feed.drained.clear()
  feed.away = true
  await begin({ takesOver: true }).ask()
  expect(presence?.isDrained).toBe(false)
  feed.away = false
  await presence?.ask()
  await presence?.ask()
  expect(feed.presences.slice(-2).map(({ takes_over = false }) => takes_over)).toEqual([true, false])
})

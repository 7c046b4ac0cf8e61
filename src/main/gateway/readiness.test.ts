import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import { Readiness } from '../health/readiness.ts'
import { makeLog } from '../process/log.ts'
import type { WorkerStats } from './messages.ts'
import { Presence } from './presence.ts'
import { tellReadiness } from './readiness.ts'

it('a gateway is reported as not ready while a worker cannot write its journal, and ready once that ends', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'readiness-'))
  const stats = { journalHealthy: true, reportsWaiting: 0, connectionsOpen: 0 } as WorkerStats
  const presence = new Presence({
    feed: new MemoryFeed(),
    name: 'gw1',
    folder,
    portBase: 20_000,
    workers: 2,
    takesOver: false,
    log: makeLog('silent'),
  })
  const readiness = new Readiness()
  tellReadiness(readiness, { state: 'running', missing: 0, count: 2 }, presence)
  for (const index of [0, 1]) presence.noteStats(index, stats)
  expect(readiness.faults()).toEqual([])
  presence.noteStats(1, { ...stats, journalHealthy: false })
  expect(readiness.faults()).toEqual([
    'Gateway workers that cannot write their journal and refuse new tunnels: 1 of 2. Is the disk full?',
  ])
  presence.noteStats(1, stats)
  expect(readiness.faults()).toEqual([])
  rmSync(folder, { recursive: true })
})

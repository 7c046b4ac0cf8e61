import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isDatabaseAway, openDatabase } from '#db'
import { type Origin, startOrigin } from '#test/origin'
import { until } from '#test/stack'
import { basic, type Bench, silentLog, startBench } from '../../src/gateway/testing/bench.ts'
import { drip, opens } from '../whole/drip.ts'

/**
 * A disk that can be filled: a small file system where mounting is permitted, otherwise a folder that accepts
 * no new files.
 */
function smallDisk() {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-disk-'))
  const mounted = tryMount(folder)
  const ballast = path.join(folder, 'ballast')
  return {
    folder,
    fill: () => {
      if (!mounted) return chmodSync(folder, 0o555)
      try {
        for (let size = 4096; ; size += 4096) writeFileSync(ballast, Buffer.alloc(size))
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error
      }
    },
    free: () => (mounted ? rmSync(ballast) : chmodSync(folder, 0o755)),
    remove: () => {
      if (mounted) execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function tryMount(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The answer to a new request. */
async function ask(from: Bench): Promise<string> {
  const client = from.say(
    `GET http://${origin.host}:${origin.httpPort}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${basic()}\r\n`,
  )
  await client.untilEnd()
  return client.text
}

let disk: ReturnType<typeof smallDisk>
let bench: Bench
let origin: Origin
const logged: (object & { message: string })[] = []
beforeAll(async () => {
  disk = smallDisk()
  const note = (fields: object, message: string) => void logged.push({ ...fields, message })
  const log = { ...silentLog, warn: note, error: note }
  ;[origin, bench] = await Promise.all([startOrigin(), startBench({ journalDir: disk.folder, log })])
})
afterAll(async () => {
  await bench.close()
  await origin.close()
  disk.remove()
})

it('P11: the disk of the journal is full: no new tunnels, open ones continue, and every byte is charged when there is space', async () => {
  const target = { host: origin.host, port: origin.echoPort }
  const way = { port: bench.port, login: 'alice1', password: 'secret', target }
  disk.fill()
  const talking = await drip(way)
  await until(() => !bench.gateway.stats().journalHealthy, 60_000, 'the journal to be refused')
  expect(await opens(way)).toBe(false)
  const refused = await ask(bench)
  expect(refused).toContain(' 503 ')
  expect(refused).toContain('journal_full')
  const before = talking.relayedLeast(performance.now())
  await until(() => talking.relayedLeast(performance.now()) > before, 60_000, 'the tunnel to go on')
  const { feed } = bench
  const account = feed.accounts.get('residential alice1')
  if (account === undefined) throw new Error('no account')
  expect(feed.chargedTo(account)).toBe(0n)
  // The journal is tried twenty times a second.
  expect(logged.filter(({ message }) => message === 'journal failed')).toHaveLength(1)
  expect(JSON.stringify(logged)).not.toMatch(/stack|    at /)

  disk.free()
  await until(() => bench.gateway.stats().journalHealthy, 60_000, 'the journal to be written')
  expect(await opens(way)).toBe(true)
  await bench.gateway.stop({ graceMs: 0 })
  await talking.ended
  const charged = Number(feed.chargedTo(account))
  expect(charged).toBeGreaterThanOrEqual(talking.relayedLeast(performance.now()))
  expect(charged).toBeLessThanOrEqual(talking.relayedMost())
  expect(feed.faults).toEqual([])
}, 60_000)

it('P11: a database without space counts as unreachable: its callers are asked to retry', () => {
  for (const code of ['53100', '53200', '53300', '58030', '57P03', '08006', 'ECONNREFUSED'])
    expect([code, isDatabaseAway(Object.assign(new Error('x'), { code }))]).toEqual([code, true])
  for (const code of ['23505', '22P02', '42601', '42P01', 'ERR_INVALID_ARG_TYPE'])
    expect([code, isDatabaseAway(Object.assign(new Error('x'), { code }))]).toEqual([code, false])
  expect(isDatabaseAway(new Error('Connection terminated unexpectedly'))).toBe(true)
  expect(isDatabaseAway(new TypeError('x is not a function'))).toBe(false)
})

it('P12: the embedded database has one owner, refuses a second immediately, and waits for the disk', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-owner-'))
  const first = await openDatabase({ dataDir, role: 'owner' })
  try {
    const asked = performance.now()
    await expect(openDatabase({ dataDir, role: 'owner' })).rejects.toThrow(/already runs/)
    expect(performance.now() - asked).toBeLessThan(5000)
    const { rows } = await first.pool.query(
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
    )
    expect(rows).toEqual([{ fsync: 'on', commit: 'on' }])
  } finally {
    await first.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 90_000)

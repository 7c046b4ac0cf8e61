import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { logSince, logSize, trimLog } from './server-log.ts'

let folder: string
let log: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-log-'))
  log = join(folder, 'postgres.log')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('the server log empties a log that has grown too long while it is written, and keeps one old copy', async () => {
  writeFileSync(log, 'x'.repeat(8 * 1024 * 1024))
  trimLog(log)
  expect(logSize(log)).toBe(8 * 1024 * 1024)
  const file = openSync(log, 'a')
  const writer = spawn('sh', ['-c', 'echo before; read line; echo after'], {
    stdio: ['pipe', file, 'inherit'],
  })
  closeSync(file)
  await expect.poll(() => logSize(log)).toBe(8 * 1024 * 1024 + 7)
  trimLog(log)
  expect(logSize(log)).toBe(0)
  expect(statSync(`${log}.1`).size).toBe(8 * 1024 * 1024 + 7)
  writer.stdin?.end('\n')
  await new Promise((resolve) => writer.once('exit', resolve))
  expect(readFileSync(log, 'utf8')).toBe('after\n')
})

it('the server log reads what was written since a mark', () => {
  expect(logSince(log, logSize(log))).toBe('')
  writeFileSync(log, 'old\n')
  const mark = logSize(log)
  writeFileSync(log, 'new\n', { flag: 'a' })
  expect(logSince(log, mark)).toBe('new\n')
  expect(logSince(log, 1000)).toBe('')
})

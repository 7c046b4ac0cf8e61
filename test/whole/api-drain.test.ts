/**
 * `turnpike api` behind a load balancer: after a request to stop it reports that it is not ready, and keeps
 * answering until the balancer has removed it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { testDatabase } from '#test/database'
import { freePort } from '#test/ports'
import { inherited, until } from '#test/stack'
import { shopEnv } from '../promises/machines.ts'

const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')

it('the API is ready, drains when it is asked to end, and ends at once when it is asked again', async () => {
  const database = await testDatabase()
  const [port, dataDir] = [await freePort(), mkdtempSync(path.join(tmpdir(), 'turnpike-api-'))]
  const child = spawn(process.execPath, [main, 'api'], {
    env: {
      ...inherited(),
      ...shopEnv(database.url),
      DATA_DIR: dataDir,
      PORT: String(port),
      API_DRAIN_SECONDS: '3600',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const ask = async (where: string) => {
    const page = await fetch(`http://127.0.0.1:${port}${where}`)
    return `${page.status} ${await page.text()}`
  }
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  try {
    await until(() => said.includes('The web server listens'), 30_000, 'the web server')
    expect(await ask('/readyz')).toBe('200 ready\n')
    child.kill('SIGTERM')
    const draining = '503 not ready\nThe web server drains: send requests to another one.\n'
    await until(async () => (await ask('/readyz')) === draining, 60_000, 'the page to say so')
    expect(await ask('/healthz')).toBe('200 ok\n')
    expect(await ask('/api/rpc/prices')).toMatch(/^200 /)
    // Two signals within half a second count as one. One signal is enough: another one, while Node.js ends the
    // process, finds no handler and kills it.
    await sleep(1500)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 90_000)

/** Gateway workers that cannot be started, or find their port taken. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { expect, it } from 'vitest'
import { freePort, freePortBase, stackSlots } from '#test/ports'
import { inherited } from '#test/stack'
import { makeScratch } from './scratch.ts'

const scratch = makeScratch()

it('a port in use is reported in one sentence, before the shop reports that it listens, and nothing is left behind', async () => {
  const base = await freePortBase()
  const taken = createServer().listen(base + 2000 + stackSlots, '127.0.0.1')
  scratch.undo(() => taken.close())
  const { port } = await new Promise<AddressInfo>((resolve) =>
    taken.once('listening', () => resolve(taken.address() as AddressInfo)),
  )
  const env = {
    ...inherited(),
    DATA_DIR: path.join(scratch.folder(), 'data'),
    PORT: String(await freePort()),
    GATEWAY_PORT_BASE: String(base),
    GATEWAY_SLOTS: String(stackSlots),
    GATEWAY_WORKERS: '2',
  }
  const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')
  const child = spawn(process.execPath, [main, 'up'], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [printed, logged] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  expect(code).toBe(1)
  expect(printed).not.toMatch(/is ready|listens/)
  const lines = logged.trimEnd().split('\n')
  expect(lines.at(-1)).toBe(
    `Port ${port} is in use by another program. Stop it, or set GATEWAY_PORT_BASE to a free range.`,
  )
  expect(lines.slice(0, -1).join('\n')).not.toMatch(/listening/i)
  // The whole process group: workers have separate groups, but keep its output open until they end.
  expect(existsSync(path.join(env.DATA_DIR, 'postgres/18/postmaster.pid'))).toBe(false)
  expect(() => process.kill(-(child.pid ?? 0), 0)).toThrow('ESRCH')
}, 120_000)

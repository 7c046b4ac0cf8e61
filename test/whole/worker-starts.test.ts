/** Gateway workers that cannot be started, do not answer, or find their port taken. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { freePort, freePortBase, inherited, type Stack, stackSlots, startStack, until } from '#test/stack'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

function scratch(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-starts-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function begin(env: Record<string, string> = {}, node = process.execPath): Promise<Stack> {
  const stack = await startStack({ GATEWAY_DRAIN_SECONDS: '0', ...env }, node)
  undo.push(() => stack.close())
  return stack
}

/** The current answer of /readyz. */
async function ready(stack: Stack): Promise<string> {
  const page = await fetch(`${stack.origin}/readyz`)
  return `${page.status} ${await page.text()}`
}

it('the shop continues without a worker whose program was moved, reports it, and starts it when the program is back', async () => {
  const node = path.join(scratch(), 'node')
  copyFileSync(process.execPath, node)
  const stack = await begin({}, node)
  expect(await ready(stack)).toBe('200 ready\n')
  renameSync(node, `${node}.old`)
  const [first = 0, second = 0] = stack.workers()
  process.kill(first, 'SIGKILL')
  const missing = '503 not ready\nGateway workers that do not run: 1 of 2.\n'
  await until(async () => (await ready(stack)) === missing, 60_000, 'the page to say so')
  await until(() => stack.said().split('cannot be started').length > 4, 60_000, 'four tries')
  expect(stack.workers()).toEqual([second])
  expect((await fetch(`${stack.origin}/api/rpc/prices`)).status).toBe(200)
  renameSync(`${node}.old`, node)
  await until(async () => (await ready(stack)) === '200 ready\n', 30_000, 'the worker to be back')
  expect(stack.workers()).toHaveLength(2)
}, 120_000)

it('a shop whose workers cannot be started stops on request', async () => {
  const node = path.join(scratch(), 'node')
  copyFileSync(process.execPath, node)
  const stack = await begin({}, node)
  renameSync(node, `${node}.old`)
  for (const pid of stack.workers()) process.kill(pid, 'SIGKILL')
  await until(() => stack.said().split('cannot be started').length > 4, 60_000, 'four tries')
  expect(await stack.stop()).toBe(0)
}, 120_000)

it('a worker that does not answer is killed, without waiting for a slow client', async () => {
  const stack = await begin({ GATEWAY_WORKERS: '1' })
  const [worker = 0] = stack.workers()
  process.kill(worker, 'SIGSTOP')
  const slow = connect(Number(new URL(stack.origin).port), '127.0.0.1')
  undo.push(() => slow.destroy())
  slow.on('error', () => undefined)
  slow.write('GET /api/echo?bytes=60000000 HTTP/1.1\r\nHost: shop\r\n\r\n')
  await once(slow, 'data')
  slow.pause()
  expect(await stack.stop()).toBe(0)
  expect(stack.pids().filter((pid) => pid === worker)).toEqual([])
}, 150_000)

it('a port in use is reported in one sentence, before the shop reports that it listens, and nothing is left behind', async () => {
  const base = await freePortBase()
  const taken = createServer().listen(base + 2000 + stackSlots, '127.0.0.1')
  undo.push(() => taken.close())
  const { port } = await new Promise<AddressInfo>((resolve) =>
    taken.once('listening', () => resolve(taken.address() as AddressInfo)),
  )
  const env = {
    ...inherited(),
    DATA_DIR: path.join(scratch(), 'data'),
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
  expect(printed).toBe('')
  const lines = logged.trimEnd().split('\n')
  expect(lines.at(-1)).toBe(
    `Port ${port} is in use by another program. Stop it, or set GATEWAY_PORT_BASE to a free range.`,
  )
  expect(lines.slice(0, -1).join('\n')).not.toMatch(/listening/i)
  // The whole process group: workers have separate groups, but keep its output open until they end.
  expect(existsSync(path.join(env.DATA_DIR, 'postgres/18/postmaster.pid'))).toBe(false)
  expect(() => process.kill(-(child.pid ?? 0), 0)).toThrow('ESRCH')
}, 120_000)

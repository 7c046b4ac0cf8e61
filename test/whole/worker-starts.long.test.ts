/** Shops whose gateway workers cannot be started or do not answer. */
import { once } from 'node:events'
import { copyFileSync, renameSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { expect, it } from 'vitest'
import { type Stack, until } from '#test/stack'
import { makeScratch } from './scratch.ts'

const scratch = makeScratch()

/** The current answer of /readyz. */
async function ready(stack: Stack): Promise<string> {
  const page = await fetch(`${stack.origin}/readyz`)
  return `${page.status} ${await page.text()}`
}

it('the shop continues without a worker whose program was moved, reports it, and starts it when the program is back', async () => {
  const node = path.join(scratch.folder(), 'node')
  copyFileSync(process.execPath, node)
  const stack = await scratch.stack({}, node)
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
  const node = path.join(scratch.folder(), 'node')
  copyFileSync(process.execPath, node)
  const stack = await scratch.stack({}, node)
  renameSync(node, `${node}.old`)
  for (const pid of stack.workers()) process.kill(pid, 'SIGKILL')
  await until(() => stack.said().split('cannot be started').length > 4, 60_000, 'four tries')
  expect(await stack.stop()).toBe(0)
}, 120_000)

it('a worker that does not answer is killed, without waiting for a slow client', async () => {
  const stack = await scratch.stack({ GATEWAY_WORKERS: '1' })
  const [worker = 0] = stack.workers()
  process.kill(worker, 'SIGSTOP')
  const slow = connect(Number(new URL(stack.origin).port), '127.0.0.1')
  scratch.undo(() => slow.destroy())
  slow.on('error', () => undefined)
  slow.write('GET /api/echo?bytes=60000000 HTTP/1.1\r\nHost: shop\r\n\r\n')
  await once(slow, 'data')
  slow.pause()
  expect(await stack.stop()).toBe(0)
  expect(stack.pids().filter((pid) => pid === worker)).toEqual([])
}, 150_000)

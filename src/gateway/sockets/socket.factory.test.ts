/**
 * The two kinds of sockets: which one a process uses, and that whole suites pass over ordinary ones as well.
 */
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { chooseSocketKind } from './socket.factory.ts'
import { acceptRaw } from './raw.server.ts'
import { everyBench } from '../testing/bench.ts'

it('the gateway uses raw sockets after a trial on the Node.js that Turnpike runs on', async () => {
  expect(await chooseSocketKind()).toBe('raw')
})

it('the gateway uses ordinary sockets on a Node.js without the handles', () => {
  const program = `process.binding = undefined
    const { chooseSocketKind } = await import('${new URL('./socket.factory.ts', import.meta.url).href}')
    console.log(await chooseSocketKind())`
  const options = ['--input-type=module', '--eval', program]
  expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).toBe('stream\n')
})

it('the gateway detects a server without the internal interface', () => {
  expect(() => acceptRaw(createServer(), () => undefined)).toThrow('onconnection')
})

everyBench.socketKind = 'stream'
afterAll(() => delete everyBench.socketKind)
await import('../gateway.test.ts')
await import('../quota.test.ts')
await import('../http.test.ts')

import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { Cancellation } from '#lib/cancel-signal'
import { parseIp, type Ip } from '#lib/ip'
import { blackHole } from '../testing/black.hole.ts'
import { raceTo } from './connect.race.ts'
import { type ConnectError, streamOf } from './socket.factory.ts'

const closing: (() => unknown)[] = []
let server: Server
let port: number
let made: string[]

/** The only address that accepts is 127.0.0.2. */
beforeEach(async () => {
  made = []
  server = createServer((socket) => void made.push(socket.localAddress ?? ''))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  server.close()
})

function ipOf(text: string): Ip {
  const ip = parseIp(text)
  if (ip === null) throw new Error(text)
  return ip
}

const SYN_SENT = '02'

/** Attempts of this machine to connect to an IPv4 address that have no answer. */
function attempts(host: string): number {
  const address = host
    .split('.')
    .toReversed()
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
  const remote = `${address}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , to, state]) => to === remote && state === SYN_SENT).length
}

async function race(hosts: string[], { ms = 60_000, signal = new Cancellation() } = {}): Promise<Socket> {
  const ways = hosts.map((host) => ({ ip: ipOf(host), localAddress: null }))
  const socket = await raceTo(ways, { port, signal, deadline: performance.now() + ms })
  closing.push(() => socket.destroy())
  return streamOf(socket)
}

const codesOf = (error: unknown) =>
  error instanceof AggregateError ? error.errors.map((one: ConnectError) => one.code) : String(error)

describe('connecting to several addresses', () => {
  it('uses the first address to accept, and tries no other when that is the first one', async () => {
    expect((await race(['127.0.0.2', '127.0.0.3'])).remoteAddress).toBe('127.0.0.2')
    await eventually(() => made.length === 1, 'the connection')
    expect(made).toEqual(['127.0.0.2'])
  })

  it('tries the next address immediately after a refusal, in any family', async () => {
    expect((await race(['127.0.0.3', '::1', '127.0.0.2'])).remoteAddress).toBe('127.0.0.2')
  })

  it('does not wait for silent addresses, and abandons them when another accepts', async () => {
    const silent = ['127.0.0.4', '127.0.0.5']
    for (const host of silent) {
      const hole = await blackHole({ host, port })
      closing.push(hole.close)
    }
    // Tried one after the other, the silent ones would take all of the time.
    expect((await race([...silent, '127.0.0.2'], { ms: 3000 })).remoteAddress).toBe('127.0.0.2')
    await eventually(() => silent.every((host) => attempts(host) === 0), 'the end of both')
  })

  it('reports each failure when all fail', async () => {
    const hole = await blackHole({ host: '127.0.0.4', port })
    closing.push(hole.close)
    expect(await race(['127.0.0.3', '127.0.0.4'], { ms: 500 }).catch(codesOf)).toEqual([
      'ECONNREFUSED',
      'ETIMEDOUT',
    ])
  })

  it('tries no further address when the signal aborts', async () => {
    const hole = await blackHole({ host: '127.0.0.4', port })
    closing.push(hole.close)
    const signal = new Cancellation()
    const ended = race(['127.0.0.4', '127.0.0.2'], { signal }).catch(codesOf)
    await eventually(() => attempts('127.0.0.4') === 1, 'the first attempt')
    signal.abort()
    expect(await ended).toContain('the client closed the connection')
    await eventually(() => attempts('127.0.0.4') === 0, 'the end of it')
    expect(made).toEqual([])
    expect(await race(['127.0.0.2', '127.0.0.3'], { signal }).catch(codesOf)).toContain('the client closed')
  })
})

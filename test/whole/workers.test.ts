import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, startStack, turnpike, until } from '#test/stack'
import { type Tunnel, tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

/** Limits over the two workers of a machine together, whichever of them the kernel gives a connection to. */

let stack: Stack
let origin: Origin
let way: Way
beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack(), startOrigin()])
  const customer = await stack.signIn()
  const target = { host: origin.host, port: origin.echoPort }
  way = { port: stack.portBase, target, ...(await customer.proxy('residential')) }
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

const isOpen = ({ status }: Tunnel) => status.includes(' 200 ')

it('an exit has exactly its limit of connections', async () => {
  await turnpike({ DATA_DIR: stack.dataDir }, 'exits', 'set', '1', '--max-connections', '3')
  await until(
    async () => {
      const tunnels = await Promise.all(Array.from({ length: 12 }, () => tunnel(way)))
      const open = tunnels.filter(isOpen)
      for (const one of tunnels) one.end()
      for (const one of tunnels) if (!isOpen(one)) expect(one.status).toContain(' 503 ')
      return open.length === 3
    },
    60_000,
    'the limit to be known and met by both workers',
  )
  const held: Tunnel[] = []
  await until(
    async () => {
      const next = await tunnel(way)
      if (isOpen(next)) held.push(next)
      return held.length === 3
    },
    60_000,
    'three connections, whichever worker has them',
  )
  for (let at = 0; at < 10; at++) expect((await tunnel(way)).status).toContain(' 503 ')
  for (const one of held) one.end()
})

it('wrong passwords from one address are counted over all workers', async () => {
  let wrong = 0
  let next = await tunnel({ ...way, password: 'wrong' })
  for (; next.status.includes(' 407 ') && wrong < 60; wrong++)
    next = await tunnel({ ...way, password: 'wrong' })
  expect(next.status).toContain(' 429 ')
  // Two workers that counted separately would refuse after thirty each; a few may be under way.
  expect(wrong).toBeGreaterThanOrEqual(30)
  expect(wrong).toBeLessThan(35)
  // Credentials that were right on at least one worker are admitted by both.
  for (let at = 0; at < 10; at++) {
    const mine = await tunnel(way)
    expect(mine.status).not.toContain(' 429 ')
    mine.end()
  }
})

it('unauthenticated connections from one address are counted together', async () => {
  // A refused client may get an error instead of an answer.
  const arrive = () =>
    connect({ host: '127.0.0.1', port: way.port, localAddress: '127.0.0.77' }).on('error', () => undefined)
  /** Whether one more connection is admitted and answered. */
  const isAnswered = async () => {
    const socket = arrive()
    socket.write('GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    return await new Promise<boolean>((resolve) => {
      socket.once('data', () => {
        resolve(true)
        socket.destroy()
      })
      socket.once('close', () => resolve(false))
    })
  }
  /** The connections that are still open: the gateway closes each after ten seconds without a byte. */
  const strangers = new Set<Socket>()
  const add = async () => {
    const some = Array.from({ length: 100 }, arrive)
    for (const socket of some) strangers.add(socket.on('close', () => strangers.delete(socket)))
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  try {
    // Two workers that counted separately would admit two thousand each.
    for (let refused = 0; refused < 10;) {
      if (await isAnswered()) {
        expect(strangers.size).toBeLessThan(3000)
        refused = 0
        await add()
      } else {
        // The limit is two thousand: some may have been closed since the workers last shared their number.
        expect(strangers.size).toBeGreaterThan(1900)
        refused += 1
      }
    }
  } finally {
    for (const socket of strangers) socket.destroy()
  }
  await until(isAnswered, 60_000, 'others to be let in when these have left')
})

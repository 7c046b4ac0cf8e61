import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { socketsInBulk } from './bulk.ts'
import { connectRaw } from './raw.socket.ts'
import { resetConnection } from './tls.ts'

/** The connections that this process has open. */
const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

it('a connection whose end is being sent is closed by a reset, and leaves no descriptor behind', async () => {
  const server = createServer((peer) => {
    peer.on('error', () => undefined)
    peer.on('drain', () => peer.write(Buffer.alloc(1_000_000)))
    peer.write(Buffer.alloc(8_000_000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const before = openSockets()
  const socket = connectRaw({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    family: 4,
  })
  await once(socket, 'connect')
  const closed: (Error | null)[] = []
  const isInBulk = new Promise<void>((resolve) => {
    socket.receiver = {
      received: () => socketsInBulk() > 0 && resolve(),
      ended: () => undefined,
      closed: (error) => void closed.push(error),
    }
  })
  socket.start()
  await isInBulk
  // As a relay does whose client closes both directions at once.
  socket.end()
  resetConnection(socket)
  await eventually(() => closed.length > 0, 'the close')
  expect(closed).toEqual([null])
  expect(socketsInBulk()).toBe(0)
  await eventually(() => openSockets() === before, 'its descriptor to be closed')
  server.close()
})

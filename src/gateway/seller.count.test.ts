/** What the seller of an exit counts beside what the customer is charged, when the balance ends. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import { eventually } from '#test/eventually'
import { basic, type Bench, startBench } from './testing/bench.ts'

const QUOTA_BYTES = 4_000_000
const PIECE = Buffer.alloc(64 * 1024)

const servers: Server[] = []
const sockets: Socket[] = []
let bench: Bench | null = null
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
  await bench?.close()
})

/** A proxy that opens every tunnel to a target that only reads, and counts what it is sent. */
async function startSeller(): Promise<{ port: number; counted: () => number }> {
  let counted = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.on('data', (bytes: Buffer) => (counted += bytes.length))
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, counted: () => counted }
}

it('the seller of an exit counts no byte more than is charged when a balance ends in an upload', async () => {
  const seller = await startSeller()
  const memory = new MemoryFeed()
  const account = memory.addAccount('alice1', 'secret', BigInt(QUOTA_BYTES))
  memory.addExit('residential', { kind: 'http', host: '127.0.0.1', port: seller.port })
  bench = await startBench({ memory })
  const { gateway, port } = bench
  const client = connect(port, '127.0.0.1')
  sockets.push(client)
  client.on('error', () => undefined)
  client.write(`CONNECT 127.0.0.1:9 HTTP/1.1\r\nHost: 127.0.0.1:9\r\n${basic()}\r\n`)
  await once(client, 'readable')
  expect(String(client.read(12))).toBe('HTTP/1.1 200')
  const more = () => {
    while (!client.destroyed && client.write(PIECE));
    client.once('drain', more)
  }
  more()
  await eventually(() => gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
  await eventually(() => seller.counted() === QUOTA_BYTES, 'the last byte at the seller')
  await gateway.stop({ graceMs: 0 })
  expect(memory.chargedTo(account)).toBe(BigInt(QUOTA_BYTES))
  expect(seller.counted()).toBe(QUOTA_BYTES)
  bench = null
})

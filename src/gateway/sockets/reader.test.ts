import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ConnectionClosed, SocketReader } from './reader.ts'

const server = createServer({ pauseOnConnect: true })
let near: Socket | null = null

async function accepted(): Promise<Socket> {
  server.listen({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  near = connect({ port, host: '127.0.0.1' })
  const [socket] = (await once(server, 'connection')) as [Socket]
  return socket
}

const closeOf = (socket: Socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()))

afterEach(() => {
  near?.destroy()
  server.close()
})

it('tells each read after a failure of what the connection failed on, and the one that waited', async () => {
  const socket = await accepted()
  const reader = new SocketReader(socket)
  expect(reader.isClosed).toBe(false)
  const waiting = reader.read()
  const closed = closeOf(socket)
  socket.destroy(new Error('the cable was cut'))
  await expect(waiting).rejects.toThrow(ConnectionClosed)
  await closed
  expect(reader.isClosed).toBe(true)
  for (const read of [reader.read(), reader.read(1000)]) {
    const error = (await read.catch((fault: unknown) => fault)) as ConnectionClosed
    expect(error).toBeInstanceOf(ConnectionClosed)
    expect(error.message).toBe('the cable was cut')
    expect(error.cause).toMatchObject({ message: 'the cable was cut' })
  }
})

it('gives what was received before the connection was closed on this side, then the reason', async () => {
  const socket = await accepted()
  const reader = new SocketReader(socket)
  near?.write('last words')
  await once(socket, 'data')
  const closed = closeOf(socket)
  socket.destroy()
  await closed
  expect(String(await reader.read())).toBe('last words')
  await expect(reader.read()).rejects.toThrow('the connection was closed')
})

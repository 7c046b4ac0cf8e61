import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { request, Talks } from './talk.ts'
import { startWay, type Way } from './ways.ts'

/** The version that a client and the gateway negotiate, or the error code. */
function agreed(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
    socket.once('secureConnect', () => {
      resolve(socket.getProtocol() ?? '')
      socket.destroy()
    })
    socket.once('error', () => resolve('refused'))
  })
}

describe('TLS to the proxy', () => {
  let origin: Origin
  let way: Way
  const talks = new Talks(() => way)

  beforeAll(async () => {
    origin = await startOrigin()
    way = await startWay('inside TLS')
  })
  afterEach(() => talks.close())
  afterAll(async () => {
    await way.close()
    await origin.close()
  })

  const ask = () => talks.ask(request(`http://127.0.0.1:${origin.httpPort}/bytes/3`))

  it('T03: is of version 1.2 or 1.3', async () => {
    const old = { ciphers: 'ALL:@SECLEVEL=0' }
    const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const
    const found = await Promise.all(
      versions.map((version) => agreed(way.port, { minVersion: version, maxVersion: version, ...old })),
    )
    expect(found).toEqual(['refused', 'refused', 'TLSv1.2', 'TLSv1.3'])
  })

  it('T05: is optional: the same port answers without it', async () => {
    const bare = new Talks(() => ({
      ...way,
      open: async () => {
        const socket = connectTcp({ host: '127.0.0.1', port: way.port })
        return { socket, reset: () => socket.resetAndDestroy() }
      },
    }))
    expect((await bare.ask('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).status).toBe(400)
    bare.close()
  })

  it('T07: connections without a handshake delay no other client', async () => {
    const idle = Array.from({ length: 100 }, () => connectTcp({ host: '127.0.0.1', port: way.port }))
    for (const socket of idle) socket.write(Buffer.from([0x16, 3, 1]))
    expect((await ask()).status).toBe(200)
    expect(idle.every((socket) => !socket.destroyed)).toBe(true)
    for (const socket of idle) socket.destroy()
  })
})

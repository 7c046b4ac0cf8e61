import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { RawClient } from '../testing/client.ts'
import { requestId } from '../records/request.id.ts'

let bench: Bench
beforeAll(async () => (bench = await startBench()))
afterAll(() => bench.close())

/** The status of a request that is refused before a target is connected to. */
async function statusFrom(localAddress: string, password: string): Promise<string> {
  const client = new RawClient(connect({ host: '127.0.0.1', port: bench.port, localAddress }))
  const head = `OPTIONS http://a.example/ HTTP/1.1\r\nHost: a.example\r\nMax-Forwards: 0\r\n`
  client.write(`${head}${basic('alice1', password)}Connection: close\r\n\r\n`)
  await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
  client.socket.destroy()
  return client.text.slice(9, 12)
}

describe('a cached authentication', () => {
  it('admits from every address but those with many wrong passwords', async () => {
    expect(await statusFrom('127.0.0.2', 'secret')).toBe('204')
    await Promise.all(Array.from({ length: 30 }, () => statusFrom('127.0.0.3', 'wrong')))
    expect(await statusFrom('127.0.0.3', 'secret')).toBe('429')
    expect(await statusFrom('127.0.0.2', 'secret')).toBe('204')
    expect(await statusFrom('127.0.0.4', 'secret')).toBe('204')
  })

  it('is not used once the account has changed', async () => {
    expect(await statusFrom('127.0.0.5', 'secret')).toBe('204')
    bench.feed.addAccount('alice1', 'another', 1_000_000n)
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    expect(await statusFrom('127.0.0.5', 'secret')).toBe('407')
    expect(await statusFrom('127.0.0.5', 'another')).toBe('204')
  })
})

describe('a request id', () => {
  it('is a random UUID of version 4, each different', () => {
    const ids = Array.from({ length: 1000 }, requestId)
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    for (const id of ids) expect(id).toMatch(form)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { connectFeed, type FeedClient } from './client.ts'
import { dialFeed, type FeedDial } from './dial.ts'
import { sharedKey } from './keys.ts'
import { type FeedListener, listenFeed } from './listen.ts'
import type { FeedEvent } from './feed.ts'
import { MemoryFeed } from './testing.ts'

const token = 'a-secret-that-both-of-them-know-well'
let folder: string
let memory: MemoryFeed
let door: FeedListener | null = null
let refused: string[]
let clients: FeedClient[]

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'feed-'))
  memory = new MemoryFeed()
  memory.addExit()
  refused = []
  clients = []
})
afterEach(async () => {
  for (const client of clients) client.close()
  await door?.close()
  door = null
  rmSync(folder, { recursive: true, force: true })
})

/** A private authority and a certificate issued by it. */
function authority(name: string, host: string): { ca: string; cert: string; key: string } {
  const at = (file: string) => path.join(folder, `${name}.${file}`)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...curve, '-subj', `/CN=${name}`, '-keyout', at('ca.key'), '-out', at('ca.crt'))
  const names = ['-addext', `subjectAltName=DNS:${host},IP:127.0.0.1`]
  const by = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-keyout', at('key'), '-out', at('crt')]
  openssl('req', '-x509', ...curve, '-subj', `/CN=${host}`, ...names, ...by)
  const [ca = '', cert = '', key = ''] = ['ca.crt', 'crt', 'key'].map((file) =>
    readFileSync(at(file), 'utf8'),
  )
  return { ca, cert, key }
}

function client(dial: FeedDial): FeedClient {
  const made = connectFeed({
    connect: () => dialFeed(dial),
    callTimeoutMs: 5000,
    retryMs: { first: 10, last: 50 },
    onLost: (fault) => refused.push(fault?.message ?? 'lost'),
  })
  clients.push(made)
  return made
}

const onRefused = (_from: string, fault: Error) => void refused.push(fault.message)

describe('a feed over a unix socket', () => {
  const open = async () => {
    const address = { path: path.join(folder, 'feed.sock') }
    door = await listenFeed({ feed: memory, address, keys: sharedKey(token), tls: null, onRefused })
    return address
  }

  it('answers clients with the token, and is accessible to its owner only', async () => {
    const address = await open()
    expect(statSync(address.path).mode & 0o777).toBe(0o600)
    expect(await client({ address, token, ca: null }).exits()).toEqual(memory.exitList)
  })

  it('sends nothing to clients without the token', async () => {
    const address = await open()
    for (const first of [
      'turnpike-feed 1 another-secret-of-the-same-length-36\n',
      '{"id":1,"call":"exits","args":[]}\n',
      'x'.repeat(2000),
    ]) {
      const socket = connect(address.path)
      let heard = ''
      socket.on('data', (bytes: Buffer) => (heard += bytes.toString()))
      socket.on('error', () => undefined)
      socket.write(first)
      await once(socket, 'close')
      expect(heard).toBe('')
    }
    expect(memory.exitsAsked).toBe(0)
    expect(refused).toHaveLength(3)
  })

  it('is not taken over from a running server', async () => {
    const address = await open()
    await expect(listenFeed({ feed: memory, address, keys: sharedKey(token), tls: null })).rejects.toThrow(
      'EADDRINUSE',
    )
    expect(await client({ address, token, ca: null }).exits()).toHaveLength(1)
  })

  it('is taken over from a server that was killed', async () => {
    const address = { path: path.join(folder, 'feed.sock') }
    const server = `require('net').createServer().listen(${JSON.stringify(address.path)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', server])
    expect(statSync(address.path).isSocket()).toBe(true)
    await open()
    expect(await client({ address, token, ca: null }).exits()).toHaveLength(1)
  })

  it('reconnects after an outage of the server, and reports that events may have been missed', async () => {
    const address = await open()
    const far = client({ address, token, ca: null })
    const events: FeedEvent[] = []
    far.subscribe((event) => events.push(event))
    await far.exits()
    memory.emit({ type: 'exits_changed' })
    await eventually(() => events.length === 1, 'an event')
    await door?.close()
    await eventually(() => !far.connected, 'the loss')
    const asked = far.exits()
    await open()
    expect(await asked).toHaveLength(1)
    expect(events).toEqual([{ type: 'exits_changed' }, { type: 'reset' }])
  })

  it('fails an unknown call, and continues', async () => {
    const address = await open()
    const socket: Socket = await dialFeed({ address, token, ca: null })
    let heard = ''
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => (heard += text))
      .resume()
    socket.write(
      '{"id":1,"call":"format_disk","args":[]}\n{"id":2,"call":"lease"}\n{"id":3,"call":"exits","args":[]}\n',
    )
    await eventually(() => heard.split('\n').length === 4, 'three answers')
    expect(heard).toContain('"id":1,"fault"')
    expect(heard).toContain('"id":2,"fault"')
    expect(heard).toContain('"id":3,"ok"')
    socket.destroy()
  })
})

describe('a feed over TLS', () => {
  const open = async (pair: { cert: string; key: string }) => {
    door = await listenFeed({
      feed: memory,
      address: { host: '127.0.0.1', port: 0 },
      keys: sharedKey(token),
      tls: pair,
      onRefused,
    })
    return { host: '127.0.0.1', port: door.port ?? 0 }
  }

  it('answers a gateway that knows the authority', async () => {
    const ours = authority('ours', 'feed.test')
    const address = await open(ours)
    const far = client({ address, token, ca: ours.ca })
    expect(await far.exits()).toEqual(memory.exitList)
    const account = memory.addAccount('alice1', 'secret', 2n ** 60n)
    expect(await far.account({ login: 'alice1', pool: 'residential' })).toEqual(account)
  })

  it('gets no token from a gateway that does not trust it', async () => {
    const ours = authority('ours', 'feed.test')
    const others = authority('others', 'feed.test')
    const address = await open(ours)
    for (const ca of [others.ca, null])
      await expect(dialFeed({ address, token, ca })).rejects.toThrow(/certificate/)
    expect(memory.exitsAsked).toBe(0)
  })

  it('refuses a wrong token with a sentence for the operator', async () => {
    const ours = authority('ours', 'feed.test')
    const address = await open(ours)
    const dial = { address, token: `${token}!`, ca: ours.ca }
    await expect(dialFeed(dial)).rejects.toThrow('is FEED_TOKEN the same on both?')
  })

  it('refuses connections without TLS', async () => {
    const address = await open(authority('ours', 'feed.test'))
    const socket = connect(address.port, address.host)
    socket.on('error', () => undefined)
    socket.write(`turnpike-feed 1 ${token}\n`)
    let heard = ''
    socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')))
    await once(socket, 'close')
    expect(heard).not.toContain('turnpike')
  })
})

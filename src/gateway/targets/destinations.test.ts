import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { RawClient } from '../testing/client.ts'
import { certificateFolder, shake, type CertificateFolder } from '../testing/certificates.ts'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { namesOf } from '../testing/names.ts'

let origin: Origin
let folder: CertificateFolder
let bench: Bench

beforeAll(async () => {
  origin = await startOrigin()
  folder = certificateFolder()
  folder.make('door', ['127.0.0.1'])
})
afterAll(async () => {
  await origin.close()
  folder.remove()
})
afterEach(async () => {
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

const proxyRequest = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${basic()}\r\n`
const connectRequest = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic()}\r\n`

/** The same forbidden address in many spellings, and similar ones. */
const forbidden = `
  169.254.169.254 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 169.254.169.254. 127.2
  [::ffff:a9fe:a9fe] [::169.254.169.254] [64:ff9b:1::a9fe:a9fe] [2001:0:a9fe:a9fe::1] [::]
  [fd00:ec2::254] [fc00::1] [fe80::1] [::1] [::ffff:7f00:2] [ff02::1] [2002:7f00:1::]
  100.100.100.200 192.0.0.192 169.254.20.10 172.16.0.1 192.168.1.1 198.18.0.1 10.0.0.1 224.0.0.1
  255.255.255.255 0 0.0.0.0 2130706433 017700000001 0x7f.1 127.0.0.1
`
  .trim()
  .split(/\s+/)

describe('P19: forbidden targets', () => {
  const port = () => origin.httpPort
  const names = ['to-loopback.test', 'to-metadata.test', 'to-mapped.test', 'to-both.test', 'to-unique.test']
  const found: Record<string, string[]> = {
    'to-loopback.test': ['127.0.0.1'],
    'to-metadata.test': ['169.254.169.254'],
    'to-mapped.test': ['::ffff:127.0.0.1'],
    'to-both.test': ['192.0.2.1', '127.0.0.1'],
    'to-unique.test': ['fd00::1'],
  }
  const start = async () => {
    bench = await startBench({
      certificates: [folder.files('door')],
      allow: [],
      names: await namesOf(found),
    })
  }

  it.each(['plain', 'TLS'])(
    'are refused without a connection, by CONNECT and by GET, over %s',
    async (by) => {
      await start()
      const made = origin.made()
      const open = async () => (by === 'TLS' ? await shake(bench.port) : undefined)
      for (const host of [...forbidden, ...names]) {
        for (const text of [connectRequest(`${host}:${port()}`), proxyRequest(`http://${host}:${port()}/`)]) {
          const client = new RawClient((await open()) ?? bench.port)
          client.write(text)
          await client.until(() => client.text.includes('\r\n\r\n'), `an answer about ${host}`)
          expect(`${host} ${client.text.slice(0, 12)}`).toMatch(/ HTTP\/1.1 40[03]$/)
          client.destroy()
        }
      }
      expect(origin.made()).toBe(made)
    },
  )

  it('are refused by SOCKS5, as names, as addresses, and mail ports too', async () => {
    await start()
    const made = origin.made()
    const replyTo = async (host: string, to = port()) => {
      const client = new RawClient(bench.port)
      const name = host.replaceAll(/[[\]]/g, '')
      client.write('\x05\x01\x02\x01\x06alice1\x06secret')
      client.write(
        Buffer.concat([
          Buffer.from([5, 1, 0, 3, name.length]),
          Buffer.from(name),
          Buffer.from([to >> 8, to & 255]),
        ]),
      )
      await client.until(() => client.bytes.length >= 6, `a reply about ${host}`)
      client.destroy()
      return client.bytes[5]
    }
    for (const host of [...forbidden, ...names]) expect([2, 4]).toContain(await replyTo(host))
    for (const mail of [25, 465, 587]) expect(await replyTo('192.0.2.1', mail)).toBe(2)
    expect(origin.made()).toBe(made)
  })
})

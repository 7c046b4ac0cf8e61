import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pattern, startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import type { CertificateFiles } from './tls.ts'
import { RawClient } from '../testing/client.ts'
import {
  certificateFolder,
  shake,
  writeCertificate,
  type CertificateFolder,
} from '../testing/certificates.ts'
import { basic, silentLog, startBench, type Bench } from '../testing/bench.ts'

const run = promisify(execFile)

let origin: Origin
let folder: CertificateFolder
let bench: Bench
/** Logged lines about certificates. */
const told: string[] = []
const bugs: unknown[] = []
const log = {
  ...silentLog,
  info: (_fields: object, message: string) => void told.push(message),
  error: (fields: object, message: string) =>
    void (message.startsWith('The certificate') ? told.push(message) : bugs.push({ message, ...fields })),
}

beforeAll(async () => {
  origin = await startOrigin()
  folder = certificateFolder()
  folder.make('first', ['127.0.0.1', 'first.test'])
  folder.make('second', ['second.test', '*.wild.test'])
})
afterAll(async () => {
  await origin.close()
  folder.remove()
})
beforeEach(async () => {
  told.length = 0
  bugs.length = 0
  origin.seen.length = 0
  bench = await startBench({
    certificates: [folder.files('first'), folder.files('second')],
    limits: { handshakeMs: 300, headMs: 300, silentMs: 300 },
    log,
  })
})
afterEach(async () => {
  await bench.close()
  expect(bugs).toEqual([])
  expect(bench.feed.faults).toEqual([])
  expect(bench.feed.leases.size).toBe(0)
})

const url = (path: string) => `http://127.0.0.1:${origin.httpPort}${path}`
const curl = async (...args: string[]) => {
  const { stdout } = await run('curl', [
    '-sS',
    '--max-time',
    '20',
    '--proxy-cacert',
    folder.files('first').cert,
    ...args,
  ])
  return stdout
}
const charged = () => {
  const account = bench.feed.accounts.get('residential alice1')
  return account === undefined ? -1 : Number(bench.feed.chargedTo(account))
}
const https = () => `https://alice1:secret@127.0.0.1:${bench.port}`
const subjectOf = (socket: TLSSocket) => socket.getPeerCertificate().subject.CN
const shownTo = async (servername?: string, port = bench.port) => {
  const socket = await shake(port, servername === undefined ? {} : { servername })
  const subject = subjectOf(socket)
  socket.destroy()
  return subject
}

/** A client over TLS. */
const insider = async (port = bench.port) => new RawClient(await shake(port))
/** Whether the handshake is refused. */
const refusedBy = (shaking: Promise<TLSSocket>) =>
  shaking.then(
    (socket) => {
      socket.destroy()
      return false
    },
    () => true,
  )
const taken = (client: RawClient, bytes: number) =>
  client.until(() => client.bytes.length >= bytes, `${bytes} bytes`)

describe('inside TLS', () => {
  it('forwards requests and opens tunnels for curl, and charges what curl counts', async () => {
    const format = '%{size_request} %{size_upload} %{size_header} %{size_download}'
    const sizes = await curl('-x', https(), '-o', '/dev/null', '-w', format, url('/bytes/300000'))
    const sum = sizes
      .split(' ')
      .map(Number)
      .reduce((a, b) => a + b, 0)
    await eventually(() => charged() === sum, `a charge of ${sum}, have ${charged()}`)
    const tunnelled = await curl('-x', https(), '-p', url('/bytes/5'))
    expect(tunnelled).toHaveLength(5)
  })

  it('serves SOCKS5, counts the bytes inside TLS, and passes on a half-close', async () => {
    const client = await insider()
    client.write(Buffer.from([5, 1, 2]))
    await taken(client, 2)
    client.write(Buffer.from('\x01\x06alice1\x06secret'))
    await taken(client, 4)
    const port = Buffer.alloc(2)
    port.writeUInt16BE(origin.echoPort)
    client.write(Buffer.concat([Buffer.from([5, 1, 0, 1, 127, 0, 0, 1]), port]))
    await taken(client, 14)
    expect([...client.bytes.subarray(0, 6)]).toEqual([5, 2, 1, 0, 5, 0])
    const sent = pattern(700_000)
    client.write(sent)
    client.socket.end()
    await client.untilEnd()
    expect(client.bytes.subarray(14).equals(sent)).toBe(true)
    await eventually(() => charged() === 2 * sent.length, `${2 * sent.length} charged, have ${charged()}`)
  })

  it('accepts no second layer, and no TLS at all without certificates', async () => {
    const outer = await insider()
    outer.write(Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]))
    await outer.untilEnd()
    expect(outer.bytes).toHaveLength(0)
    const plain = await startBench()
    expect(await refusedBy(shake(plain.port))).toBe(true)
    await plain.close()
  })

  it('P23: adds nothing that discloses a proxy', async () => {
    await curl('-x', https(), url('/'))
    const names = origin.seen.flatMap(({ rawHeaders }) => rawHeaders.filter((_, index) => index % 2 === 0))
    expect(
      names.map((name) => name.toLowerCase()).filter((name) => /^(via|forwarded|x-|proxy-)/.test(name)),
    ).toEqual([])
  })

  it('P4: a client that resets is never charged for bytes it did not get, and at most one write too little', async () => {
    const client = await insider()
    const target = `127.0.0.1:${origin.httpPort}`
    client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic()}\r\n`)
    await taken(client, 1)
    let got = 0
    client.socket.on('data', (chunk: Buffer) => (got += chunk.length))
    client.write('GET /bytes/50000000 HTTP/1.1\r\nHost: x\r\n\r\n')
    await client.until(() => got > 5_000_000, '5 MB')
    client.destroy()
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
    const { bytesUp, bytesDown } = bench.gateway.stats()
    await eventually(() => charged() === bytesUp + bytesDown, 'the charge')
    // Bytes in the kernels of both sides were sent; those that TLS had not written were not.
    expect(charged()).toBeGreaterThan(5_000_000)
    expect(charged()).toBeLessThan(50_000_000)
  })
})

describe('the certificate', () => {
  it('is chosen by the client’s SNI name; the first one is for all others', async () => {
    expect(await shownTo()).toBe('127.0.0.1')
    expect(await shownTo('second.test')).toBe('second.test')
    expect(await shownTo('eu.wild.test')).toBe('second.test')
    expect(await shownTo('unknown.test')).toBe('127.0.0.1')
  })

  it('is the one that openssl s_client gets by SNI', async () => {
    const connection = ['s_client', '-connect', `127.0.0.1:${bench.port}`, '-servername', 'second.test']
    const shown = run('openssl', [...connection, '-brief'])
    shown.child.stdin?.end()
    const { stdout, stderr } = await shown
    expect(stdout + stderr).toMatch(/CN ?= ?second\.test/)
  })

  it('is read again when its files change, while connections go on', async () => {
    const moving = folder.make('moving', ['before.test'])
    const own = await startBench({ certificates: [moving] })
    const open = await shake(own.port)
    expect(subjectOf(open)).toBe('before.test')
    writeCertificate(moving, ['after.test'])
    await expect.poll(() => shownTo('any', own.port), { timeout: 60_000 }).toBe('after.test')
    const client = new RawClient(open)
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await client.until(() => client.text.includes('HTTP/1.1 400'), 'an answer')
    client.destroy()
    await own.close()
  })

  it('is read again when it is replaced by renaming, or when its symbolic link changes, as certbot does', async () => {
    const live = folder.make('live', ['old.test'])
    const own = await startBench({ certificates: [live] })
    const next = folder.make('next', ['renamed.test'])
    renameSync(next.cert, live.cert)
    renameSync(next.key, live.key)
    await expect.poll(() => shownTo('any', own.port), { timeout: 60_000 }).toBe('renamed.test')
    await own.close()
    const links = { cert: `${live.cert}.link`, key: `${live.key}.link` }
    const point = (files: CertificateFiles) => {
      for (const part of ['cert', 'key'] as const) {
        symlinkSync(files[part], `${links[part]}.new`)
        renameSync(`${links[part]}.new`, links[part])
      }
    }
    point(live)
    const linked = await startBench({ certificates: [links] })
    expect(await shownTo('any', linked.port)).toBe('renamed.test')
    const elsewhere = certificateFolder()
    point(elsewhere.make('third', ['turned.test']))
    await expect.poll(() => shownTo('any', linked.port), { timeout: 60_000 }).toBe('turned.test')
    // Nothing changes in the folder of the links: only checking the files shows it.
    elsewhere.make('third', ['written.test'])
    await expect.poll(() => shownTo('any', linked.port), { timeout: 12_000 }).toBe('written.test')
    await linked.close()
    elsewhere.remove()
  })

  it('stays in use when the new one is invalid, and the log says so', async () => {
    const { cert, key } = folder.make('breaking', ['whole.test'])
    const own = await startBench({ certificates: [{ cert, key }], log })
    const whole = readFileSync(cert)
    writeFileSync(cert, 'no certificate')
    await expect
      .poll(() => told, { timeout: 60_000 })
      .toContainEqual(
        expect.stringMatching(
          /^The certificate .*breaking\.crt with the key .* cannot be used: .* stays in use\.$/,
        ),
      )
    expect(await shownTo('any', own.port)).toBe('whole.test')
    writeFileSync(cert, whole)
    await expect.poll(() => told, { timeout: 60_000 }).toContain('certificate read anew')
    await own.close()
  })

  it('that cannot be used keeps the gateway from starting', async () => {
    const broken = { cert: folder.files('first').cert, key: folder.files('second').key }
    await expect(startBench({ certificates: [broken] })).rejects.toThrow(/^The certificate .* cannot be used/)
  })
})

describe('P22: TLS', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('supports %s', async (version) => {
    const socket = await shake(bench.port, { minVersion: version, maxVersion: version })
    expect(socket.getProtocol()).toBe(version)
    socket.destroy()
  })

  it('supports nothing older, and no cipher without forward secrecy and authentication', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
    expect(await refusedBy(shake(bench.port, old))).toBe(true)
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'AES128-GCM-SHA256'])
      expect(await refusedBy(shake(bench.port, { maxVersion: 'TLSv1.2', ciphers }))).toBe(true)
  })

  it('refuses renegotiation', async () => {
    const socket = await shake(bench.port, { maxVersion: 'TLSv1.2' })
    const outcome = new Promise<Error | null>((resolve) => {
      socket.renegotiate({}, resolve)
      socket.once('error', resolve)
    })
    const client = new RawClient(socket)
    expect(await outcome).toBeInstanceOf(Error)
    client.destroy()
  })

  it('agrees on http/1.1 with a client that offers more', async () => {
    const socket = await shake(bench.port, { ALPNProtocols: ['h2', 'http/1.1'] })
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
  })
})

describe('P14: a slow handshake', () => {
  it('is cut in time, begun or not, and delays no other client', async () => {
    const slow = Array.from({ length: 50 }, () => new RawClient(bench.port))
    for (const client of slow) client.write(Buffer.from([0x16, 3, 1]))
    expect(await shownTo('second.test')).toBe('second.test')
    for (const client of slow) await client.untilEnd(5000)
    expect(slow.map(({ text }) => text).join('')).toBe('')
  })

  it('that is invalid after its first byte ends immediately', async () => {
    const socket = connect(bench.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(Buffer.concat([Buffer.from([0x16]), Buffer.alloc(600, 0x41)]))
    socket.resume()
    await once(socket, 'close')
  })
})

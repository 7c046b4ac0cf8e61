import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pattern, startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { RawClient } from './testing/client.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'

const run = promisify(execFile)
const MB = 1_000_000

let origin: Origin
let bench: Bench

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(async () => origin.close())
beforeEach(async () => {
  origin.seen.length = 0
  bench = await startBench()
})
afterEach(async () => {
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
  expect(bench.feed.leases.size).toBe(0)
})

const url = (path: string) => `http://127.0.0.1:${origin.httpPort}${path}`
const account = () => {
  const found = bench.feed.accounts.get('residential alice1')
  if (found === undefined) throw new Error('no account')
  return found
}
const charged = () => Number(bench.feed.chargedTo(account()))

async function settled(bytes: number): Promise<void> {
  await eventually(() => charged() >= bytes, `a charge of ${bytes}, have ${charged()}`).catch(() => undefined)
  expect(charged()).toBe(bytes)
}

const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function curl(
  ...args: string[]
): Promise<{ code: number; out: string; stats: Record<string, number> }> {
  const format =
    '\n%{http_code} %{http_connect} %{size_request} %{size_upload} %{size_header} %{size_download}'
  const all = ['-sS', '--max-time', '60', '-w', format, ...args]
  const { stdout, code } = await run('curl', all, { maxBuffer: 256 * MB, encoding: 'latin1' }).then(
    (done) => ({ stdout: done.stdout, code: 0 }),
    (fault: { stdout: string; code: number }) => ({ stdout: fault.stdout, code: fault.code }),
  )
  const cut = stdout.lastIndexOf('\n')
  const [status = 0, connect = 0, request = 0, upload = 0, header = 0, download = 0] = stdout
    .slice(cut + 1)
    .split(' ')
    .map(Number)
  return { code, out: stdout.slice(0, cut), stats: { status, connect, request, upload, header, download } }
}

const proxy = () => `http://alice1:secret@127.0.0.1:${bench.port}`
const sum = (stats: Record<string, number>) =>
  (stats.request ?? 0) + (stats.upload ?? 0) + (stats.header ?? 0) + (stats.download ?? 0)

const connectTo = (port: number, target: string, username = 'alice1') =>
  new RawClient(port).connect(target, basic(username))

describe('curl through the gateway', () => {
  it('is charged over HTTP exactly what curl counted, up and down', async () => {
    let total = 0
    for (const size of [0, 1, 1000, 3 * MB]) {
      const down = await curl('-x', proxy(), '-o', join(bench.directory, 'out'), url(`/bytes/${size}`))
      expect(down.stats).toMatchObject({ status: 200, download: size })
      total += sum(down.stats)
    }
    const file = join(bench.directory, 'up')
    writeFileSync(file, pattern(2 * MB))
    const up = await curl('-x', proxy(), '--data-binary', `@${file}`, '-H', 'Expect:', url('/count'))
    expect(up).toMatchObject({ out: String(2 * MB), stats: { status: 200, upload: 2 * MB } })
    total += sum(up.stats)
    await settled(total)
    expect(bench.feed.requests.get(account().access)).toBe(5)
  })

  it('tunnels by CONNECT, and by SOCKS5 with names resolved locally and remotely', async () => {
    for (const args of [
      ['-p', '-x', proxy()],
      ['-x', `socks5://alice1:secret@127.0.0.1:${bench.port}`],
      ['-x', `socks5h://alice1:secret@127.0.0.1:${bench.port}`],
    ]) {
      const before = charged()
      const file = join(bench.directory, 'out')
      const got = await curl(...args, '-o', file, '--suppress-connect-headers', url(`/bytes/${MB}`))
      expect(got.stats).toMatchObject({ status: 200, download: MB })
      await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
      await eventually(() => bench.feed.leases.size === 0, 'the lease to go back')
      // Requests inside a tunnel are payload: heads and bodies, in both directions.
      expect(charged() - before).toBeGreaterThan(MB + 100)
      expect(charged() - before).toBeLessThan(MB + 1000)
    }
  })

  it('sends chunked bodies both ways', async () => {
    const file = join(bench.directory, 'up')
    writeFileSync(file, pattern(300_000))
    const got = await curl(
      '-x',
      proxy(),
      '-H',
      'Transfer-Encoding: chunked',
      '--data-binary',
      `@${file}`,
      url('/echo'),
    )
    expect(sha(Buffer.from(got.out, 'latin1'))).toBe(sha(pattern(300_000)))
    const large = await curl('-x', proxy(), url('/chunked/700000'))
    expect(large.out.length).toBe(700_000)
    const old = await curl('-x', proxy(), '--http1.0', '-i', url('/chunked/70000'))
    expect(old.out.toLowerCase()).not.toContain('transfer-encoding')
    expect(old.stats.download).toBe(70_000)
  })

  it('keeps the connection for the next request, also after a 407', async () => {
    const config = join(bench.directory, 'curlrc')
    writeFileSync(
      config,
      `url = ${url('/bytes/10')}\nurl = ${url('/status/204')}\nurl = ${url('/bytes/20')}\n`,
    )
    const before = bench.gateway.stats().connectionsTotal
    const got = await curl('-x', proxy(), '--proxy-anyauth', '-K', config)
    expect(got.code).toBe(0)
    expect(bench.gateway.stats().connectionsTotal - before).toBe(1)
    expect(origin.seen.map((request) => request.url)).toEqual(['/bytes/10', '/status/204', '/bytes/20'])
  })
})

describe('tunnels', () => {
  it('charge exactly what was echoed, of any size, in parallel', async () => {
    const sizes = [0, 1, 17, 1000, 65_536, 1_000_003, 5 * MB, 64 * 1024 * 1024]
    await Promise.all(
      sizes.map(async (size) => {
        const client = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
        const headLength = client.text.indexOf('\r\n\r\n') + 4
        const data = pattern(size)
        client.socket.end(data)
        await client.untilEnd(60_000)
        const got = client.bytes.subarray(headLength)
        expect(got.length).toBe(size)
        expect(sha(got)).toBe(sha(data))
        client.destroy()
      }),
    )
    await settled(2 * sizes.reduce((total, size) => total + size, 0))
  })

  it('pass on bytes sent right after the head, and a half-close', async () => {
    const client = new RawClient(bench.port)
    const target = `127.0.0.1:${origin.echoPort}`
    client.write(`CONNECT ${target} HTTP/1.0\r\n${basic()}\r\nearly bird`)
    await client.until(() => client.text.endsWith('early bird'), 'the echo')
    client.destroy()
    const late = await connectTo(bench.port, target)
    late.socket.end('!late\n')
    await late.untilEnd()
    expect(late.text.endsWith('\r\n\r\nlate')).toBe(true)
    late.destroy()
    await settled(20 + 6 + 4)
  })

  it('cost double where the targeting names a city', async () => {
    const client = await connectTo(
      bench.port,
      `127.0.0.1:${origin.echoPort}`,
      'alice1-city-us_ca_los_angeles-sid-a1',
    )
    expect(client.text).toContain('X-Turnpike-Multiplier: 2\r\n')
    expect(client.text).toContain('X-Turnpike-Session: a1\r\n')
    client.socket.end('hello')
    await client.untilEnd()
    client.destroy()
    await settled(20)
  })

  it('cost what the target accepted, whether it resets or closes before its first byte', async () => {
    const client = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    client.write('!reset\n')
    await client.until(() => client.closed, 'the reset')
    const clean = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    clean.socket.end('!close\n')
    await clean.untilEnd()
    await settled(14)
    expect(bench.feed.requests.get(account().access)).toBe(2)
  })

  it('end when either side resets', async () => {
    const client = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    client.write('ping')
    await client.until(() => client.text.endsWith('ping'), 'the echo')
    expect(origin.open()).toBeGreaterThan(0)
    client.socket.resetAndDestroy()
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the tunnel')
    const other = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    other.write('!drop-after-echo\n')
    await other.untilEnd()
    expect(other.text.endsWith('!drop-after-echo\n')).toBe(true)
    await settled(8 + 34)
  })

  it('charge what the client received when it resets in the middle', async () => {
    for (const limit of [100_000, 1_000_000, 10_000_000]) {
      const client = new RawClient(bench.port)
      client.write(`GET ${url('/bytes/30000000')} HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
      await client.until(() => client.socket.bytesRead >= limit, 'the bytes')
      client.socket.resetAndDestroy()
    }
    await eventually(() => bench.gateway.stats().tunnelsOpen === 0, 'the end of the requests')
    await eventually(() => bench.feed.leases.size === 0, 'the leases to go back')
    // Bytes in the kernel's buffers were accepted and are owed; never more than the buffers hold.
    expect(charged()).toBeGreaterThan(11_100_000)
    expect(charged()).toBeLessThan(11_100_000 + 3 * 8 * MB)
  })
})

describe('an account', () => {
  it('has its tunnels cut when its password changes or it is blocked', async () => {
    const client = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    const saved = { ...account() }
    bench.feed.accounts.set('residential alice1', { ...saved, blocked: true })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    await client.untilEnd(2000)
    const again = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    expect(again.text).toMatch(/^HTTP\/1.1 403 .*account_blocked/s)
    bench.feed.accounts.set('residential alice1', saved)
    bench.feed.emit({ type: 'reset' })
    const third = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    expect(third.text).toMatch(/^HTTP\/1.1 200 /)
    bench.feed.accounts.set('residential alice1', { ...saved, password_sha256: '00'.repeat(32) })
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    await third.untilEnd(2000)
    bench.feed.accounts.set('residential alice1', saved)
    for (const raw of [client, again, third]) raw.destroy()
  })

  it('has its open tunnels listed when an operator asks, and cut one by one or all at once', async () => {
    const other = bench.feed.addAccount('bob1', 'secret', 1_000_000n)
    const [first, second, bobs] = [
      await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`),
      await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`),
      await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`, 'bob1'),
    ]
    const ask = async (question: string) => {
      bench.feed.emit({ type: 'account_changed', login: 'alice1', tell: question })
      await eventually(() => bench.feed.told.some((answer) => answer.question === question), 'the answer')
      return bench.feed.told.find((answer) => answer.question === question)
    }
    const told = await ask('q1')
    expect(told).toMatchObject({
      gateway: 'g1',
      open: 2,
      sessions: Array(2).fill({
        pool: 'residential',
        protocol: 'connect',
        target: `127.0.0.1:${origin.echoPort}`,
        client: '127.0.0.1',
      }),
    })
    const [newest] = told?.sessions ?? []
    bench.feed.emit({ type: 'account_changed', login: 'alice1', cut: newest?.id ?? '' })
    await second.untilEnd(2000)
    expect((await ask('q2'))?.open).toBe(1)
    // The request of another person, under this login: nothing is cut.
    bench.feed.emit({ type: 'account_changed', login: 'bob1', cut: told?.sessions[1]?.id ?? '' })
    expect((await ask('q3'))?.open).toBe(1)
    bench.feed.emit({ type: 'account_changed', login: 'alice1', cut: 'all' })
    await first.untilEnd(2000)
    expect((await ask('q4'))?.open).toBe(0)
    expect(bench.gateway.stats().tunnelsOpen).toBe(1)
    expect(other.blocked).toBe(false)
    const again = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    expect(again.text).toMatch(/^HTTP\/1.1 200 /)
    for (const raw of [first, second, bobs, again]) raw.destroy()
  })

  it('that is deleted has its tunnels cut, over every protocol, and is unknown from then on', async () => {
    const client = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    const socks = new RawClient(bench.port)
    socks.write('\x05\x01\x02\x01\x06alice1\x06secret')
    socks.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 255]))
    await socks.until(() => socks.bytes.length === 14, 'the tunnel')
    const waiting = new RawClient(bench.port)
    waiting.write(`GET ${url('/hang')} HTTP/1.1\r\nHost: x\r\n${basic()}\r\n`)
    await eventually(() => bench.gateway.stats().tunnelsOpen === 3, 'all of them to be open')
    const saved = account()
    bench.feed.accounts.delete('residential alice1')
    bench.feed.emit({ type: 'account_changed', login: 'alice1' })
    for (const one of [client, socks, waiting]) await one.untilEnd(2000)
    const again = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    expect(again.text).toMatch(/^HTTP\/1.1 407 .*wrong_credentials/s)
    bench.feed.accounts.set('residential alice1', saved)
    for (const one of [client, socks, waiting, again]) one.destroy()
  })

  it('can be guessed at 30 times a minute at most, and its owner is still admitted', async () => {
    const good = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    const statuses: string[] = []
    for (let attempt = 0; attempt < 40; attempt++) {
      const client = new RawClient(bench.port)
      client.write(`CONNECT 127.0.0.1:1 HTTP/1.1\r\n${basic('alice1', `guess${attempt}`)}\r\n`)
      await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
      statuses.push(client.text.slice(9, 12))
      if (attempt === 39) expect(client.text).toMatch(/Retry-After: [0-9]+\r\n/)
      client.destroy()
    }
    expect(statuses.slice(0, 30).every((status) => status === '407')).toBe(true)
    expect(statuses.slice(30).every((status) => status === '429')).toBe(true)
    const again = await connectTo(bench.port, `127.0.0.1:${origin.echoPort}`)
    expect(again.text).toMatch(/^HTTP\/1.1 200 /)
    good.destroy()
    again.destroy()
  })
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, until } from '#test/stack'
import { runBounded } from './visitor.bounded.ts'
import { get, post, type Protocol, run, type Way } from './visitor.ts'

let stack: Stack
let origin: Origin
let customer: StackCustomer
let way: Way

beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack(), startOrigin()])
  customer = await stack.signIn()
  const { login, password } = await customer.proxy('residential')
  way = { port: stack.portBase, login, password, target: { host: origin.host, port: origin.httpPort } }
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

/** Charged bytes and requests so far, in the pool of the tests. */
async function charged(): Promise<{ bytes: bigint; requests: number }> {
  const { usage, total } = await customer.usage('residential')
  return { bytes: bytesFromWire(total.traffic), requests: usage.reduce((sum, day) => sum + day.request, 0) }
}

/** Waits until the charge has reached an expected sum, then checks that it stays there. */
async function settlesAt(before: bigint, bytes: bigint): Promise<void> {
  await until(async () => (await charged()).bytes >= before + bytes, 60_000, `${bytes} bytes to be charged`)
  // After two report intervals and the time of an idle lease the charge must be unchanged.
  const quiet = performance.now() + 1500
  await until(() => performance.now() > quiet, 60_000, 'the reports to come to rest')
  expect((await charged()).bytes - before).toBe(bytes)
}

const MiB = 1024 * 1024
const sizes = [0, 1, 1000, 65_535, 65_536, 65_537, MiB, 64 * MiB]

describe.each<Protocol>(['http', 'connect', 'socks5'])('over %s', (protocol) => {
  it('charges exactly what the client counted, 0 B to 64 MiB down, all concurrently', async () => {
    const before = (await charged()).bytes
    const counts = await Promise.all(
      sizes.map((size) => run(protocol, way, get(protocol, way, `/bytes/${size}`))),
    )
    counts.forEach((count, index) => {
      expect(count.end).toBe('closed')
      expect(count.received).toBeGreaterThan(sizes[index] ?? 0)
    })
    await settlesAt(before, sum(counts.map(({ sent, received }) => sent + received)))
  })

  it('charges exactly what the client counted, 0 B to 16 MiB up, all concurrently', async () => {
    const before = (await charged()).bytes
    const upSizes = [0, 1, 65_537, MiB, 16 * MiB]
    const counts = await Promise.all(
      upSizes.map((size) => run(protocol, way, post(protocol, way, '/count', size))),
    )
    for (const count of counts) expect(count.end).toBe('closed')
    await settlesAt(before, sum(counts.map(({ sent, received }) => sent + received)))
  })

  it('charges exactly the received bytes when the target resets in the middle', async () => {
    const before = (await charged()).bytes
    const count = await run(protocol, way, get(protocol, way, `/truncated/${3 * MiB}`))
    expect(count.received).toBeGreaterThan(3 * MiB)
    await settlesAt(before, sum([count.sent + count.received]))
  })

  it('charges at least the received bytes, and at most those in the sockets, when the client resets', async () => {
    const before = (await charged()).bytes
    const download = get(protocol, way, `/bytes/${64 * MiB}`)
    const count = await runBounded(protocol, way, { ...download, abortAfter: 5 * MiB })
    expect(count.end).toBe('aborted')
    let last = -1n
    await until(
      async () => {
        const now = (await charged()).bytes
        const isResting = now === last && now - before >= BigInt(count.sent + count.received)
        last = now
        await new Promise((resolve) => setTimeout(resolve, 300))
        return isResting
      },
      60_000,
      'the charge of a broken download to come to rest',
    )
    const bytes = Number(last - before)
    // The capacity of the kernel's buffers on both sides of the gateway.
    expect(bytes).toBeLessThanOrEqual(count.sent + count.received + 8 * MiB)
  })
})

it('the gateway charges double where the targeting names a state', async () => {
  const before = (await charged()).bytes
  const doubled = { ...way, login: `${way.login}-cc-us-st-us_ca` }
  const count = await run('connect', doubled, get('connect', doubled, '/bytes/100000'))
  await settlesAt(before, 2n * sum([count.sent + count.received]))
})

it('the gateway applies the stored settings of a line too long for a user name, and their tariff', async () => {
  const countries = await customer.call('proxy_countries', { provider: 'gateway', pool: 'residential' })
  const line = await customer.call('get_proxy', {
    anonymous: 'true',
    type: 'rotating',
    protocol: 'http',
    format: 'login:password:hostname:port',
    quantity: 1,
    sessionttl: 0,
    pool: 'residential',
    countries: countries.map(({ code }) => code),
    states: ['us_ca'],
  })
  const [login = ''] = line.split(':')
  expect(login).toMatch(/-set-[0-9a-f]+$/)
  const before = (await charged()).bytes
  const stored = { ...way, login }
  const count = await run('connect', stored, get('connect', stored, '/bytes/1000'))
  await settlesAt(before, 2n * sum([count.sent + count.received]))
  const unknown = { ...way, login: `${way.login}-set-0123456789abcde` }
  await expect(run('connect', unknown, { request: [] })).rejects.toThrow('HTTP/1.1 400')
})

it('the gateway charges nothing for refused requests', async () => {
  const before = await charged()
  const wrong = { ...way, password: 'not-the-password' }
  await expect(run('connect', wrong, { request: [] })).rejects.toThrow('HTTP/1.1 407')
  const forbidden = { ...way, target: { host: '10.0.0.1', port: 80 } }
  await expect(run('connect', forbidden, { request: [] })).rejects.toThrow('HTTP/1.1 403')
  await settlesAt(before.bytes, 0n)
})

it('the gateway charges curl exactly what curl counted', async () => {
  const before = await charged()
  const proxy = `http://${way.login}:${way.password}@127.0.0.1:${way.port}`
  const format = '%{size_request} %{size_upload} %{size_header} %{size_download}'
  const url = `http://${origin.host}:${origin.httpPort}/bytes/1000000`
  const { stdout } = await promisify(execFile)('curl', [
    '-sS',
    '-o',
    '/dev/null',
    '-w',
    format,
    '-x',
    proxy,
    url,
  ])
  await settlesAt(before.bytes, sum(stdout.split(' ').map(Number)))
  expect((await charged()).requests).toBe(before.requests + 1)
})

function sum(numbers: number[]): bigint {
  return numbers.reduce((total, next) => total + BigInt(next), 0n)
}

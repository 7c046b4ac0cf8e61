import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Input } from '#contract/contract'
import { bytesFromWire } from '#contract/traffic'
import { refusalOf } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { stackSlots } from '#test/ports'
import { type Stack, type StackCustomer, startStack, until } from '#test/stack'

let stack: Stack
let origin: Origin
let customer: StackCustomer

beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack(), startOrigin()])
  customer = await stack.signIn()
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})
beforeEach(async () => {
  await deny()
  await until(
    async () => (await statuses(stack.portBase)).join() === '407',
    everywhereMs,
    'every worker to know',
  )
})

const pool = 'residential'
const ip = '127.0.0.1'
/** The time limit for a change to take effect everywhere. */
const everywhereMs = 2000

/** Adds this machine's address to the whitelist, and waits until every worker has it. */
async function allow(): Promise<void> {
  await customer.call('add_ip_to_whitelist', { pool, ip })
  await until(
    async () => (await statuses(stack.portBase)).join() === '200',
    everywhereMs,
    'every worker to know',
  )
}
const deny = () => customer.call('remove_ip_from_whitelist', { pool, ip })

async function lines(wish: Partial<Input<'get_proxy'>>): Promise<string[]> {
  const text = await customer.call('get_proxy', {
    anonymous: 'true',
    type: 'sticky',
    protocol: 'http',
    format: 'hostname:port',
    quantity: 2,
    sessionttl: 0,
    pool,
    ...wish,
  })
  return text.split('\n')
}

/**
 * curl with these options; returns the answer's status (0: none) and the bytes charged for a forwarded
 * request.
 */
async function curl(...args: string[]): Promise<{ status: number; bytes: number }> {
  const format = '%{http_code} %{size_request} %{size_upload} %{size_header} %{size_download}'
  const all = ['-sS', '--max-time', '10', '-o', '/dev/null', '-w', format, ...args]
  const { stdout } = await promisify(execFile)('curl', all).catch((fault: { stdout: string }) => fault)
  const [status = 0, ...sizes] = stdout.split(' ').map(Number)
  return { status, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

const url = (path: string) => `http://${origin.host}:${origin.httpPort}${path}`
const charged = async () => bytesFromWire((await customer.usage(pool)).total.traffic)

/** Opens a tunnel to the echo; returns the status and, for 200, the tunnel. */
async function connect(port: number, credentials?: string): Promise<{ status: number; socket: Socket }> {
  const socket = createConnection({ host: '127.0.0.1', port, noDelay: true })
  // These tunnels are meant to be cut.
  socket.on('error', () => undefined)
  const authority = `${origin.host}:${origin.echoPort}`
  const basic = Buffer.from(credentials ?? '').toString('base64')
  const field = credentials === undefined ? '' : `Proxy-Authorization: Basic ${basic}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${field}\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer.toString('latin1'))?.[1])
  if (status !== 200) socket.destroy()
  return { status, socket }
}

/** Opens enough tunnels to reach both workers; each tunnel has relayed something. */
async function tunnels(port: number, credentials?: string): Promise<Socket[]> {
  const opened = await Promise.all(Array.from({ length: 12 }, () => connect(port, credentials)))
  expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200))
  return await Promise.all(
    opened.map(async ({ socket }) => {
      socket.write('hello')
      await once(socket, 'data')
      return socket
    }),
  )
}

/** The answers to a dozen new connections, on both workers. */
async function statuses(port: number, credentials?: string): Promise<number[]> {
  const opened = await Promise.all(Array.from({ length: 12 }, () => connect(port, credentials)))
  for (const { socket } of opened) socket.destroy()
  return [...new Set(opened.map(({ status }) => status))]
}

/** The milliseconds until the gateway has closed all of them. */
async function cutAfter(sockets: Socket[], act: () => Promise<unknown>): Promise<number> {
  const ended = Promise.all(
    sockets.map(async (socket) => {
      if (!socket.destroyed) await once(socket, 'close')
    }),
  )
  const begun = performance.now()
  await act()
  await ended
  return performance.now() - begun
}

it('lines of an address and a port work with curl unchanged, and are charged exactly', async () => {
  await allow()
  const before = await charged()
  const [first = '', second = ''] = await lines({ quantity: 2 })
  expect(first).toBe(`127.0.0.1:${stack.portBase + 1}`)
  expect(second).toBe(`127.0.0.1:${stack.portBase + 2}`)
  const counts = [
    await curl('-x', `http://${first}`, url('/bytes/100000')),
    await curl('-x', `http://${second}`, url('/bytes/7')),
  ]
  expect(counts.map(({ status }) => status)).toEqual([200, 200])
  const expected = BigInt(counts.reduce((sum, { bytes }) => sum + bytes, 0))
  await until(async () => (await charged()) >= before + expected, 60_000, 'the charge')
  expect((await charged()) - before).toBe(expected)
  for (const args of [
    ['-p', '-x', `http://${first}`],
    ['-x', `socks5://${first}`],
    ['-x', `socks5h://${second}`],
  ])
    expect(await curl(...args, url('/bytes/1000'))).toMatchObject({ status: 200 })
})

it('the port selects the settings, and new lines apply immediately', async () => {
  await allow()
  await lines({ quantity: 1, states: ['us_ca'], countries: ['us'] })
  const tell = async () => (await curlHead(stack.portBase + 1)).match(/X-Turnpike-Multiplier: (\d)/)?.[1]
  expect(await tell()).toBe('2')
  await lines({ quantity: 1 })
  const begun = performance.now()
  await until(async () => (await tell()) === '1', everywhereMs, 'the new settings')
  expect(performance.now() - begun).toBeLessThan(everywhereMs)
})

/** The head that answers a CONNECT. */
async function curlHead(port: number): Promise<string> {
  const all = ['-sS', '-i', '-p', '--max-time', '10', '-x', `http://127.0.0.1:${port}`, url('/bytes/1')]
  return (await promisify(execFile)('curl', all)).stdout
}

it('a list longer than the slots is refused, and a slot without a line answers 403', async () => {
  await allow()
  expect(await refusalOf(lines({ quantity: stackSlots + 1 }))).toMatchObject({
    code: 'too_many_slots',
    details: { limit: stackSlots },
  })
  expect(await statuses(stack.portBase + stackSlots)).toEqual([403])
})

it('the entry port needs no password from a whitelisted address', async () => {
  const entry = stack.portBase
  expect(await statuses(entry)).toEqual([407])
  await allow()
  for (const args of [
    ['-x', `http://127.0.0.1:${entry}`],
    ['-x', `socks5h://127.0.0.1:${entry}`],
  ])
    expect(await curl(...args, url('/bytes/1000'))).toMatchObject({ status: 200 })
  // Other pools do not accept the address.
  expect(await statuses(entry + 1000)).toEqual([407])
})

it('an address removed from the whitelist is refused everywhere within two seconds', async () => {
  await allow()
  await lines({ quantity: 1 })
  const slot = stack.portBase + 1
  await until(async () => (await statuses(slot)).join() === '200', everywhereMs, 'every worker to know')
  const open = [...(await tunnels(slot)), ...(await tunnels(stack.portBase))]
  expect(await cutAfter(open, deny)).toBeLessThan(everywhereMs)
  expect(await statuses(slot)).toEqual([403])
  expect(await statuses(stack.portBase)).toEqual([407])
  expect((await curl('-x', `http://127.0.0.1:${slot}`, url('/bytes/1'))).status).toBe(403)
})

it('a new proxy password cuts tunnels of the old one within two seconds, and only in its pool', async () => {
  const old = await customer.proxy(pool)
  const elsewhere = await customer.proxy('datacenter')
  const stays = await tunnels(stack.portBase + 2000, `${elsewhere.login}:${elsewhere.password}`)
  const open = await tunnels(stack.portBase, `${old.login}-sid-a:${old.password}`)
  let password = ''
  const tookMs = await cutAfter(open, async () => {
    ;({ password } = await customer.call('reset_password', { pool }))
  })
  expect(tookMs).toBeLessThan(everywhereMs)
  expect(password).toMatch(/^[A-Za-z0-9]{16}$/)
  expect(await statuses(stack.portBase, `${old.login}:${old.password}`)).toEqual([407])
  expect(await statuses(stack.portBase, `${old.login}:${password}`)).toEqual([200])
  expect(await customer.proxy(pool)).toEqual({ login: old.login, password })
  for (const socket of stays) {
    expect(socket.destroyed).toBe(false)
    socket.destroy()
  }
  const never = await refusalOf(customer.call('reset_password', { pool: 'mobile' }))
  expect(never).toMatchObject({ code: 'no_subuser', status: 409 })
})

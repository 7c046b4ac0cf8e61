/**
 * Two gateways without a database, connected to a feed on PostgreSQL: each of these can fail and return while
 * tunnels relay bytes at a constant rate. For the test of outages and for their bench.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { type Secrets, secretsOf } from '#lib/secret'
import { ensureAccess } from '#proxies'
import { creditTraffic, openMeter } from '#traffic'
import { backAgain } from './promises/outages.ts'
import { freePortBases } from '#test/ports'
import {
  type GatewayMachine,
  shopEnv,
  startApiMachine,
  startFeedMachine,
  startGatewayMachine,
  startWorkerMachine,
} from './promises/machines.ts'
import { startPostgres } from './promises/postgres.ts'
import { findings, furnish, heldBytes, newBuyer } from './promises/shop.ts'
import { lineOf } from './stack.ts'

const token = 'a-secret-that-all-machines-of-the-test-know'
const entryOffsets: Record<Pool, number> = {
  residential: 0,
  residential_premium: 1000,
  datacenter: 2000,
  mobile: 3000,
}

/** A customer's access to one pool, with a balance of so many bytes. */
export interface Holder {
  pool: Pool
  login: string
  password: string
  /** The bytes charged so far, and the balance, according to the ledger. */
  books: () => Promise<{ charged: bigint; held: bigint }>
}

export interface OutageScene {
  gateways: GatewayMachine[]
  /** The database is stopped at once, or started and used again. */
  database: { halt: () => Promise<void>; start: () => Promise<void> }
  /** The feed's process is killed, or started again. */
  feed: { halt: () => Promise<void>; start: () => Promise<void> }
  holder: (pool: Pool, bytes: bigint) => Promise<Holder>
  /** The findings of the verification of ledger and traffic. */
  wrong: () => Promise<unknown[]>
  close: () => Promise<void>
}

export async function openOutageScene(): Promise<OutageScene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-outage-'))
  const address = `unix:${path.join(folder, 'feed.sock')}`
  const postgres = await startPostgres()
  const database = await furnish(postgres.url)
  const env = shopEnv(postgres.url)
  const { DATABASE_URL: _, ...far } = env
  const secrets = secretsOf(env['SECRET_KEY'] ?? '')
  const [api, worker, feed] = await Promise.all([
    startApiMachine(env),
    startWorkerMachine(env),
    startFeedMachine({ ...env, FEED_LISTEN: address, FEED_TOKEN: token }),
  ])
  const bases = await freePortBases(2)
  const gateways = await Promise.all(
    bases.map((base) => startGatewayMachine({ ...far, FEED_URL: address, FEED_TOKEN: token }, base)),
  )
  const buyer = await newBuyer(api, database)
  return {
    gateways,
    database: {
      halt: postgres.halt,
      start: async () => {
        await postgres.start()
        await backAgain(database)
      },
    },
    feed: { halt: feed.kill, start: feed.start },
    holder: (pool, bytes) =>
      holderOf(database, { ...buyer, call: api.client(buyer.token), secrets }, { pool, bytes }),
    wrong: () => findings(database),
    close: async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await Promise.all([api.stop(), worker.stop(), feed.stop()])
      await database.close()
      await postgres.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function holderOf(
  database: Database,
  { accountId, call, secrets }: { accountId: bigint; call: Parameters<typeof lineOf>[0]; secrets: Secrets },
  { pool, bytes }: { pool: Pool; bytes: bigint },
): Promise<Holder> {
  const { db } = database
  const { id: accessId } = await ensureAccess(db, secrets, { accountId, pool })
  await openMeter(db, { accessId, accountId, pool })
  await creditTraffic(db, {
    accessId,
    part: 'paid',
    bytes,
    kind: 'test_credit',
    reference: `outage ${accessId}`,
  })
  return {
    pool,
    ...(await lineOf(call, pool)),
    books: async () => {
      const { rows } = await database.pool.query<{ charged: bigint }>(
        'select coalesce(sum(charged_bytes), 0)::bigint as charged from usage_day where access_id = $1',
        [accessId],
      )
      return { charged: rows[0]?.charged ?? 0n, held: await heldBytes(database, accountId, pool) }
    },
  }
}

/** A target that sends to each connection at a constant rate, until it is stopped. */
export interface PacedTarget {
  port: number
  /** Sends no more, and ends all connections. */
  finish: () => void
  close: () => Promise<void>
}

const pieceMs = 20

export async function startPacedTarget({ bytesPerSecond }: { bytesPerSecond: number }): Promise<PacedTarget> {
  const sockets = new Map<Socket, { since: number; sent: number }>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
    sockets.set(socket, { since: performance.now(), sent: 0 })
  })
  const filling = Buffer.alloc(bytesPerSecond, 'turnpike')
  const send = () => {
    const now = performance.now()
    for (const [socket, pace] of sockets) {
      // Bytes that the connection did not accept in time are not sent later, so its reader measures the lower
      // rate.
      if (socket.writableNeedDrain) {
        pace.since = now
        pace.sent = 0
        continue
      }
      const due = Math.floor(((now - pace.since) * bytesPerSecond) / 1000) - pace.sent
      if (due <= 0) continue
      const piece = filling.subarray(0, Math.min(due, filling.length))
      pace.sent += piece.length
      socket.write(piece)
    }
  }
  const timer = setInterval(send, pieceMs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const finish = () => {
    clearInterval(timer)
    for (const socket of sockets.keys()) socket.end()
  }
  return {
    port: (server.address() as AddressInfo).port,
    finish,
    close: async () => {
      finish()
      for (const socket of sockets.keys()) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A tunnel that reads, and counts the received bytes. */
export interface PacedTunnel {
  /** Bytes received after the answer. */
  received: () => number
  /** Bytes received in each second since `from` (of `performance.now()`), the one that has begun left out. */
  bySecond: (from: number, to: number) => number[]
  ended: Promise<void>
}

/** The resolution of the recorded arrivals. */
const slotMs = 50

export async function pacedTunnel(
  gateway: Pick<GatewayMachine, 'portBase'>,
  holder: Pick<Holder, 'pool' | 'login' | 'password'>,
  port: number,
): Promise<PacedTunnel> {
  const socket = createConnection({ host: '127.0.0.1', port: gateway.portBase + entryOffsets[holder.pool] })
  const basic = Buffer.from(`${holder.login}:${holder.password}`).toString('base64')
  const target = `127.0.0.1:${port}`
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`)
  const slots: number[] = []
  let head = ''
  let received = 0
  const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('close', () => reject(new Error(`the tunnel was not opened: ${head}`)))
    const count = (bytes: number) => {
      received += bytes
      const slot = Math.floor(performance.now() / slotMs)
      slots[slot] = (slots[slot] ?? 0) + bytes
    }
    socket.on('data', (chunk: Buffer) => {
      if (head.endsWith('\r\n\r\n')) return count(chunk.length)
      const text = head + chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      head = end < 0 ? text : text.slice(0, end + 4)
      if (end < 0) return
      if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head))
      count(text.length - end - 4)
      resolve()
    })
  })
  await opened
  return {
    received: () => received,
    bySecond: (from, to) => {
      const perSecond = 1000 / slotMs
      const first = Math.ceil(from / slotMs)
      const seconds = Math.floor((to - from) / 1000)
      return Array.from({ length: Math.max(0, seconds) }, (_, second) => {
        let sum = 0
        for (let at = 0; at < perSecond; at++) sum += slots[first + second * perSecond + at] ?? 0
        return sum
      })
    },
    ended,
  }
}

/** Tunnels to one target, alternately over the gateways. */
export function pacedTunnels(
  { gateways }: Pick<OutageScene, 'gateways'>,
  holder: Holder,
  { count, port }: { count: number; port: number },
): Promise<PacedTunnel[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const gateway = gateways[index % gateways.length]
      if (gateway === undefined) throw new Error('there is no gateway')
      return pacedTunnel(gateway, holder, port)
    }),
  )
}

export const sumOf = (tunnels: readonly PacedTunnel[]): number =>
  tunnels.reduce((sum, tunnel) => sum + tunnel.received(), 0)

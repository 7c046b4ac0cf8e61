/**
 * The records of tunnels while gateway workers, the server that takes the records, and its database are
 * killed. Decision 20: a record is stored once; a killed worker loses those of open tunnels and unconfirmed
 * ones, and nothing else loses any.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { press } from '#test/app'
import { type Origin, startOrigin } from '#test/origin'
import { lineOf, until } from '#test/stack'
import { freePortBases } from '#test/ports'
import {
  type GatewayMachine,
  type Machine,
  shopEnv,
  startApiMachine,
  startFeedMachine,
  startGatewayMachine,
} from '../promises/machines.ts'
import { backAgain } from '../promises/outages.ts'
import { type Postgres, startPostgres } from '../promises/postgres.ts'
import { findings, furnish, newBuyer } from '../promises/shop.ts'
import type { Way } from './visitor.ts'

/** The number of kills of each process. */
const times = 8
const clientsOfEach = 12
/**
 * An event that the client saw a second earlier was also earlier at the gateway, under any load of the
 * machine.
 */
const orderMs = 1000
const message = Buffer.alloc(4096, 'record ')

/** A tunnel as its client saw it; times are those of performance.now(). */
interface Seen {
  gateway: GatewayMachine
  /** The client's port, by which the record is found. */
  port: number
  /** The echoed bytes: the gateway relays each twice. */
  bytes: number
  /** The client has ended it, and the gateway has closed it after the target. */
  isWhole: boolean
  startedAt: number
  endedAt: number
  closedAt: number
}

let folder: string
let postgres: Postgres
let database: Database
let origin: Origin
let feed: Machine
let gateways: GatewayMachine[]
let line: Pick<Way, 'login' | 'password'>
const seen: Seen[] = []
/**
 * The kills of a gateway's workers, each with its time and the last tunnel whose record the server had taken.
 */
const kills: { gateway: GatewayMachine; at: number; taken: Seen }[] = []

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-records-'))
  ;[postgres, origin] = await Promise.all([startPostgres(), startOrigin()])
  database = await furnish(postgres.url)
  const env = shopEnv(postgres.url)
  const socket = `unix:${path.join(folder, 'feed.sock')}`
  const token = 'a-secret-that-both-machines-know-well'
  const api = await startApiMachine(env)
  const buyer = await newBuyer(api, database)
  const call = api.client(buyer.token)
  const url = await call('create_invoice_web', { payment_method: 'sandbox', amount: 20, pool: 'residential' })
  await press(api.origin, url.split('/').at(-1) ?? '', 'paid')
  line = await lineOf(call, 'residential')
  await api.stop()
  feed = await startFeedMachine({ ...env, FEED_LISTEN: socket, FEED_TOKEN: token })
  const { DATABASE_URL: _, ...far } = env
  gateways = await Promise.all(
    (await freePortBases(2)).map((base) =>
      startGatewayMachine({ ...far, FEED_URL: socket, FEED_TOKEN: token }, base),
    ),
  )
}, 300_000)
afterAll(async () => {
  await Promise.all([...gateways, feed].map((machine) => machine.stop()))
  await database.close()
  await Promise.all([postgres.close(), origin.close()])
  rmSync(folder, { recursive: true, force: true })
})

/** A connection that counts what it receives, and can be waited for. */
interface Link {
  socket: Socket
  received: () => number
  /** The next bytes, or the end. */
  next: () => Promise<void>
  isEnded: () => boolean
}

function reach({ portBase }: GatewayMachine): Link {
  const socket = createConnection({ host: '127.0.0.1', port: portBase, noDelay: true })
  let [received, isEnded, wake] = [0, false, () => {}]
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    wake()
  })
  socket.once('end', () => (isEnded = true))
  // These tunnels are meant to be cut.
  socket.on('error', () => undefined)
  socket.once('close', () => wake())
  return {
    socket,
    received: () => received,
    isEnded: () => isEnded,
    next: () => (socket.closed ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
  }
}

/**
 * A granted tunnel, and how long the answer was; null: the gateway is away, or cannot look the customer up.
 */
async function open(gateway: GatewayMachine): Promise<{ link: Link; head: number } | null> {
  const link = reach(gateway)
  let answer = ''
  link.socket.once('data', (chunk: Buffer) => (answer = chunk.toString('latin1')))
  const authority = `${origin.host}:${origin.echoPort}`
  const basic = Buffer.from(`${line.login}:${line.password}`).toString('base64')
  link.socket.write(
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
  )
  await link.next()
  if (answer.startsWith('HTTP/1.1 200')) return { link, head: answer.length }
  link.socket.destroy()
  return null
}

/** Some round trips through a tunnel of its own, then the end. Null: it was not granted. */
async function visit(gateway: GatewayMachine, trips: number, pauseMs: number): Promise<Seen | null> {
  const opened = await open(gateway)
  if (opened === null) return null
  const {
    link: { socket, received, next, isEnded },
    head,
  } = opened
  const { localPort: port = 0 } = socket
  const one: Seen = {
    gateway,
    port,
    bytes: 0,
    isWhole: false,
    startedAt: performance.now(),
    endedAt: Infinity,
    closedAt: Infinity,
  }
  seen.push(one)
  for (let trip = 0; trip < trips && !socket.closed; trip++) {
    one.bytes += message.length
    socket.write(message)
    while (received() - head < one.bytes && !socket.closed) await next()
    await sleep(randomInt(pauseMs))
  }
  one.endedAt = performance.now()
  socket.end()
  while (!socket.closed) await next()
  one.closedAt = performance.now()
  one.isWhole = isEnded() && received() - head === one.bytes
  return one
}

/** Visits one gateway until it is told to end. */
async function visitor(gateway: GatewayMachine, isOver: () => boolean): Promise<void> {
  while (!isOver()) if ((await visit(gateway, randomInt(1, 12), 30)) === null) await sleep(50)
}

const recordsOf = async (port: number) =>
  (await database.pool.query('select 1 from connection_record where client_port = $1', [port])).rows.length

/**
 * Makes a tunnel and waits until the server has taken its record: then the server has the records of all
 * earlier tunnels too.
 */
async function takenUntilNow(gateway: GatewayMachine): Promise<Seen> {
  let marker: Seen | null = null
  await until(
    async () => (marker = await visit(gateway, 1, 1))?.isWhole === true,
    120_000,
    'a tunnel to be granted',
  )
  const { port } = marker as unknown as Seen
  const many = seen.filter((one) => one.port === port).length
  await until(async () => (await recordsOf(port)) >= many, 120_000, 'a record to be taken')
  return marker as unknown as Seen
}

const killers: Record<'workers' | 'server' | 'database', () => Promise<void>> = {
  workers: async () => {
    const gateway = gateways[randomInt(gateways.length)] as GatewayMachine
    const taken = await takenUntilNow(gateway)
    await sleep(randomInt(400))
    const workers = gateway.workers()
    expect(workers).toHaveLength(1)
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    kills.push({ gateway, at: performance.now(), taken })
    const isBack = () => gateway.workers().some((pid) => !workers.includes(pid))
    await until(isBack, 60_000, 'the worker to be started again')
  },
  server: async () => {
    await feed.kill()
    await sleep(randomInt(1500))
    await feed.start()
  },
  database: async () => {
    // Without a checkpoint: it recovers as after a crash.
    await postgres.halt()
    await sleep(randomInt(1500))
    await postgres.start()
    await backAgain(database)
  },
}

it('every tunnel has one record, whatever is killed; only a killed worker loses its last ones', async () => {
  let isOver = false
  const visitors = gateways.flatMap((gateway) =>
    Array.from({ length: clientsOfEach }, () => visitor(gateway, () => isOver)),
  )
  const victims = Array.from({ length: times }, () => Object.values(killers)).flat()
  for (let left = victims.length; left > 0; left--) {
    const [kill] = victims.splice(randomInt(left), 1)
    await sleep(randomInt(800))
    await kill?.()
  }
  isOver = true
  await Promise.all(visitors)
  await Promise.all(gateways.map(takenUntilNow))
  await Promise.all(gateways.map((gateway) => gateway.stop()))

  const { rows: records } = await database.pool.query<{
    id: string
    port: number
    up: bigint
    down: bigint
    charged: bigint
  }>(
    `select id, client_port as port, up_bytes as up, down_bytes as down,
      charged_up_bytes + charged_down_bytes as charged from connection_record where outcome <> 'refused'`,
  )
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)

  const left = new Map<number, typeof records>()
  for (const record of records) left.set(record.port, [...(left.get(record.port) ?? []), record])
  /** Finds and removes the record of a tunnel; its bytes must match when the client saw the tunnel's end. */
  const recordOf = ({ port, bytes, isWhole }: Seen) => {
    const own = left.get(port) ?? []
    const index = own.findIndex(({ up, down }) => !isWhole || (up === BigInt(bytes) && down === up))
    return index < 0 ? undefined : own.splice(index, 1)[0]
  }
  const lost = seen.toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole)).filter((one) => !recordOf(one))
  // No tunnel is recorded that no client saw granted, and none is recorded twice.
  expect([...left.values()].flat()).toEqual([])
  // The records that a killed worker lost are of open tunnels, or of those that ended after its last
  // confirmed record.
  const excused = ({ gateway, startedAt, closedAt }: Seen) =>
    kills.some(
      (kill) => kill.gateway === gateway && startedAt < kill.at && closedAt > kill.taken.endedAt - orderMs,
    )
  expect(lost.filter((one) => !excused(one))).toEqual([])

  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  const { rows: sums } = await database.pool.query<{
    connections: bigint
    charged: bigint
    billed: bigint
  }>(
    `select sum(connections - refused)::bigint as connections, sum(charged_bytes)::bigint as charged,
      (select sum(charged_bytes) from usage_hour)::bigint as billed from connection_hour`,
  )
  const charged = sum(records.map((record) => record.charged))
  const billed = sums[0]?.billed ?? 0n
  expect(sums[0]).toMatchObject({ connections: BigInt(records.length), charged })
  const lostBytes = sum(lost.map(({ bytes }) => 2n * BigInt(bytes)))
  expect(billed).toBeLessThanOrEqual(charged + lostBytes)
  // A killed worker has not charged its last tenth of a second, also of tunnels that had ended and whose
  // record was taken.
  const last = sum(seen.filter(excused).map(({ bytes }) => 2n * BigInt(bytes)))
  expect(charged).toBeLessThanOrEqual(billed + last)
  expect(await findings(database)).toEqual([])
}, 900_000)

/**
 * A reseller with very many proxy users. Measures the CPU per admission of a proxy user that is in no cache,
 * until its first byte is covered, by the number of proxy users with a lease; and the cost of a changed proxy
 * user for a gateway that caches very many. The gateway's part is the real caches and metering of a worker,
 * without sockets; the feed is another process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectFeed } from '#feed/client'
import { askTogether } from '#feed/together'
import type { FeedAccount } from '#feed'
import { customerWith } from '#test/traffic'
import { Accounts } from '../src/gateway/admission/accounts.ts'
import { Metering } from '../src/gateway/metering/metering.ts'
import { cpuMs, quantiles } from './load.ts'
import type { FeedOrder } from './scale.feed.ts'
import { spendAll } from './scale.reseller.end.ts'
import { closing, type OpenShop } from './scale.shop.ts'

const pool = 'residential'
const perSecond = 333
const chunkBytes = 1500
const aims = { apiMs: 5, gatewayMs: 3, postgresMs: 3, restartSeconds: 10 }

interface ResellerLoad {
  users: number
  /** The steps: the number of proxy users that have a lease before the arrivals. */
  leased: readonly number[]
  seconds: number
  miss: (what: string) => void
}

/** The table of cold admissions, and that of changes. */
export async function measureReseller(shop: OpenShop, load: ResellerLoad): Promise<string[]> {
  const { accessId } = await customerWith(shop.database.db, { paid: 10n ** 15n })
  await fillUsers(shop, accessId, { users: load.users })
  const directory = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-reseller-'))
  const server = await serve({ dataDir: shop.dataDir, socket: path.join(directory, 'feed') })
  const client = connectFeed({ connect: () => connect(server.socket) })
  let calls = 0
  const counted =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      calls++
      return call(...args)
    }
  const feed = askTogether({
    ...client,
    users: counted(client.users),
    lease: counted(client.lease),
    leasesOfUsers: counted(client.leasesOfUsers),
  })
  try {
    const metering = await Metering.open({
      feed,
      gateway: 'bench-reseller',
      directory,
      keepsGoing: false,
      log: { debug: silent, info: silent, warn: console.warn, error: console.error },
    })
    await metering.announce(() => false)
    metering.start(() => ({ exits: [], accounts: [], addresses: [], slots: [], places: [] }))
    const accounts = new Accounts({ feed })
    const rows = [
      '| proxy users with a lease | cold arrivals | feed CPU, ms each | gateway CPU, ms each | PostgreSQL CPU, ms each | p50, ms | p99, ms | calls of the feed |',
      '|---:|---:|---:|---:|---:|---:|---:|---:|',
    ]
    let next = 0
    for (const leased of load.leased) {
      await leaseElsewhere(shop, accessId, leased)
      const count = Math.min(perSecond * load.seconds, load.users / load.leased.length)
      calls = 0
      const cost = await arrive({ shop, server, accounts, metering, from: next, count, perSecond })
      next += count
      const { api, gateway, postgres, took } = cost
      if (api > aims.apiMs || gateway > aims.gatewayMs || postgres > aims.postgresMs)
        load.miss(
          `a cold admission beside ${leased} leases took ${api}, ${gateway} and ${postgres} ms of CPU`,
        )
      const at = quantiles(took)
      const figures = [
        leased,
        count,
        ...[api, gateway, postgres, at(0.5), at(0.99)].map((ms) => ms.toFixed(2)),
      ]
      rows.push(`| ${figures.join(' | ')} | ${calls} |`)
    }
    const returning = Math.min(10_000, load.users - next)
    const { took } = await arrive({
      shop,
      server,
      accounts,
      metering,
      from: next,
      count: returning,
      perSecond: Infinity,
    })
    const servedSeconds = quantiles(took)(0.95) / 1000
    if (servedSeconds > aims.restartSeconds)
      load.miss(
        `95 % of ${returning} that return at once were served after ${servedSeconds.toFixed(1)} s only.`,
      )
    const restart = `Of ${returning} proxy users that return at once, as after a restart of a gateway, 95 % were served after ${servedSeconds.toFixed(1)} s.`
    const end = await spendAll({
      shop,
      accounts,
      metering,
      pool,
      chunkBytes,
      ...(await poorUsers(shop, load.users)),
      calls: () => calls,
      miss: load.miss,
    })
    await metering.stop(() => ({ exits: [], accounts: [], addresses: [], slots: [], places: [] }))
    return [rows.join('\n'), restart, end, changes(load.users)]
  } finally {
    client.close()
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const silent = () => undefined

/** A login of a proxy user for each number. */
const loginOf = (nr: number) =>
  `u${[...String(nr).padStart(11, '0')].map((digit) => 'bcdfghjkmn'[Number(digit)]).join('')}`

/** Makes proxy users, of which every second one has a limit that is never reached; their logins follow `after`. */
export async function fillUsers(
  { database: { db } }: Pick<OpenShop, 'database'>,
  accessId: bigint,
  { users, after = 0 }: { users: number; after?: number },
): Promise<void> {
  await sql`
    insert into proxy_user (access_id, nr, login, label, password_sealed, password_sha256, total_bytes)
    select ${accessId}, nr, 'u' || translate(lpad(nr::text, 11, '0'), '0123456789', 'bcdfghjkmn'),
      'user ' || nr, '', sha256('x'), case when nr % 2 = 0 then 10000000000 end
    from generate_series(${after + 1}::bigint, ${after + users}::bigint) nr`.execute(db)
  await sql`
    update access set proxy_users = proxy_users + ${users}, last_proxy_user = ${after + users}
    where id = ${accessId}`.execute(db)
  await sql`analyze proxy_user`.execute(db)
}

/** The maximum number of proxy users that spend the end of a balance together. */
const mostSpending = 10_000

/** Makes proxy users of a customer with a small balance; their logins are unique. */
async function poorUsers(shop: OpenShop, after: number): Promise<{ logins: string[]; balance: bigint }> {
  const users = Math.min(mostSpending, after)
  const balance = BigInt(users) * 40_000n + 7n
  const { accessId } = await customerWith(shop.database.db, { paid: balance })
  await fillUsers(shop, accessId, { users, after })
  return { logins: Array.from({ length: users }, (_, index) => loginOf(after + index + 1)), balance }
}

/** Opens leases for the last proxy users on another gateway, until `leased` of them have one. */
async function leaseElsewhere(shop: OpenShop, accessId: bigint, leased: number): Promise<void> {
  await sql`
    insert into lease (access_id, proxy_user_id, gateway, boot, granted_bytes)
    select access_id, id, 'elsewhere', 'b', 65536 from (
      select access_id, id from proxy_user u where access_id = ${accessId} and not exists (
        select from lease l where l.access_id = u.access_id and l.proxy_user_id = u.id and l.gateway = 'elsewhere')
      order by nr desc
      limit greatest(0, ${leased} - (select count(*) from lease where gateway = 'elsewhere'))
    ) chosen`.execute(shop.database.db)
  await sql`analyze lease`.execute(shop.database.db)
}

interface Arrivals {
  shop: OpenShop
  server: FeedProcess
  accounts: Accounts
  metering: Metering
  from: number
  count: number
  perSecond: number
}

/** Admits new proxy users at a fixed rate: each is looked up, leased, and charged for one chunk. */
async function arrive({ shop, server, accounts, metering, from, count, perSecond: rate }: Arrivals) {
  const before = { api: cpuMs([server.pid]), gateway: process.cpuUsage(), postgres: shop.postgresCpuMs() }
  const took: number[] = []
  const start = performance.now()
  const one = async (nr: number) => {
    const came = performance.now()
    const account = (await accounts.find({ login: loginOf(nr), pool })) as FeedAccount
    const lease = metering.hold(account.access)
    if (!(await lease.more(chunkBytes))) throw new Error('a proxy user was refused')
    lease.settle(lease.reserve(chunkBytes, 1))
    lease.countRequest()
    lease.holders--
    took.push(performance.now() - came)
  }
  const arriving: Promise<void>[] = []
  for (let index = 0; index < count; index++) {
    const aheadMs = start + (index / rate) * 1000 - performance.now()
    if (aheadMs > 1) await sleep(aheadMs)
    arriving.push(one(from + index + 1))
  }
  await Promise.all(arriving)
  const used = process.cpuUsage(before.gateway)
  return {
    api: (cpuMs([server.pid]) - before.api) / count,
    gateway: (used.user + used.system) / 1000 / count,
    postgres: (shop.postgresCpuMs() - before.postgres) / count,
    took,
  }
}

/** The cost of a changed proxy user for the caches of a gateway that knows this number of proxy users. */
function changes(users: number): string {
  const known = Math.min(users, 50_000)
  const accounts = new Accounts({
    feed: {
      account: () => Promise.resolve(null),
      whitelisted: () => Promise.resolve(null),
      slot: () => Promise.resolve(null),
    },
  })
  const account = { owner: null, pool, password_sha256: '', blocked: false, limits: null }
  const user = {
    parent: 'tpreseller',
    frozen: false,
    expires_ms: null,
    allowed_hosts: [],
    countries: [],
    addresses: [],
  }
  const entries = Array.from({ length: known }, (_, index): [string, FeedAccount] => {
    const login = loginOf(index + 1)
    return [`${pool} ${login}`, { ...account, access: BigInt(index + 1), login, user }]
  })
  accounts.restore({ accounts: entries, addresses: [], slots: [] })
  const times = 1000
  const began = process.cpuUsage()
  for (let index = 0; index < times; index++) accounts.forget(loginOf(index + 1))
  const ofUser = process.cpuUsage(began)
  const before = process.cpuUsage()
  accounts.forgetSlots('tpreseller')
  const ofSlots = process.cpuUsage(before)
  const us = (spent: NodeJS.CpuUsage, count: number) => ((spent.user + spent.system) / count).toFixed(1)
  return [
    '| proxy users known to a gateway | CPU of a change of one, µs | of a line `hostname:port` of their account, µs |',
    '|---:|---:|---:|',
    `| ${known} | ${us(ofUser, times)} | ${us(ofSlots, 1)} |`,
  ].join('\n')
}

interface FeedProcess {
  pid: number
  socket: string
  close: () => Promise<void>
}

async function serve(order: FeedOrder): Promise<FeedProcess> {
  const child = fork(path.join(import.meta.dirname, 'scale.feed.ts'))
  const close = closing(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.send('stop')
    await gone
  })
  child.send(order)
  await once(child, 'message')
  return { pid: child.pid ?? 0, socket: order.socket, close }
}

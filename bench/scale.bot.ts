/**
 * A reseller's bot against the web server: proxy users made a thousand at a time, pages of the list, a month's
 * usage of all of them, and their changes beside another customer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Name, pathOf, wire } from '#contract/wire'
import { loadSecretKey } from '#lib/secret'
import { agreePace, resellerToken } from '#reseller'
import { storeSetting } from '#settings'
import { cpuMs, quantiles } from './load.ts'
import { startApi } from './scale.calls.ts'
import { fillUsers } from './scale.reseller.ts'
import { openSessions, scalePool as pool } from './scale.rows.ts'
import type { OpenShop } from './scale.shop.ts'

const aims = { makeSeconds: 5, pageMs: 10, usageSeconds: 60, p95: 1.1 }
const changesPerSecond = 50
/** How many proxy users one call makes. */
const made = 1000

interface BotLoad {
  users: number
  seconds: number
  miss: (what: string) => void
}

/** Measures, and returns the sentences of the report. */
export async function measureBot(shop: OpenShop, { users, seconds, miss }: BotLoad): Promise<string[]> {
  const { reseller, neighbour, accountId } = await people(shop, users)
  const { origin, child, close } = await startApi(shop)
  try {
    const ask = asking(origin)
    const bot = (name: Name, input: object) => ask(reseller, name, input)

    const began = performance.now()
    const newUsers = Array.from({ length: made }, (_, index) => ({
      label: `new ${index}`,
      external_id: `n-${index}`,
    }))
    await bot('create_proxy_users', { pool, users: newUsers })
    const makeSeconds = (performance.now() - began) / 1000
    if (makeSeconds > aims.makeSeconds) miss(`${made} proxy users were made in ${makeSeconds.toFixed(1)} s.`)

    const month = await monthOfAll(bot)
    if (month.seconds > aims.usageSeconds) miss(`The month of all took ${month.seconds.toFixed(1)} s.`)

    // At the usual pace the processes would be idle for most of the time, and what they do then would be counted.
    await agreePace(shop.database.db, { accountId, times: 10 }, new Date())
    const page = await costOfPage(bot, () => ({
      server: cpuMs([child.pid ?? 0]),
      postgres: shop.postgresCpuMs(),
    }))
    if (page.server + page.postgres > aims.pageMs)
      miss(`A page of 200 costs ${(page.server + page.postgres).toFixed(1)} ms of CPU.`)

    const beside = await besideChanges(() => ask(neighbour, 'legacy_profile', {}), bot, seconds)
    if (beside.changing / beside.alone > aims.p95)
      miss(
        `${changesPerSecond} changes a second raise another customer's p95 to ${beside.changing.toFixed(1)} ms.`,
      )
    return [
      `A reseller with ${users} proxy users: the last ${made} by one call take ${makeSeconds.toFixed(1)} s; a page of 200 costs ${page.server.toFixed(1)} ms of CPU of the web server and ${page.postgres.toFixed(1)} of PostgreSQL; a month of all, ${month.users} proxy users in ${month.calls} calls at the usual pace, takes ${month.seconds.toFixed(1)} s.`,
      `Beside ${beside.perSecond.toFixed(0)} changes of proxy users a second the p95 of legacy_profile of another customer is ${beside.changing.toFixed(1)} ms, ${beside.alone.toFixed(1)} alone.`,
    ]
  } finally {
    await close()
  }
}

interface Page {
  users: unknown[]
  next_after: number | null
}
type Bot = (name: Name, input: object) => Promise<unknown>

/** The API token of a customer with proxy users that were used for a month, and the session of another one. */
async function people(shop: OpenShop, users: number) {
  const { db } = shop.database
  const [, neighbour = ''] = await openSessions(shop, 2)
  const { rows } = await sql<{ access: bigint; account: bigint }>`
    select s.id as access, s.account_id as account from access s join account a on a.id = s.account_id
    where a.username = 'scale1' and s.pool = ${pool}`.execute(db)
  const { access, account: accountId } = rows[0] ?? { access: 0n, account: 0n }
  await fillUsers(shop, access, { users: users - made })
  const most = { name: 'proxy_users_per_pool', value: BigInt(users), by: 'bench', reason: null } as const
  await db.transaction().execute((tx) => storeSetting(tx, most, new Date()))
  await sql`
    insert into proxy_user_day (proxy_user_id, day, charged_bytes, requests)
    select id, current_date - n, 1000000, 10 from proxy_user, generate_series(0, 29, 10) n
    where access_id = ${access}`.execute(db)
  const secrets = loadSecretKey({ secretKey: null, dataDir: shop.dataDir })
  const reseller = await resellerToken(db, secrets, { accountId, ip: '127.0.0.1' }, new Date())
  return { reseller, neighbour, accountId }
}

/** Makes calls with a token; if the rate limit refuses one, waits as long as the refusal says. */
const asking =
  (origin: string) =>
  async (token: string, name: Name, input: object): Promise<unknown> => {
    const isGet = wire[name].method === 'GET'
    for (;;) {
      const answer = await fetch(origin + pathOf(name), {
        method: isGet ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: isGet ? null : JSON.stringify(input),
      })
      if (answer.status === 200) return answer.json()
      const said = await answer.text()
      if (answer.status !== 429) throw new Error(`${name} answered ${answer.status}: ${said}`)
      await sleep(Number(answer.headers.get('retry-after')) * 1000)
    }
  }

interface Cpu {
  server: number
  postgres: number
}

/** Milliseconds of CPU for a page of the list: the mean of all pages, from the first one on. */
async function costOfPage(bot: Bot, cpu: () => Cpu): Promise<Cpu> {
  const before = cpu()
  let pages = 0
  for (let after: number | null = 0; after !== null; pages++)
    after = ((await bot('get_proxy_users', { pool, after, limit: 200 })) as Page).next_after
  const used = cpu()
  return {
    server: (used.server - before.server) / pages,
    postgres: (used.postgres - before.postgres) / pages,
  }
}

/** Reads the usage of a month of all proxy users, page by page. */
async function monthOfAll(bot: Bot) {
  const began = performance.now()
  const dayOf = (backMs: number) => new Date(Date.now() - backMs).toISOString().slice(0, 10)
  const period = { from: dayOf(29 * 86_400_000), to: dayOf(0) }
  let [calls, users] = [0, 0]
  for (let after: number | null = 0; after !== null; calls++) {
    const page = (await bot('proxy_users_usage', { pool, ...period, after, limit: 200 })) as Page
    users += page.users.length
    after = page.next_after
  }
  return { calls, users, seconds: (performance.now() - began) / 1000 }
}

/** The p95 of another customer's call alone, and beside changes at a fixed rate. */
async function besideChanges(call: () => Promise<unknown>, bot: Bot, seconds: number) {
  const p95 = async () => {
    const took: number[] = []
    for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(20)) {
      const sent = performance.now()
      await call()
      took.push(performance.now() - sent)
    }
    return quantiles(took)(0.95)
  }
  const alone = await p95()
  let [isOver, changed] = [false, 0]
  const began = performance.now()
  const changing = async () => {
    for (let next = 0; !isOver; next++) {
      const aheadMs = began + (next / changesPerSecond) * 1000 - performance.now()
      if (aheadMs > 1) await sleep(aheadMs)
      await bot('freeze_proxy_user', { pool, number: 1 + next, frozen: true })
      changed++
    }
  }
  const changes = changing()
  const beside = await p95()
  isOver = true
  await changes
  return { alone, changing: beside, perSecond: (changed * 1000) / (performance.now() - began) }
}

/**
 * A reseller's bot against the web server: proxy users made a thousand at a time, pages of the list, and a
 * month's usage of all of them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Name, pathOf, wire } from '#contract/wire'
import type { Database } from '#db'
import { loadSecretKey } from '#lib/secret'
import { agreePace, resellerToken } from '#reseller'
import { storeSetting } from '#settings'
import { cpuMs } from './load.ts'
import { startApi } from './scale.calls.ts'
import { fillUsers } from './scale.reseller.ts'
import { scalePool as pool } from './scale.rows.ts'
import type { OpenShop } from './scale.shop.ts'

const aims = { makeSeconds: 5, pageMs: 10, usageSeconds: 60 }
/** How many proxy users one call makes. */
const made = 1000

interface BotLoad {
  users: number
  miss: (what: string) => void
}

/** Measures, and returns the sentences of the report. */
export async function measureBot(shop: OpenShop, { users, miss }: BotLoad): Promise<string[]> {
  const { reseller, accountId } = await people(shop, users)
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

    return [
      `A reseller with ${users} proxy users: the last ${made} by one call take ${makeSeconds.toFixed(1)} s; a page of 200 costs ${page.server.toFixed(1)} ms of CPU of the web server and ${page.postgres.toFixed(1)} of PostgreSQL; a month of all, ${month.users} proxy users in ${month.calls} calls at the usual pace, takes ${month.seconds.toFixed(1)} s.`,
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

/** A customer with proxy users that were used for a month, and its API token. */
async function people(shop: OpenShop, users: number) {
  const { db } = shop.database
  const { rows } = await sql<{ access: bigint; account: bigint }>`
    select s.id as access, s.account_id as account from access s join account a on a.id = s.account_id
    where a.username = 'scale1' and s.pool = ${pool}`.execute(db)
  const { access, account: accountId } = rows[0] ?? { access: 0n, account: 0n }
  await fillUsers(shop, access, { users: users - made })
  await sql`
    insert into proxy_user_day (proxy_user_id, day, charged_bytes, requests)
    select id, current_date - n, 1000000, 10 from proxy_user, generate_series(0, 29, 10) n
    where access_id = ${access}`.execute(db)
  return { reseller: await tokenOf(shop, { accountId, users }), accountId }
}

/** The API token of a customer, who may then have this many proxy users in a pool. */
export async function tokenOf(
  { database: { db }, dataDir }: { database: Pick<Database, 'db'>; dataDir: string },
  { accountId, users }: { accountId: bigint; users: number },
): Promise<string> {
  const most = { name: 'proxy_users_per_pool', value: BigInt(users), by: 'bench', reason: null } as const
  await db.transaction().execute((tx) => storeSetting(tx, most, new Date()))
  const secrets = loadSecretKey({ secretKey: null, dataDir })
  return resellerToken(db, secrets, { accountId, ip: '127.0.0.1' }, new Date())
}

type Ask = (token: string, name: Name, input: object) => Promise<unknown>

/** Makes calls with a token; if the rate limit refuses one, waits as long as the refusal says. */
export const asking =
  (origin: string): Ask =>
  async (token, name, input) => {
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

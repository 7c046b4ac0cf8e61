/** What the jobs of an owner need in a demo shop: customers, exits, costs, and an alert. */
import { expect, type Page } from '@playwright/test'
import { sql } from 'kysely'
import { createClient } from '#contract/client'
import type { Pool } from '#contract/wire'
import { transaction } from '#db'
import { noteAnswers, watchExits } from '#exits'
import type { Origin } from '#test/origin'
import { freePort } from '#test/ports'
import { lineOf } from '#test/stack'
import { answerClasses } from '../../../src/feed/exit.answers.ts'
import { runTask, withDatabase } from '../../shots/database.ts'
import { filled } from '../../shots/desk/desk.ts'
import { callDesk } from '../../shots/desk/setup.ts'
import { fakes } from '../../shots/fakes.ts'
import { askPayout, withFriends } from '../../shots/people.ts'
import { type Tunnel, tunnel } from '../../whole/tunnel.ts'
import { knowAllDevices } from '../operator.ts'
import { buy, deskOrigin, origin, signedIn } from '../shop.ts'
import { member } from '../staff.ts'
import type { Language, Walk } from './walk.ts'

/** What a run of the jobs works on. */
export interface Prepared {
  customer: { username: string; token: string }
  /** The customer's proxy login. */
  login: string
  target: Origin
  /** Opens a tunnel of the customer to a port of the target. */
  open: (port: number) => Promise<Tunnel>
  partner: { username: string }
  /** The exit that is down, and the address in the alert. */
  down: { name: string; url: string }
  /** The exit whose cost rises. */
  dear: { name: string; pool: Pool }
  priceList: string
}

const dear = { name: 'nova-mobile', pool: 'mobile' } as const
const gbMicros = (usd: number) => String(Math.round(usd * 1_000_000))

const exitOf = (name: string, pool: Pool) => ({
  name,
  pool,
  kind: 'http',
  preset: null,
  host: '127.0.0.1',
  port: 9,
  username: 'me',
  password: 'of-the-proxy',
  options: {},
  tls: false,
  max_connections: null,
  countries: ['us', 'de', 'gb', 'fr', 'br', 'in'],
  enabled: true,
})

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const done = new Set<string>()

/** Once for all runs: the costs of the demo's exits, with which some customers cost more than they pay. */
async function prepareShop(page: Page): Promise<void> {
  if (done.has('shop')) return
  done.add('shop')
  await filled(page)
  const exits = await callDesk<{ id: string; pool: Pool }[]>(page, 'exits')
  const costs: Partial<Record<Pool, number>> = { residential: 1.1, mobile: 2.4, datacenter: 0.9 }
  for (const { id, pool } of exits)
    await callDesk(page, 'set_exit_cost', {
      id,
      from: dayBefore(40),
      currency: 'USD',
      per_gb_micros: gbMicros(costs[pool] ?? 1.5),
      month_micros: '0',
      binary_gb: false,
      rounding: 'none',
      counts: 'both',
      counts_failed: true,
    })
  await callDesk(page, 'add_exit', { ...exitOf(dear.name, dear.pool), weight: 1 })
  await linkGroup(page)
  await runTask('count_margin', 'margin')
  await runTask('note_margins', 'note_margins')
  const losses = () => callDesk<{ rows: object[] }>(page, 'customers?margin_to=-1&sort=least_margin')
  await expect.poll(async () => (await losses()).rows.length, { timeout: 60_000 }).toBeGreaterThan(0)
}

const group = () => fakes().telegram.group({ title: 'The staff' })
let staffGroup: ReturnType<typeof group> | null = null

async function linkGroup(page: Page): Promise<void> {
  staffGroup = group()
  const { code } = await callDesk<{ code: string }>(page, 'make_alert_code', {})
  staffGroup.say(`/staff ${code}`)
  await staffGroup.hears(1)
}

/** Adds an exit that has not answered for 20 minutes; returns the address in the alert. */
async function breakExit(page: Page, name: string): Promise<string> {
  const { id } = await callDesk<{ id: string }>(page, 'add_exit', {
    ...exitOf(name, 'residential_premium'),
    weight: 1,
  })
  const exit = BigInt(id)
  const answered = Array<number>(answerClasses).fill(0)
  const last = { code: 'exit_refused', status: 502, word: 'no upstream' }
  await withDatabase(({ db }) =>
    transaction(db, async (tx) => {
      const now = new Date()
      await noteAnswers(tx, [{ exit, failed: 7, answered, last }], now)
      await watchExits(tx, now)
      await sql`update exit_watch set failing_since = failing_since - interval '20 minutes',
        health_since = health_since - interval '20 minutes' where exit_id = ${exit}`.execute(tx)
    }),
  )
  await runTask('follow_alerts', 'follow_alerts')
  // Telegram takes no button to an address of this machine: the message has it as its last line.
  const address = `${deskOrigin()}/exits?exit=${id}`
  const told = () => staffGroup?.heard().map(({ text }) => text.split('\n').at(-1))
  await expect.poll(told, { timeout: 90_000 }).toContain(address)
  return address
}

async function withTunnels(page: Page, language: Language, target: Origin, username: string) {
  const customer = await signedIn(page, language, username)
  await buy(page, customer.token, { pool: 'residential', amount: 2 })
  const token = () => customer.token
  const call = createClient({ baseUrl: origin(), token, language: () => language, timeoutMs: 20_000 })
  const line = await lineOf(call, 'residential')
  const open = (port: number) =>
    tunnel({
      ...line,
      port: Number(process.env['TEST_PORT_BASE']),
      target: { host: target.host, port },
    })
  const live = await open(target.echoPort)
  await live.echo('x'.repeat(10_000))
  live.end()
  expect((await open(await freePort())).status).toContain('502')
  return { customer, login: line.login, open }
}

/** Prepares a run; the member of staff who does the jobs is signed in on the page. */
export async function prepare({ page, language, width }: Walk, target: Origin): Promise<Prepared> {
  const of = `${language}-${width}`
  const { customer, login, open } = await withTunnels(page, language, target, `buyer-${of}`)
  const partner = await withFriends(page, await signedIn(page, language, `partner-${of}`))
  await knowAllDevices()
  await askPayout(page, partner, 80)
  await member(page, `owner-${of}`, 'owner')
  await prepareShop(page)
  const down = `lumen-${of}`
  const url = await breakExit(page, down)
  const priceList = `Wholesale ${of}`
  await callDesk(page, 'create_price_list', {
    name: priceList,
    prices: [{ pool: 'residential', per_gb_micros: gbMicros(4.4) }],
    tiers: null,
    reason: 'for those who use much',
  })
  // The records of the tunnels arrive within seconds.
  const kept = async () => {
    const { rows } = await withDatabase(({ db }) =>
      sql<{ count: bigint }>`
        select count(*) as count from connection_record r join account a on a.id = r.account_id
        where a.username = ${customer.username}`.execute(db),
    )
    return rows[0]?.count
  }
  await expect.poll(kept, { timeout: 30_000 }).toBe(2n)
  return { customer, login, target, open, partner, down: { name: down, url }, dear, priceList }
}

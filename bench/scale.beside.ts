/**
 * Another customer of a shop in which a reseller's bot changes proxy users: the time of the customer's tunnels
 * through the gateway, which knows many of the reseller's proxy users, and of a call of the web server. Rounds
 * with and without changes take turns, since a shared machine takes twice as long at another minute.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db'
import { loadSecretKey } from '#lib/secret'
import { agreePace, resellerToken } from '#reseller'
import { storeSetting } from '#settings'
import { press } from '#test/app'
import { startOrigin } from '#test/origin'
import { type Stack, startStack } from '#test/stack'
import { customerWith } from '#test/traffic'
import { get, run, type Way } from '../test/whole/visitor.ts'
import { quantiles } from './load.ts'
import type { BotMessage, BotOrder } from './scale.beside.bot.ts'
import { asking } from './scale.bot.ts'
import { fillUsers } from './scale.reseller.ts'

const pool = 'residential'
const changesPerSecond = 50
const mostRatio = 1.1
/** Pairs of a round without changes and a round with them. */
const pairs = 8
/** A customer's pause after each act, with which the calls stay within the usual pace. */
const thinkMs = 15
/** The proxy users that the gateway knows and the bot changes; so many connect at the same time. */
const known = { users: 10_000, inCall: 1000, atOnce: 16 }

interface BesideLoad {
  users: number
  /** The length of a round. */
  seconds: number
  miss: (what: string) => void
}

const acts = ['tunnel', 'profile'] as const
type Act = (typeof acts)[number]
const nameOf = { tunnel: 'a tunnel with 1 kB', profile: 'legacy_profile' } as const
type When = 'alone' | 'beside'

/** Measures, and returns the sentence of the report. */
export async function measureBeside({ users, seconds, miss }: BesideLoad): Promise<string> {
  const [stack, origin] = await Promise.all([startStack(), startOrigin()])
  try {
    const target = { host: origin.host, port: origin.httpPort }
    const bot = await startBot(stack, { users, target })
    const perform = await neighbour(stack, target)
    const measured = { tunnel: { alone: [], beside: [] }, profile: { alone: [], beside: [] } } as Measured
    const round = async (into: (act: Act, tookMs: number) => void) => {
      for (const until = performance.now() + seconds * 1000; performance.now() < until;)
        for (const act of acts) {
          const sent = performance.now()
          await perform[act]()
          into(act, performance.now() - sent)
          await sleep(thinkMs)
        }
    }
    await round(() => undefined)
    let changed = 0
    const rounds: Record<When, () => Promise<void>> = {
      alone: () => round((act, tookMs) => measured[act].alone.push(tookMs)),
      beside: async () => {
        bot.start()
        await round((act, tookMs) => measured[act].beside.push(tookMs))
        changed += await bot.stop()
      },
    }
    for (let pair = 0; pair < pairs; pair++) {
      // The order changes from pair to pair: neither kind of round always follows the other.
      const order: readonly When[] = pair % 2 === 0 ? ['alone', 'beside'] : ['beside', 'alone']
      for (const when of order) await rounds[when]()
    }
    bot.close()
    const perSecond = changed / (pairs * seconds)
    if (perSecond < 0.95 * changesPerSecond) miss(`Only ${perSecond.toFixed(0)} changes a second were made.`)
    const sentences = acts.map((act) => sentenceOf(act, measured[act], miss))
    return `Beside ${perSecond.toFixed(0)} changes a second of proxy users of a reseller with ${users}, of which the gateway knows ${known.users}, p50 and p95 of another customer: ${sentences.join('; ')}.`
  } finally {
    await stack.close()
    await origin.close()
  }
}

type Measured = Record<Act, Record<When, number[]>>

function sentenceOf(act: Act, { alone, beside }: Record<When, number[]>, miss: BesideLoad['miss']): string {
  const ratio = quantiles(beside)(0.95) / quantiles(alone)(0.95)
  if (ratio > mostRatio)
    miss(`${changesPerSecond} changes a second raise the p95 of ${nameOf[act]} ${ratio.toFixed(2)} times.`)
  const print = (tookMs: number[]) =>
    [0.5, 0.95].map((share) => quantiles(tookMs)(share).toFixed(2)).join(' and ')
  return `${nameOf[act]} ${print(alone)} ms alone, ${print(beside)} ms beside them (p95 ${ratio.toFixed(2)} times, ${beside.length} measured)`
}

interface Bot {
  start: () => void
  /** Ends the changes, and returns how many there were since the start. */
  stop: () => Promise<number>
  close: () => void
}

/**
 * A reseller with this many proxy users, of which the gateway knows ten thousand, and its bot: a process of
 * its own, since what it does for its calls must not delay those that are measured.
 */
async function startBot(
  { dataDir, origin, portBase }: Stack,
  { users, target }: { users: number; target: Way['target'] },
): Promise<Bot> {
  const database = await openDatabase({ dataDir, role: 'guest' })
  try {
    const { db } = database
    const { accountId, accessId } = await customerWith(db, { pool, paid: 10n ** 12n })
    const most = { name: 'proxy_users_per_pool', value: BigInt(users), by: 'bench', reason: null } as const
    await db.transaction().execute((tx) => storeSetting(tx, most, new Date()))
    const secrets = loadSecretKey({ secretKey: null, dataDir })
    const token = await resellerToken(db, secrets, { accountId, ip: '127.0.0.1' }, new Date())
    // At the usual pace 50 changes a second would be refused.
    await agreePace(db, { accountId, times: 10 }, new Date())
    for (let made = 0; made < known.users; made += known.inCall)
      await connectAll(await makeUsers(origin, token, made), { port: portBase, target })
    await fillUsers({ database }, accessId, { users: users - known.users, after: known.users })
    const bot = fork(path.join(import.meta.dirname, 'scale.beside.bot.ts'))
    const send = (message: BotMessage) => bot.send(message)
    const order: BotOrder = { origin, token, pool, users: known.users, perSecond: changesPerSecond }
    return {
      start: () => send({ order }),
      stop: async () => {
        const answered = once(bot, 'message')
        send('stop')
        const [changed] = (await answered) as [number]
        return changed
      },
      close: () => bot.disconnect(),
    }
  } finally {
    await database.close()
  }
}

type Login = Pick<Way, 'login' | 'password'>

/** Makes a thousand proxy users by one call. */
async function makeUsers(origin: string, token: string, made: number): Promise<Login[]> {
  const users = Array.from({ length: known.inCall }, (_, index) => ({ label: `user ${made + index}` }))
  const answer = await asking(origin)(token, 'create_proxy_users', { pool, users })
  return (answer as { users: Login[] }).users
}

/** Opens a tunnel for each of the proxy users, after which the gateway knows them. */
async function connectAll(logins: Login[], to: Pick<Way, 'port' | 'target'>): Promise<void> {
  const left = logins.values()
  const connecting = async () => {
    for (const { login, password } of left) {
      const way = { ...to, login, password }
      await run('connect', way, get('connect', way, '/bytes/100'))
    }
  }
  await Promise.all(Array.from({ length: known.atOnce }, connecting))
}

/** The acts of the demo's customer, who has bought 10 GB. */
async function neighbour(stack: Stack, target: Way['target']): Promise<Record<Act, () => Promise<unknown>>> {
  const customer = await stack.signIn()
  const url = await customer.call('create_invoice_web', { payment_method: 'sandbox', amount: 10, pool })
  await press(stack.origin, url.split('/').at(-1) ?? '', 'paid')
  const way: Way = { port: stack.portBase, ...(await customer.proxy(pool)), target }
  return {
    tunnel: () => run('connect', way, get('connect', way, '/bytes/1000')),
    profile: () => customer.call('legacy_profile', {}),
  }
}

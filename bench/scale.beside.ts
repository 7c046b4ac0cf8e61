/**
 * Another customer of a shop in which a reseller's bot changes proxy users: the time of the customer's tunnels
 * through the gateway, which knows many of the reseller's proxy users, and of a call of the web server. Rounds
 * without changes, with them, and with a process that spends as much CPU time for nothing take turns, since a
 * shared machine takes twice as long at another minute. On two cores any other work makes the slowest acts
 * slower: the third kind of round shows how much of the difference is only that.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db'
import { agreePace } from '#reseller'
import { press } from '#test/app'
import { startOrigin } from '#test/origin'
import { type Stack, startStack } from '#test/stack'
import { customerWith } from '#test/traffic'
import { get, run, type Way } from '../test/whole/visitor.ts'
import { cpuMs, quantiles } from './load.ts'
import type { BotMessage } from './scale.beside.bot.ts'
import { asking, tokenOf } from './scale.bot.ts'
import { fillUsers } from './scale.reseller.ts'

const pool = 'residential'
const changesPerSecond = 50
const mostRatio = 1.1
/** How often each kind of round is repeated. */
const turns = 8
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
const kinds = ['alone', 'beside', 'spending'] as const
type Kind = (typeof kinds)[number]
type Measured = Record<Act, Record<Kind, number[]>>

/** Measures, and returns the sentence of the report. */
export async function measureBeside({ users, seconds, miss }: BesideLoad): Promise<string> {
  const [stack, origin] = await Promise.all([startStack(), startOrigin()])
  try {
    const target = { host: origin.host, port: origin.httpPort }
    const bot = await startBot(stack, { users, target })
    const perform = await neighbour(stack, target)
    await quiet(stack)
    /** Returns the CPU time of all processes of the shop, in milliseconds. */
    const round = async (into: (act: Act, tookMs: number) => void): Promise<number> => {
      const before = cpuMs(stack.pids())
      for (const until = performance.now() + seconds * 1000; performance.now() < until;)
        for (const act of acts) {
          const sent = performance.now()
          await perform[act]()
          into(act, performance.now() - sent)
          await sleep(thinkMs)
        }
      return cpuMs(stack.pids()) - before
    }
    await round(() => undefined)
    await bot.during(null, () => round(() => undefined))
    const none = () => ({ alone: [], beside: [], spending: [] })
    const measured: Measured = { tunnel: none(), profile: none() }
    const spent = { alone: 0, beside: 0, changes: 0 }
    const ofChangeMs = () => (spent.beside - spent.alone) / spent.changes
    const measure = async (kind: Kind) => {
      const measuring = () => round((act, tookMs) => measured[act][kind].push(tookMs))
      if (kind === 'alone') spent.alone += await measuring()
      else if (kind === 'spending') await bot.during(ofChangeMs(), measuring)
      else {
        const { result, changes, botMs } = await bot.during(null, measuring)
        spent.beside += result + botMs
        spent.changes += changes
      }
    }
    for (let turn = 0; turn < turns; turn++) {
      // Neither of the first two always follows the third; it needs both of its turn.
      const [first, second] = turn % 2 === 0 ? (['alone', 'beside'] as const) : (['beside', 'alone'] as const)
      for (const kind of [first, second, 'spending'] as const) await measure(kind)
    }
    bot.close()
    const perSecond = spent.changes / (turns * seconds)
    if (perSecond < 0.95 * changesPerSecond) miss(`Only ${perSecond.toFixed(0)} changes a second were made.`)
    const sentences = acts.map((act) => sentenceOf(act, measured[act], miss))
    return `Another customer beside a reseller with ${users} proxy users, of which the gateway knows ${known.users}; p50 and p95 alone, beside ${perSecond.toFixed(0)} changes a second, and beside a process that spends as much CPU time as they do (${ofChangeMs().toFixed(1)} ms each, with the bot's own): ${sentences.join('; ')}.`
  } finally {
    await stack.close()
    await origin.close()
  }
}

function sentenceOf(act: Act, took: Record<Kind, number[]>, miss: BesideLoad['miss']): string {
  const p95 = (kind: Kind) => quantiles(took[kind])(0.95)
  const ratio = p95('beside') / p95('spending')
  // The call shares the event loop of the changes: its figures are told, without an aim.
  if (act === 'tunnel' && ratio > mostRatio)
    miss(
      `${changesPerSecond} changes a second raise the p95 of ${nameOf[act]} ${ratio.toFixed(2)} times as much as other work.`,
    )
  const print = (kind: Kind) =>
    [0.5, 0.95].map((share) => quantiles(took[kind])(share).toFixed(2)).join(' and ')
  return `${nameOf[act]} ${kinds.map(print).join(', ')} ms (p95 beside changes ${(p95('beside') / p95('alone')).toFixed(2)} times that alone, ${ratio.toFixed(2)} times that beside other work; ${took.beside.length} measured of each)`
}

interface Bot {
  /** Makes changes while `work` runs, or spends this much CPU time in place of each. */
  during: <T>(
    spentMs: number | null,
    work: () => Promise<T>,
  ) => Promise<{ result: T; changes: number; botMs: number }>
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
    const token = await tokenOf({ database, dataDir }, { accountId, users })
    // At the usual pace 50 changes a second would be refused.
    await agreePace(db, { accountId, times: 10 }, new Date())
    for (let made = 0; made < known.users; made += known.inCall)
      await connectAll(await makeUsers(origin, token, made), { port: portBase, target })
    await fillUsers({ database }, accessId, { users: users - known.users, after: known.users })
    const bot = fork(path.join(import.meta.dirname, 'scale.beside.bot.ts'))
    const send = (message: BotMessage) => bot.send(message)
    const order = { origin, token, pool, users: known.users, perSecond: changesPerSecond }
    return {
      during: async (spentMs, work) => {
        send({ order: { ...order, spentMs } })
        const result = await work()
        const answered = once(bot, 'message')
        send('stop')
        const [[changes, botMs]] = (await answered) as [[number, number]]
        return { result, changes, botMs }
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

/** Waits until the shop has settled what the proxy users used, and uses less than 5 % of a core. */
async function quiet(stack: Stack): Promise<void> {
  for (let left = 30; left > 0; left--) {
    const before = cpuMs(stack.pids())
    await sleep(10_000)
    if (cpuMs(stack.pids()) - before < 500) return
  }
  throw new Error('the shop does not become idle')
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

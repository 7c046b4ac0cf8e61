/**
 * Customers of a large shop who buy and browse, a few concurrently, against a web server in a separate
 * process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { pathOf } from '#contract/wire'
import { freePort } from '#test/ports'
import { cpuMs, quantiles } from './load.ts'
import { openSessions, scalePool } from './scale.rows.ts'
import { closing, type OpenShop } from './scale.shop.ts'

/** The number of customers who act concurrently, each of them one of many accounts. */
const atOnce = 4
const accounts = 200
/** A pause between two actions of a customer: latency, not throughput, is measured here. */
const thinkMs = 50

export type ActName = 'purchase' | 'profile' | 'statistics'
type Act = (token: string) => Promise<unknown>

export interface Waited {
  p50: number
  p99: number
  /** Milliseconds of CPU for one action, without other load. */
  serverCpuMs: number
  postgresCpuMs: number
}

export interface Customers {
  /** Makes customers repeat the action for this long. */
  timed(act: ActName, seconds: number): Promise<Waited>
}

/** Starts the shop's web server, and signs customers in, for the duration of `work`. */
export async function withCustomers<T>(
  shop: OpenShop,
  work: (customers: Customers) => Promise<T>,
): Promise<T> {
  const tokens = await openSessions(shop, accounts)
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * atOnce })
  const { origin, child, close } = await startApi(shop)
  const acts = actsOf(agent, origin)
  try {
    return await work({
      async timed(name, seconds) {
        const before = { server: cpuMs([child.pid ?? 0]), postgres: shop.postgresCpuMs() }
        const took = await repeat(acts[name], tokens, seconds)
        const at = quantiles(took)
        return {
          p50: at(0.5),
          p99: at(0.99),
          serverCpuMs: (cpuMs([child.pid ?? 0]) - before.server) / took.length,
          postgresCpuMs: (shop.postgresCpuMs() - before.postgres) / took.length,
        }
      },
    })
  } finally {
    agent.destroy()
    await close()
  }
}

/**
 * The actions of a customer. A purchase is the order, and the payment's webhook until the traffic is on the
 * balance.
 */
function actsOf(agent: Agent, origin: string): Record<ActName, Act> {
  const ask = (token: string, where: string, post?: { body: string; type: string }) =>
    answerOf(agent, new URL(where, origin), { token, post })
  const order = {
    type: 'application/json',
    body: JSON.stringify({ payment_method: 'sandbox', amount: 1, pool: scalePool }),
  }
  const paid = { type: 'application/x-www-form-urlencoded', body: 'result=paid' }
  return {
    purchase: async (token) => {
      const url = await ask(token, pathOf('create_invoice_web'), order)
      await ask(token, url.slice(url.indexOf('/sandbox')), paid)
    },
    profile: (token) => ask(token, pathOf('legacy_profile')),
    statistics: (token) => ask(token, `${pathOf('legacy_get_statistic')}?period=month&pool=${scalePool}`),
  }
}

async function repeat(act: Act, tokens: readonly string[], seconds: number): Promise<number[]> {
  const took: number[] = []
  const until = performance.now() + seconds * 1000
  let next = 0
  const customer = async () => {
    while (performance.now() < until) {
      const token = tokens[next++ % tokens.length] ?? ''
      const started = performance.now()
      await act(token)
      took.push(performance.now() - started)
      await new Promise((resolve) => setTimeout(resolve, thinkMs))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, customer))
  return took
}

/** Starts the web server of a shop in a process of its own. */
export async function startApi({
  dataDir,
}: OpenShop): Promise<{ origin: string; child: ChildProcess; close: () => Promise<void> }> {
  const port = await freePort()
  const main = path.join(import.meta.dirname, '../src/main/commands/turnpike.ts')
  const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', NODE_ENV: 'production' }
  const child = spawn(process.execPath, [main, 'api'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const close = closing(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the web server ended with ${code}`)))
  })
  return { origin: `http://127.0.0.1:${port}`, child, close }
}

function answerOf(
  agent: Agent,
  url: URL,
  { token, post }: { token: string; post: { body: string; type: string } | undefined },
): Promise<string> {
  const method = post === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const type = post === undefined ? {} : { 'content-type': post.type }
    const headers = { authorization: `Bearer ${token}`, ...type }
    const sent = request(url, { agent, method, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('error', reject)
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 400) resolve(text)
        else reject(new Error(`${method} ${url.pathname} answered ${answer.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(post?.body)
  })
}

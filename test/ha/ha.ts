/**
 * `npm run test:ha`: a shop on a cluster of three PostgreSQL, whose primary is repeatedly killed or switched over while
 * customers buy. HA_FAULTS is the number of faults (20), HA_ROUTE=haproxy selects the connection through HAProxy. Exits
 * with 1 when something was lost or done twice, or a process of the shop ended.
 */
import { createClient } from '#contract/client'
import { type Database, openDatabase } from '#db'
import { makePrograms, operationsOf } from '../promises/clients.ts'
import { backAgain, reckon } from '../promises/outages.ts'
import { type Stack, startStack, until } from '../stack.ts'
import { startCluster } from './cluster.ts'

const faults = Number(process.env['HA_FAULTS'] ?? 20)
const say = (text: string) => void process.stdout.write(`${text}\n`)

say('A cluster of three PostgreSQL is started …')
const cluster = await startCluster()
const databaseUrl = process.env['HA_ROUTE'] === 'haproxy' ? cluster.proxiedUrl : cluster.url
const wrong: string[] = []
const took: number[] = []
let stack: Stack | undefined
let database: Database | undefined
try {
  stack = await startStack({ DATABASE_URL: databaseUrl, DATABASE_REPLICA_URL: cluster.url, DEMO: '1' })
  database = await openDatabase({ databaseUrl: cluster.url, dataDir: '', role: 'guest' })
  const { origin } = stack
  const client = (token: string | null) =>
    createClient({ baseUrl: origin, token: () => token, language: () => 'en', timeoutMs: 20_000 })
  const api = { origin, client }
  const programs = await makePrograms(4, api, database)
  const running = Promise.all(programs.map((program) => program.run()))
  const done = () => operationsOf(programs)
  const processes = stack.workers()
  for (let fault = 0; fault < faults; fault++) {
    await cluster.whole()
    const enough = done() + 8
    await until(() => done() >= enough, 60_000, 'the customers to buy')
    const begunAt = performance.now()
    const isKill = fault % 4 !== 3
    await (isKill ? cluster.killPrimary() : cluster.switchover())
    const before = done()
    await until(() => done() > before, 120_000, 'sales to go on')
    const seconds = (performance.now() - begunAt) / 1000
    took.push(seconds)
    say(`${fault + 1}. ${isKill ? 'kill -9' : 'switchover'}: sales went on after ${seconds.toFixed(1)} s`)
  }
  await backAgain(database)
  wrong.push(...(await reckon({ programs, database }, running)))
  if (String(stack.workers()) !== String(processes)) wrong.push('a gateway worker ended')
  const sorted = took.toSorted((a, b) => a - b)
  const [median, worst] = [sorted[sorted.length >> 1], sorted.at(-1)]
  say(
    `${done()} purchases; sales went on after ${median?.toFixed(1)} s (median), ${worst?.toFixed(1)} s (worst)`,
  )
} catch (error) {
  wrong.push(`${error instanceof Error ? error.stack : String(error)}\n${stack?.said().slice(-4000)}`)
} finally {
  await database?.close()
  await stack?.close()
  await cluster.close()
}
say(wrong.length === 0 ? 'Nothing was lost and nothing done twice.' : wrong.join('\n'))
process.exitCode = wrong.length === 0 ? 0 : 1

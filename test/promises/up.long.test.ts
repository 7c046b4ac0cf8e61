/** `turnpike up` while its database repeatedly becomes unreachable, with background jobs running. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '#contract/client'
import { type Database, openDatabase } from '#db'
import { type SmtpSink, startSmtp } from '../smtp.ts'
import { type Stack, startStack, until } from '../stack.ts'
import { makePrograms, operationsOf } from './clients.ts'
import { backAgain, readiness, reckon } from './outages.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { newBuyer } from './shop.ts'

const outages = 20
/** The mail server's delay for a letter: its job runs for this long. */
const letterMs = 200
/** The length of an outage: longer than work in progress waits for the database, so that such work fails. */
const awayMs = 1_500

let mail: SmtpSink
let lettersInFlight: number
let postgres: Postgres
let stack: Stack
let database: Database
beforeEach(async () => {
  lettersInFlight = 0
  mail = await startSmtp({
    onMailFrom: (_address, _session, done) => {
      lettersInFlight++
      setTimeout(() => {
        lettersInFlight--
        done()
      }, letterMs)
    },
  })
  postgres = await startPostgres()
  stack = await startStack({
    DATABASE_URL: postgres.url,
    DEMO: '1',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'shop@example.net',
  })
  database = await openDatabase({ databaseUrl: postgres.url, dataDir: '', role: 'guest' })
}, 200_000)
afterEach(async () => {
  await database.close()
  await stack.close()
  await Promise.all([mail.close(), postgres.close()])
}, 60_000)

/** Whether background jobs run, according to the metrics. */
async function jobsRun(): Promise<boolean> {
  const page = await fetch(`${stack.origin}/metrics`).then((answer) => answer.text())
  return page.includes('\nturnpike_jobs_running 1\n')
}

it(
  'the database becomes unreachable during orders and letters: no process ends, jobs continue, nothing is lost or done twice',
  async () => {
    const api = {
      origin: stack.origin,
      client: (token: string | null) =>
        createClient({
          baseUrl: stack.origin,
          token: () => token,
          language: () => 'en',
          timeoutMs: 20_000,
        }),
    }
    const programs = await makePrograms(2, api, database)
    const running = Promise.all(programs.map((program) => program.run()))
    const workers = stack.workers()
    const done = () => operationsOf(programs)
    for (let time = 0; time < outages; time++) {
      const enough = done() + 4
      await until(() => done() >= enough, 60_000, 'the programs to get on')
      await newBuyer(api, database)
      await until(() => lettersInFlight > 0, 60_000, 'a letter to be under way')
      await postgres.halt()
      // In every second round the database is back immediately.
      if (time % 2 === 0) await sleep(awayMs)
      await postgres.start()
      await backAgain(database)
      await until(async () => (await readiness(api)) === 200, 30_000, 'the shop to be ready again')
      await until(jobsRun, 30_000, 'jobs to be run again')
    }
    expect(await reckon({ programs, database }, running)).toEqual([])
    expect(stack.workers()).toEqual(workers)
    const waits = async () => {
      const { rows } = await database.pool.query<{ n: bigint }>(
        `select count(*) as n from graphile_worker.jobs where task_identifier = 'send_mail'`,
      )
      return rows[0]?.n
    }
    await until(async () => (await waits()) === 0n, 60_000, 'all letters to be sent')
  },
  600_000 + outages * 30_000,
)

/** `turnpike doctor`: looks at what usually goes wrong and says it in sentences. */
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { createConnection } from 'node:net'
import type { Kysely } from 'kysely'
import type { DatabaseClock, DB } from '#db'
import { isDemoInventory } from '#inventory'
import { missingPartitions, verifyBooks } from '../books.ts'
import { setBacksOf } from '#traffic'
import { clockFault } from '../clock.ts'
import { setBackSentence } from '../health/database.ts'
import { certificateChecks, type Check, feedChecks } from './doctor.tls.ts'
import { openMigrated } from '../services.ts'
import type { Settings } from '../settings.ts'

/** Runs every check and prints them; true when all is well. */
export async function doctor(
  settings: Settings,
  asJson: boolean,
  print: (text: string) => void,
): Promise<boolean> {
  const checks: Check[] = [
    dataDir(settings),
    ...(await database(settings)),
    ...(await feedChecks(settings)),
    ...certificateChecks(settings, new Date()),
    await ports(settings),
    ...migrationCheck(readMigration()),
  ]
  if (asJson) print(JSON.stringify({ checks }))
  else for (const check of checks) print(`${check.ok ? 'ok   ' : 'wrong'}  ${check.name}: ${check.sentence}`)
  return checks.every(({ ok }) => ok)
}

const leastFreeBytes = 1_000_000_000

function dataDir({ dataDir: folder }: Settings): Check {
  const name = 'data directory'
  if (!existsSync(folder))
    return { name, ok: true, sentence: `${folder} does not exist yet and will be made.` }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return {
      name,
      ok: false,
      sentence: `${folder} cannot be written. Give it to the user that runs Turnpike.`,
    }
  }
  const { bavail, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  const free = `${(freeBytes / 1e9).toFixed(1)} GB are free`
  return freeBytes < leastFreeBytes
    ? { name, ok: false, sentence: `Only ${free} in ${folder}. Make room before the journal cannot grow.` }
    : { name, ok: true, sentence: `${free} in ${folder}.` }
}

async function database(settings: Settings): Promise<Check[]> {
  if (isGatewayOnly(settings)) return []
  try {
    const services = await openMigrated(settings, 'guest')
    try {
      const findings = await verifyBooks(services.database.db)
      return [
        { name: 'database', ok: true, sentence: 'It answers and is up to date.' },
        clockCheck(services.database.clock),
        await setBackCheck(services.database.db),
        findings.length === 0
          ? { name: 'ledger', ok: true, sentence: 'Everything adds up.' }
          : {
              name: 'ledger',
              ok: false,
              sentence: `${findings.length} findings. See: turnpike ledger verify`,
            },
        await partitionCheck(services.database.db),
        await inventoryCheck(services.database.db, settings),
      ]
    } finally {
      await services.database.close()
    }
  } catch (error) {
    return [{ name: 'database', ok: false, sentence: error instanceof Error ? error.message : String(error) }]
  }
}

/** Without them nothing fails: rows go to the rest of the table, and are taken from there when the month is made. */
export async function partitionCheck(db: Kysely<DB>): Promise<Check> {
  const name = 'partitions'
  const missing = await missingPartitions(db)
  return missing.length === 0
    ? { name, ok: true, sentence: 'This month and the next are there.' }
    : {
        name,
        ok: false,
        sentence: `There is none of ${missing.join(', ')}. A worker makes them every hour: is one running?`,
      }
}

/** Rows go by the database's clock; a machine whose own is wrong does no scheduled work. */
export function clockCheck(clock: Pick<DatabaseClock, 'isRight' | 'aheadMs'>): Check {
  const fault = clockFault(clock)
  return fault === null
    ? { name: 'clock', ok: true, sentence: "It agrees with the database's." }
    : {
        name: 'clock',
        ok: false,
        sentence: `${fault} Set it right: no scheduled work is done here until then.`,
      }
}

const setBackDays = 30

/** A failover to a server that lacked the last commits, or a restored backup: the books add up all the same. */
export async function setBackCheck(db: Kysely<DB>): Promise<Check> {
  const name = 'history'
  const last = (await setBacksOf(db, { days: setBackDays })).at(-1)
  return last === undefined
    ? { name, ok: true, sentence: 'The database knows all that it has acknowledged.' }
    : {
        name,
        ok: false,
        sentence: `${setBackSentence(last)} It was noticed on ${last.noticedAt.toISOString()}. Ask the processors: turnpike payments check <number>. This is told for ${setBackDays} days.`,
      }
}

/** The demo's made-up addresses are wrong in a shop: they are shown, and lines are judged by them. */
export async function inventoryCheck(db: Kysely<DB>, { demo }: Pick<Settings, 'demo'>): Promise<Check> {
  const name = 'inventory'
  const isMadeUp = await isDemoInventory(db)
  if (!isMadeUp) return { name, ok: true, sentence: 'Nothing in it is made up.' }
  return demo
    ? { name, ok: true, sentence: 'It is the made-up one of the demo.' }
    : {
        name,
        ok: false,
        sentence:
          'Customers are shown the made-up addresses of the demo, and their lines are judged by them. Import yours, then: turnpike inventory remove demo',
      }
}

/** A machine that reaches the database through another one's feed has no shop of its own. */
const isGatewayOnly = ({ feed, databaseUrl }: Settings) => feed.connect !== null && databaseUrl === null

/** Whether something answers on the web port and the entry ports: right while Turnpike runs, wrong before. */
async function ports(settings: Settings): Promise<Check> {
  const { port, host, gateway } = settings
  const entries = [0, 1000, 2000, 3000].map((offset) => gateway.portBase + offset)
  const wanted = isGatewayOnly(settings) ? entries : [port, ...entries]
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const open = await Promise.all(wanted.map((number) => answers(address, number)))
  const busy = wanted.filter((_, index) => open[index] === true)
  const free = wanted.filter((_, index) => open[index] !== true)
  const isWhole = busy.length === 0 || free.length === 0
  const sentence =
    busy.length === 0
      ? 'All ports are free; nothing runs here yet.'
      : free.length === 0
        ? `${isGatewayOnly(settings) ? 'Every' : 'The shop and every'} entry port answers.`
        : `These answer: ${busy.join(', ')}; these do not: ${free.join(', ')}. Is another program on some of them?`
  return { name: 'ports', ok: isWhole, sentence }
}

/** net.ipv4.tcp_migrate_req; null: this kernel has none. */
function readMigration(): string | null {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim()
  } catch {
    return null
  }
}

/** Whether a gateway can take over from another one without losing a connection. Nothing is wrong where it cannot. */
export function migrationCheck(value: string | null): Check[] {
  const name = 'upgrades'
  if (value === '1')
    return [
      { name, ok: true, sentence: 'A gateway takes over from another one without losing a connection.' },
    ]
  const why =
    value === null ? 'this kernel has no net.ipv4.tcp_migrate_req' : `net.ipv4.tcp_migrate_req is ${value}`
  const sentence = `When a gateway takes over from another one, connections that are just being made are lost: ${why}.`
  return [{ name, ok: true, sentence }]
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 2000 })
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

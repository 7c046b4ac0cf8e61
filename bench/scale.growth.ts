/**
 * The growth of the parts' cost with customers, days and tunnels: CPU, since latency says little on a shared machine.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestRecord } from '#feed'
import { keepRequests } from '#requests'
import { cpuMs } from './load.ts'
import type { Customers } from './scale.calls.ts'
import { type SettlingCost, settleDuring } from './scale.load.ts'
import type { ScaleShop } from './scale.rows.ts'
import type { OpenShop } from './scale.shop.ts'

type Cpu = Pick<Awaited<ReturnType<Customers['timed']>>, 'serverCpuMs' | 'postgresCpuMs'>

/** The costs in a shop of one size. */
export interface Grown {
  size: ScaleShop
  settling: SettlingCost
  purchase: Cpu
  profile: Cpu
  statistics: Cpu
  bytes: { entries: bigint; days: bigint; all: bigint }
}

/** Measures each part for this many seconds. */
export async function measureGrown(shop: OpenShop, people: Customers, seconds: number): Promise<Grown> {
  const load = { processes: 1, customers: 1000, reports: 1, perSecond: null }
  const cost = async (act: 'purchase' | 'profile' | 'statistics') => {
    await people.timed(act, 1)
    return people.timed(act, seconds)
  }
  return {
    size: shop.size,
    bytes: await bytesOf(shop),
    settling: await settleDuring(shop, load, () => sleep(seconds * 1000)),
    purchase: await cost('purchase'),
    profile: await cost('profile'),
    statistics: await cost('statistics'),
  }
}

/** With the partitions of the tables, and their indexes. */
const sizeOf = (...tables: string[]) =>
  `(select sum(pg_total_relation_size(relid))::bigint from unnest('{${tables.join()}}'::regclass[]) t, pg_partition_tree(t))`

async function bytesOf({ database }: OpenShop): Promise<Grown['bytes']> {
  const { rows } = await database.pool.query<Grown['bytes']>(
    `select ${sizeOf('ledger_entry', 'ledger_usage')} as entries, ${sizeOf('usage_hour', 'usage_past_day')} as days,
       pg_database_size(current_database()) as all`,
  )
  const [bytes] = rows
  if (bytes === undefined) throw new Error('the sizes came without their row')
  return bytes
}

/** One row for each size. */
export function grownTable(grown: readonly Grown[]): string {
  const both = ({ serverCpuMs, postgresCpuMs }: Cpu) =>
    `${serverCpuMs.toFixed(2)} + ${postgresCpuMs.toFixed(2)}`
  const megabytes = (bytes: bigint) => String(Number(bytes / 100_000n) / 10)
  return [
    '| customers | days of usage | settling, µs of CPU each: process + PostgreSQL | purchase, ms of CPU: server + PostgreSQL | profile, ms | statistics, ms | ledger entries, MB | hours and days of usage, MB |',
    '|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...grown.map(({ size, settling, purchase, profile, statistics, bytes }) => {
      const settled = `${settling.processCpuUs.toFixed(1)} + ${settling.postgresCpuUs.toFixed(1)}`
      const cells = [
        size.customers,
        size.days,
        settled,
        both(purchase),
        both(profile),
        both(statistics),
        megabytes(bytes.entries),
        megabytes(bytes.days),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

/**
 * The number of records in one batch, as a gateway sends them when its customers open some thousand tunnels a second.
 */
const inBatch = 500

/** The server's cost of an opened tunnel: its record, since settlements depend on customers, not on tunnels. */
export async function keepingCost(shop: OpenShop, seconds: number): Promise<string> {
  const { db, pool } = shop.database
  const { rows } = await pool.query<{ subuser_id: bigint }>('select subuser_id from meter limit $1', [
    inBatch,
  ])
  const now = new Date()
  const before = { process: cpuMs([process.pid]), postgres: shop.postgresCpuMs() }
  const until = performance.now() + seconds * 1000
  let kept = 0
  while (performance.now() < until) {
    const records = rows.map(({ subuser_id }) => recordOf(subuser_id, now))
    await keepRequests(db, { records, unkept: [] }, { now })
    kept += records.length
  }
  const us = (ms: number) => ((ms * 1000) / kept).toFixed(0)
  const [own, postgres] = [cpuMs([process.pid]) - before.process, shop.postgresCpuMs() - before.postgres]
  return `A tunnel or request whose record is kept costs ${us(own)} µs of CPU in the process and ${us(postgres)} µs in PostgreSQL.`
}

function recordOf(subuser: bigint, now: Date): RequestRecord {
  return {
    id: randomUUID(),
    subuser,
    at_ms: now.getTime(),
    protocol: 'connect',
    target: 'www.example.com:443',
    settings: 'country-us-session-a1b2c3',
    multiplier: 1,
    country: 'us',
    exit: null,
    authenticated_ms: 1,
    exit_chosen_ms: 1,
    connected_ms: 40,
    first_byte_ms: 80,
    ended_ms: 1500,
    outcome: 'done',
    status: null,
    code: null,
    sentence: null,
    exit_status: null,
    exit_word: null,
    up_bytes: 1200n,
    down_bytes: 48_000n,
    charged_up_bytes: 1200n,
    charged_down_bytes: 48_000n,
  }
}

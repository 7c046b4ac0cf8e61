/**
 * The growth of the parts' cost with customers, days and tunnels: CPU, since latency says little on a shared
 * machine.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { keepBatches } from './desk.records.ts'
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

/** The size of the tables with their partitions and indexes. */
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
 * The number of records in one batch, as a gateway sends them when its customers open some thousand tunnels a
 * second.
 */
const inBatch = 500

/**
 * The server's cost per opened tunnel. Only the tunnel's record counts: the cost of settlements depends on
 * the number of customers, not of tunnels.
 */
export async function keepingCost(shop: OpenShop, seconds: number): Promise<string> {
  const until = performance.now() + seconds * 1000
  const cost = await keepBatches(shop, { rows: inBatch, isOver: () => performance.now() >= until })
  const us = (ms: number) => ((ms * 1000) / cost.records).toFixed(0)
  return `A tunnel or request whose record is kept costs ${us(cost.ownCpuMs)} µs of CPU in the process, its making here included, and ${us(cost.postgresCpuMs)} µs in PostgreSQL.`
}

/**
 * The process of a gateway's feed under load: settles reports of a number of customers per second, or as many
 * as it can, until it is stopped. Started by scale.load.ts, to which it reports the number of customers
 * settled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db'
import type { Report } from '#feed'
import { settle } from '#traffic'
import { scaleBoot } from './scale.rows.ts'

export interface SettleOrder {
  dataDir: string
  gateway: string
  /** The number of customers in one settlement. */
  customers: number
  /** The number of reports in one settlement; each contains all of its customers. */
  reports: number
  /** Customers per second; null: as many as possible. */
  perSecond: number | null
}

export interface Settled {
  customers: number
  seconds: number
}

let stopping = false
process.on('disconnect', () => process.exit(1))
process.on('message', (message: SettleOrder | 'stop') => {
  if (message === 'stop') stopping = true
  else void run(message)
})

async function run(order: SettleOrder): Promise<void> {
  const { gateway } = order
  const database = await openDatabase({ dataDir: order.dataDir, role: 'guest' })
  const { rows: leases } = await database.pool.query<{ id: bigint; access_id: bigint }>(
    'select id, access_id from lease where gateway = $1 order by access_id',
    [gateway],
  )
  const { rows } = await database.pool.query<{ settled_through: bigint }>(
    'select settled_through from gateway_boot where gateway = $1 and boot = $2',
    [gateway, scaleBoot],
  )
  let sequence = Number(rows[0]?.settled_through ?? 0n)
  const inOne = Math.min(order.customers, leases.length)
  const report = (from: number): Report => {
    const chosen = leases.slice(from, from + inOne)
    if (chosen.length < inOne) chosen.push(...leases.slice(0, inOne - chosen.length))
    const lines = chosen.map(({ id, access_id }) => {
      return { lease: id, access: access_id, charged_bytes: 1500n, requests: 1, close: false }
    })
    return { gateway, boot: scaleBoot, sequence: ++sequence, at_ms: Date.now(), lines }
  }
  let customers = 0
  process.send?.('ready')
  const started = performance.now()
  for (let next = 0; !stopping; next = (next + inOne) % leases.length) {
    await settle(
      database.db,
      Array.from({ length: order.reports }, () => report(next)),
    )
    customers += inOne
    if (order.perSecond === null) continue
    const aheadMs = started + (customers / order.perSecond) * 1000 - performance.now()
    if (aheadMs > 0) await sleep(aheadMs)
  }
  const settled: Settled = { customers, seconds: (performance.now() - started) / 1000 }
  await database.close()
  process.send?.(settled)
  process.disconnect()
}

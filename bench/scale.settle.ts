/**
 * The process of a gateway's feed under load: settles reports of so many customers a second, or as many as it can,
 * until it is told to stop. Started by scale.ts, which it tells how many customers it has settled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#db'
import type { Report } from '#gateway/feed'
import { settle } from '#traffic'
import { scaleBoot } from './scale.rows.ts'

export interface SettleOrder {
  dataDir: string
  gateway: string
  /** Customers in one settlement. */
  batch: number
  /** Customers a second; null: as fast as it goes. */
  perSecond: number | null
}

let stopping = false
process.on('disconnect', () => process.exit(1))
process.on('message', (message: SettleOrder | 'stop') => {
  if (message === 'stop') stopping = true
  else void run(message)
})

async function run(order: SettleOrder): Promise<void> {
  const database = await openDatabase({ dataDir: order.dataDir, role: 'guest' })
  const { rows: leases } = await database.pool.query<{ id: bigint; subuser_id: bigint }>(
    'select id, subuser_id from lease where gateway = $1 order by subuser_id',
    [order.gateway],
  )
  const { rows } = await database.pool.query<{ settled_through: bigint }>(
    'select settled_through from gateway_boot where gateway = $1 and boot = $2',
    [order.gateway, scaleBoot],
  )
  let sequence = Number(rows[0]?.settled_through ?? 0n)
  let settled = 0
  process.send?.({ ready: true })
  const started = performance.now()
  for (let next = 0; !stopping; next = (next + order.batch) % leases.length) {
    const chosen = Array.from(
      { length: Math.min(order.batch, leases.length) },
      (_, index) => leases[(next + index) % leases.length],
    )
    const report: Report = {
      gateway: order.gateway,
      boot: scaleBoot,
      sequence: ++sequence,
      at_ms: Date.now(),
      lines: chosen.flatMap((lease) =>
        lease === undefined
          ? []
          : [{ lease: lease.id, account: lease.subuser_id, charged_bytes: 1500n, requests: 1, close: false }],
      ),
    }
    await settle(database.db, [report])
    settled += report.lines.length
    if (order.perSecond !== null)
      await sleep(started + (settled / order.perSecond) * 1000 - performance.now())
  }
  const seconds = (performance.now() - started) / 1000
  await database.close()
  process.send?.({ settled, seconds })
  process.disconnect()
}

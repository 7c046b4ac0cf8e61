/** The desk's calls about gateways; the command line drains by the same function. */
import type { Kysely } from 'kysely'
import type { DeskOutput } from '#contract/desk/contract'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, record } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers } from '#staff/call'
import {
  leasedByGateway,
  listGateways,
  type LiveGateway,
  liveGateways,
  revokeGatewayToken,
  setDrained,
} from '#traffic'
import { amount, iso } from '../lists/page.ts'

type Db = Kysely<DB>

/**
 * Makes a gateway drain, or serve again, and records it. False: that was requested already. Refuses with
 * `gateway_not_found` when no gateway has reported under this name.
 */
export function drainGateway(
  db: Db,
  author: Author,
  { name, isDrained, reason }: { name: string; isDrained: boolean; reason?: string | undefined },
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const outcome = await setDrained(tx, { name, isDrained })
    if (outcome === 'unknown') throw new Refusal('gateway_not_found', { name })
    if (outcome === 'unchanged') return false
    const entry = {
      action: isDrained ? 'drain_gateway' : 'undrain_gateway',
      subject: { kind: 'gateway', id: name },
      before: { drained: !isDrained },
      after: { drained: isDrained },
    } as const
    await record(tx, author, { ...entry, reason: reason ?? null }, now)
    return true
  })
}

/** Revokes a gateway's own token, and records it. False: it has no valid one. */
export function revokeToken(
  db: Db,
  author: Author,
  { name, reason }: { name: string; reason?: string | undefined },
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    if (!(await revokeGatewayToken(tx, name))) return false
    const entry = { action: 'revoke_gateway_token', subject: { kind: 'gateway', id: name } } as const
    await record(tx, author, { ...entry, reason: reason ?? null }, now)
    return true
  })
}

const workerOf = (worker: LiveGateway) => ({
  name: worker.gateway,
  started_at: worker.startedAt.toISOString(),
  seen_at: worker.seenAt.toISOString(),
  tunnels: worker.tunnels,
  bits_per_second: worker.bitsPerSecond === null ? null : amount(worker.bitsPerSecond),
  leases: worker.leases,
  leased_bytes: worker.leasedBytes === null ? null : amount(worker.leasedBytes),
  reports_waiting: worker.reportsWaiting,
})

async function shownGateways(db: Db): Promise<DeskOutput<'gateways'>> {
  const workers = await liveGateways(db)
  const leased = new Map((await leasedByGateway(db)).map((row) => [row.name, row]))
  return (await listGateways(db)).map((gateway) => {
    const held = leased.get(gateway.name)
    return {
      name: gateway.name,
      seen_at: gateway.seenAt.toISOString(),
      leases: Number(held?.leases ?? 0n),
      leased_bytes: amount(held?.bytes),
      version: gateway.version,
      address: gateway.address,
      reports_waiting: gateway.reportsWaiting,
      connections: gateway.connections,
      state: gateway.state,
      token: gateway.token,
      started_at: gateway.startedAt.toISOString(),
      drain_asked_at: iso(gateway.drainAskedAt),
      worker_count: gateway.workers,
      workers: workers.filter(({ name }) => name === gateway.name).map(workerOf),
    }
  })
}

const changed = async (
  { name, reason }: { name: string; reason?: string | undefined },
  isDrained: boolean,
  context: DeskContext,
) => ({
  changed: await drainGateway(
    context.database.db,
    authorOf(context),
    { name, isDrained, reason },
    context.now(),
  ),
})

export const gatewayCalls = {
  gateways: (_input, { database }) => shownGateways(database.db),
  gateway_health: async (_input, { database }) =>
    (await shownGateways(database.db)).map(
      ({ name, state, seen_at, connections, reports_waiting, workers }) => ({
        name,
        state,
        seen_at,
        connections,
        reports_waiting,
        bits_per_second: String(
          workers.reduce((sum, { bits_per_second: bits }) => sum + BigInt(bits ?? 0), 0n),
        ),
      }),
    ),
  drain_gateway: (input, context) => changed(input, true, context),
  undrain_gateway: (input, context) => changed(input, false, context),
  revoke_gateway_token: async (input, context) => ({
    changed: await revokeToken(context.database.db, authorOf(context), input, context.now()),
  }),
} satisfies Partial<DeskHandlers>

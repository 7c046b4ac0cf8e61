/** The database becomes unreachable during a shop's work, and comes back. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db'
import { type Origin, startOrigin } from '#test/origin'
import { press } from '#test/app'
import { lineOf } from '#test/stack'
import { type Drip, drip } from '../whole/drip.ts'
import { makePrograms, type Program } from './clients.ts'
import { freePortBases } from '#test/ports'
import {
  type ApiMachine,
  type GatewayMachine,
  shopEnv,
  startApiMachine,
  startGatewayMachine,
} from './machines.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { findings, furnish, heldBytes, newBuyer } from './shop.ts'

export interface Scene {
  postgres: Postgres
  database: Database
  api: ApiMachine
  gateway: GatewayMachine
  origin: Origin
  programs: Program[]
  /** A tunnel that has been active since before. */
  tunnel: Drip
  /** The bytes charged to the tunnel's customer so far, and the balance. */
  spent: () => Promise<{ charged: bigint; held: bigint }>
  /** Ends everything of the scene. */
  close: () => Promise<void>
}

/** An api, a gateway, four programs that buy, and a customer with a continuously active tunnel. */
export async function openScene(): Promise<Scene> {
  const [postgres, origin] = await Promise.all([startPostgres(), startOrigin()])
  const database = await furnish(postgres.url)
  const env = shopEnv(postgres.url)
  const [base = 0] = await freePortBases(1)
  const [api, gateway] = await Promise.all([startApiMachine(env), startGatewayMachine(env, base)])
  const user = await newBuyer(api, database)
  const call = api.client(user.token)
  const url = await call('create_invoice_web', { payment_method: 'sandbox', amount: 20, pool: 'residential' })
  await press(api.origin, url.split('/').at(-1) ?? '', 'paid')
  const line = await lineOf(call, 'residential')
  const target = { host: origin.host, port: origin.echoPort }
  const tunnel = await drip({ port: base, ...line, target })
  const programs = await makePrograms(4, api, database)
  return {
    postgres,
    database,
    api,
    gateway,
    origin,
    programs,
    tunnel,
    spent: async () => {
      const { rows } = await database.pool.query<{ charged: bigint }>(
        `select coalesce(sum(charged_bytes), 0)::bigint as charged from usage_day u
          join meter m on m.access_id = u.access_id where m.account_id = $1`,
        [user.accountId],
      )
      const held = await heldBytes(database, user.accountId, 'residential')
      return { charged: rows[0]?.charged ?? 0n, held }
    },
    close: async () => {
      for (const program of programs) program.end()
      await Promise.all([api.stop(), gateway.stop()])
      await database.close()
      await Promise.all([postgres.close(), origin.close()])
    },
  }
}

/** The current answer of /readyz; 0: none. */
export const readiness = (api: Pick<ApiMachine, 'origin'>): Promise<number> =>
  fetch(`${api.origin}/readyz`, { signal: AbortSignal.timeout(15_000) }).then(
    ({ status }) => status,
    () => 0,
  )

/**
 * Ends the programs and waits until each has completed its last call; returns the inconsistencies of the
 * books.
 */
export async function reckon(
  { programs, database }: Pick<Scene, 'programs' | 'database'>,
  running: Promise<unknown>,
): Promise<string[]> {
  for (const program of programs) program.end()
  await running
  const faults = (await findings(database)).map((finding) => JSON.stringify(finding))
  for (const { buyer, answered, wrong } of programs) {
    faults.push(...wrong)
    const should: [string, bigint][] = [
      ['residential', BigInt(answered.purchases) * 1_000_000_000n],
      ['datacenter', BigInt(answered.shares) * 1_000_000_000n],
      ['mobile', BigInt(answered.gifts) * 1000n],
    ]
    for (const [pool, bytes] of should) {
      const held = await heldBytes(database, buyer.accountId, pool)
      if (held !== bytes) faults.push(`${buyer.username} holds ${held} B of ${pool}, not ${bytes} B`)
    }
  }
  return faults
}

/** Waits until the database answers our own queries again. */
export async function backAgain({ pool }: Database): Promise<void> {
  for (;;) {
    try {
      await pool.query('select')
      return
    } catch {
      await sleep(20)
    }
  }
}

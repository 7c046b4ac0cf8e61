/** Repeated kill -9 of the api while programs buy. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/stack'
import { makePrograms, operationsOf } from './clients.ts'
import { shopEnv, startApiMachine } from './machines.ts'
import { startPostgres } from './postgres.ts'
import { findings, furnish, heldBytes } from './shop.ts'

export interface KillResults {
  kills: number
  operations: number
  /** Operations that were answered but not done, done more than once, or never requested. */
  lost: number
  extra: number
  wrong: string[]
  findings: unknown[]
  /** Milliseconds from a kill to the first answer, the median. */
  readyAgainMs: number
}

const bytesPerPurchase = 1_000_000_000n

/** Kills an api this many times, during the actions of eight programs. */
export async function killApi(kills: number): Promise<KillResults> {
  const postgres = await startPostgres()
  const database = await furnish(postgres.url)
  const api = await startApiMachine(shopEnv(postgres.url))
  try {
    const programs = await makePrograms(8, api, database)
    const running = Promise.all(programs.map((program) => program.run()))
    const done = () => operationsOf(programs)
    const ready: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      // Waits until actions have completed since the last kill, on any machine; after that any moment is
      // suitable.
      const enough = done() + 8
      await until(() => done() >= enough, 60_000, 'the programs to get on')
      await sleep(Math.random() * 100)
      await api.kill()
      const killedAt = performance.now()
      await api.start()
      ready.push(performance.now() - killedAt)
    }
    for (const program of programs) program.end()
    await running

    let [lost, extra] = [0, 0]
    for (const { buyer, answered } of programs) {
      const should: [string, bigint][] = [
        ['residential', BigInt(answered.purchases) * bytesPerPurchase],
        ['datacenter', BigInt(answered.shares) * bytesPerPurchase],
        ['mobile', BigInt(answered.gifts) * 1000n],
      ]
      for (const [pool, bytes] of should) {
        const unit = pool === 'mobile' ? 1000n : bytesPerPurchase
        const missing = Number((bytes - (await heldBytes(database, buyer.accountId, pool))) / unit)
        if (missing > 0) lost += missing
        else extra -= missing
      }
      const { count } = await database.db
        .selectFrom('invoice')
        .select((all) => all.fn.countAll<bigint>().as('count'))
        .where('account_id', '=', buyer.accountId)
        .executeTakeFirstOrThrow()
      // An invoice that no answer reported counts as extra, although it cost the customer nothing.
      extra += Number(count) - answered.purchases - answered.shares
    }
    return {
      kills,
      operations: done(),
      lost,
      extra,
      wrong: programs.flatMap(({ wrong }) => wrong),
      findings: await findings(database),
      readyAgainMs: ready.toSorted((a, b) => a - b)[Math.floor(ready.length / 2)] ?? 0,
    }
  } finally {
    await api.stop()
    await database.close()
    await postgres.close()
  }
}

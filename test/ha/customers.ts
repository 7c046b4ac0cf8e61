/** Customers whose tunnels and downloads continue during the faults, and their expected bill. */
import type { Database } from '#db'
import { press } from '#test/app'
import { pacedTunnel, startPacedTarget, sumOf } from '#test/outage'
import { lineOf, type Stack, until } from '#test/stack'
import { startOrigin } from '../origin.ts'
import type { ApiMachine } from '../promises/machines.ts'
import { heldBytes, newBuyer } from '../promises/shop.ts'
import { startLoad } from '../upgrade/load.ts'

const gb = 1_000_000_000n
const bought = 20
/**
 * The downloads and the bytes per second of each; the tunnels that stay open, and the new tunnels per second.
 * The load is small, since sales run at the same time on few cores.
 */
const [downloads, bytesPerSecond] = [6, 100_000]
const [held, perSecond] = [10, 3]

export interface Traffic {
  /** Ends all traffic and compares it with the books: returns a sentence on the traffic, and the errors. */
  reckon: () => Promise<{ summary: string; wrong: string[] }>
}

/** A customer with 20 GB whose tunnels lead through the gateway of the stack. */
export async function startTraffic(
  api: Pick<ApiMachine, 'origin' | 'client'>,
  { database, stack }: { database: Database; stack: Pick<Stack, 'portBase'> },
): Promise<Traffic> {
  const { accountId, token } = await newBuyer(api, database)
  const call = api.client(token)
  const order = { payment_method: 'sandbox', amount: bought, pool: 'residential' } as const
  const url = await call('create_invoice_web', order)
  await press(api.origin, url.split('/').at(-1) ?? '', 'paid')
  const line = await lineOf(call, 'residential')
  const [origin, source] = await Promise.all([startOrigin(), startPacedTarget({ bytesPerSecond })])
  const target = { host: origin.host, port: origin.echoPort }
  const load = await startLoad({ ...line, port: stack.portBase, target }, { perSecond, held })
  const running = await Promise.all(
    Array.from({ length: downloads }, () =>
      pacedTunnel(stack, { ...line, pool: 'residential' }, source.port),
    ),
  )
  let isOver = false
  let brokenDownloads = 0
  for (const { ended } of running)
    void ended.then(() => {
      if (!isOver) brokenDownloads++
    })
  const books = async () => {
    const { rows } = await database.pool.query<{ charged: bigint }>(
      `select coalesce(sum(charged_bytes), 0)::bigint as charged from usage_day u
        join meter m on m.access_id = u.access_id where m.account_id = $1`,
      [accountId],
    )
    return { charged: rows[0]?.charged ?? 0n, left: await heldBytes(database, accountId, 'residential') }
  }
  return {
    reckon: async () => {
      isOver = true
      source.finish()
      await Promise.all([load.stop(), ...running.map(({ ended }) => ended)])
      const counted = load.bytes() + BigInt(sumOf(running))
      // The last reports are settled within a second; too much is found as well as too little.
      await until(async () => (await books()).charged >= counted, 60_000, 'the reports').catch(
        () => undefined,
      )
      const { charged, left } = await books()
      await Promise.all([origin.close(), source.close()])
      const { served, refused, broken } = load.outcome()
      const reasons = Object.entries(refused).map(([reason, count]) => `${count} × ${reason}`)
      const wrong = [
        ...reasons.map((reason) => `tunnels were refused: ${reason}`),
        ...(broken + brokenDownloads > 0 ? ['tunnels broke'] : []),
        ...(charged === counted ? [] : ['the bill is not exact']),
        ...(left === BigInt(bought) * gb - counted ? [] : [`the balance is ${left} B`]),
      ]
      const summary = [
        `${held} tunnels and ${downloads} downloads stayed open, ${served} tunnels were opened;`,
        `refused: ${reasons.length === 0 ? 0 : reasons.join(', ')}, broken: ${broken + brokenDownloads}.`,
        `Clients counted ${counted} bytes; charged: ${charged}.`,
      ].join(' ')
      return { summary, wrong }
    },
  }
}

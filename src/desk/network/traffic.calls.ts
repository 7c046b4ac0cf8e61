/** The desk's call about traffic of the whole shop, divided by one dimension. */
import type { Kysely } from 'kysely'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { DB } from '#db'
import { showExits } from '#exits'
import type { Secrets } from '#lib/secret'
import { connectionSums } from '#requests'
import type { DeskHandlers } from '#staff/call'
import { usageBy } from '#traffic'
import { amount, wholeHours } from '../lists/page.ts'

type Db = Kysely<DB>

async function sumsOf(
  db: Db,
  secrets: Secrets,
  { by, from, until, pool, exit }: DeskParsed<'traffic_sums'>,
  zone: string,
): Promise<DeskOutput<'traffic_sums'>> {
  const asked = {
    ...wholeHours(from, until, zone),
    pool,
    exit: exit === undefined ? undefined : BigInt(exit),
  }
  if (by === 'country') {
    const sums = await connectionSums(db, { by, ...asked })
    const rows = sums.map((sum) => ({
      key: sum.key,
      name: null,
      charged_bytes: amount(sum.chargedBytes),
      bonus_bytes: null,
      relayed_bytes: amount(sum.upBytes + sum.downBytes),
      requests: amount(sum.connections),
    }))
    return { rows, next: null, by_records: true }
  }
  const exits = by === 'exit' ? await showExits(db, secrets) : []
  const names = new Map(exits.map(({ id, name }) => [String(id), name]))
  const rows = (await usageBy(db, { by, ...asked })).map((sum) => ({
    key: sum.key,
    name: names.get(sum.key) ?? null,
    charged_bytes: amount(sum.chargedBytes),
    bonus_bytes: amount(sum.bonusBytes),
    relayed_bytes: amount(sum.relayedBytes),
    requests: amount(sum.requests),
  }))
  return { rows, next: null, by_records: false }
}

export const trafficCalls = ({ secrets }: { secrets: Secrets }) =>
  ({
    traffic_sums: (input, { database, zone }) => sumsOf(database.db, secrets, input, zone),
  }) satisfies Partial<DeskHandlers>

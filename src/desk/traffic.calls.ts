/** The desk's calls about traffic of the whole shop: by day and pool, and divided by one dimension. */
import type { Kysely } from 'kysely'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { DB } from '#db'
import { showExits } from '#exits'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { connectionSums } from '#requests'
import type { DeskHandlers } from '#staff/call'
import { heldByPool, leasedByPool, usageBy, usageOfAll } from '#traffic'
import { amount, wholeHours } from './page.ts'

type Db = Kysely<DB>

const dayMs = 86_400_000
const mostDays = 400

async function shownTraffic(db: Db, { from, until }: DeskParsed<'traffic'>): Promise<DeskOutput<'traffic'>> {
  const days = (Date.parse(until) - Date.parse(from)) / dayMs
  if (!(days >= 0 && days <= mostDays)) throw new Refusal('invalid_field', { field: 'until' })
  const leased = new Map((await leasedByPool(db)).map(({ pool, bytes }) => [pool, bytes]))
  return {
    days: (await usageOfAll(db, { from, to: until })).map((row) => ({
      day: row.day,
      pool: row.pool,
      charged_bytes: amount(row.chargedBytes),
      bonus_bytes: amount(row.bonusBytes),
      requests: amount(row.requests),
    })),
    held: (await heldByPool(db)).map((row) => ({
      pool: row.pool,
      paid_bytes: amount(row.paidBytes),
      bonus_bytes: amount(row.bonusBytes),
      leased_bytes: amount(leased.get(row.pool)),
    })),
  }
}

async function sumsOf(
  db: Db,
  secrets: Secrets,
  { by, from, until, pool, exit }: DeskParsed<'traffic_sums'>,
): Promise<DeskOutput<'traffic_sums'>> {
  const asked = { ...wholeHours(from, until), pool, exit: exit === undefined ? undefined : BigInt(exit) }
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
    traffic: (input, { database }) => shownTraffic(database.db, input),
    traffic_sums: (input, { database }) => sumsOf(database.db, secrets, input),
  }) satisfies Partial<DeskHandlers>

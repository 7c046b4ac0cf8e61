import type { Kysely } from 'kysely'
import type { Output, Parsed } from '#contract/contract'
import type { usageWire } from '#contract/stats/calls'
import type { DB } from '#db'
import { callerOf, type HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import {
  daysOf,
  daysOfKey,
  hoursOf,
  mostDays,
  mostDaysByHour,
  partsOf,
  readPeriod,
  totalOf,
  type UsageAsked,
  type UsageRow,
  type UsageTotal,
} from './usage.ts'

/** The call for the usage of any period. */
export const usageCalls = {
  get_usage: async (input, context) => {
    const { by, pool, only } = input
    const period = readPeriod(input, by === 'hour' ? mostDaysByHour : mostDays)
    if (only !== undefined && by !== 'day') throw new Refusal('usage_filter_by_day')
    const { id: accountId, view } = callerOf(context)
    // A view by staff shows no hosts, so it must not filter by them either: that would allow guessing.
    if (view !== undefined && only?.part === 'host') throw new Refusal('invalid_field', { field: 'only' })
    return await context.database.read(async (db) => {
      const asked = { accountId, pool, from: period.from, to: period.to }
      const before = { ...asked, ...period.before }
      // The days of both times, which follow one another.
      const days = only === undefined ? await daysOf(db, { ...asked, from: before.from }) : null
      const present = days?.filter(({ key }) => key >= asked.from)
      const isPlain = by === 'day' && present !== undefined
      const rows = isPlain ? present : await rowsOf(db, asked, input, present)
      const then = days?.filter(({ key }) => key < asked.from) ?? (await rowsOf(db, before, input))
      // Hours have no refusals, and parts do not contain usage without a record.
      const counted = present ?? rows
      return {
        rows: rows.map((row) => told(row, by === 'host')),
        total: toldTotal(totalOf(counted)),
        before: toldTotal(totalOf(then)),
      }
    })
  },
} satisfies HandlersOf<typeof usageWire>

/** `days`: those of the same time, where they are read. */
function rowsOf(
  db: Kysely<DB>,
  asked: UsageAsked,
  { by, only }: Parsed<'get_usage'>,
  days: readonly UsageRow[] = [],
): Promise<UsageRow[]> {
  if (by === 'hour') return hoursOf(db, asked, days)
  if (by !== 'day') return partsOf(db, { ...asked, part: by })
  return only === undefined ? daysOf(db, asked) : daysOfKey(db, { ...asked, ...only })
}

type Row = Output<'get_usage'>['rows'][number]

/** A host is the `target`, which is hidden from staff who see the shop as the customer does. */
function told(
  { kind, key, label, chargedBytes, bonusBytes, requests, refused }: UsageRow,
  isHost: boolean,
): Row {
  return {
    kind,
    key: isHost || kind !== 'key' ? '' : key,
    target: isHost && kind === 'key' ? key : null,
    label: label ?? null,
    charged_bytes: Number(chargedBytes),
    bonus_bytes: bonusBytes === null ? null : Number(bonusBytes),
    requests: Number(requests),
    refused: refused === null ? null : Number(refused),
  }
}

const toldTotal = ({ chargedBytes, bonusBytes, requests, refused }: UsageTotal) => ({
  charged_bytes: Number(chargedBytes),
  bonus_bytes: Number(bonusBytes),
  requests: Number(requests),
  refused: Number(refused),
})

/** The desk's calls about margin. */
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { Database } from '#db'
import { costHistory, showExits } from '#exits'
import type { Secrets } from '#lib/secret'
import { dayIn } from '#lib/zone'
import { exitMargins, marginOfHours, type MarginPart, type MarginSum, sumMargin } from '#margin'
import type { DeskHandlers } from '#staff/call'
import { amount } from './lists/page.ts'
import { periodOf, timeOf } from './reports/period.ts'

type Asked = DeskParsed<'margin_report'>

const shown = (sum: MarginSum) => ({
  charged_bytes: amount(sum.chargedBytes),
  bonus_bytes: amount(sum.bonusBytes),
  relayed_bytes: amount(sum.relayedBytes),
  earned_micros: amount(sum.earnedMicros),
  cost_micros: amount(sum.costMicros),
  margin_micros: amount(sum.marginMicros),
  uncosted_bytes: amount(sum.uncostedBytes),
})

function keyOf(by: Asked['by']): (part: MarginPart) => string {
  if (by === 'pool') return ({ pool }) => pool
  if (by === 'exit') return ({ exitId }) => String(exitId)
  return ({ day }) => timeOf(by, day)
}

/** The names of exits, of those that are gone as they were when their cost was set. */
async function exitNames(db: Database['db'], secrets: Secrets): Promise<Map<string, string>> {
  const gone = (await costHistory(db)).map(({ exitId, name }) => [String(exitId), name] as const)
  const there = (await showExits(db, secrets)).map(({ id, name }) => [String(id), name] as const)
  return new Map([...gone, ...there])
}

async function reportOf(
  db: Database['db'],
  secrets: Secrets,
  { by, from, until }: Asked,
  { zone, now }: { zone: string; now: Date },
): Promise<DeskOutput<'margin_report'>> {
  const { span } = periodOf(zone, from, until)
  const names = by === 'exit' ? await exitNames(db, secrets) : new Map<string, string>()
  const parts = await marginOfHours(db, span, now)
  const inZone = [...Map.groupBy(parts, ({ at }) => at.getTime())].flatMap(([hour, ofHour]) => {
    const day = dayIn(zone, new Date(hour))
    return ofHour.map((part) => ({ ...part, day }))
  })
  const sums = [...sumMargin(inZone, keyOf(by))]
  const inOrder =
    by === 'pool' || by === 'exit'
      ? sums.toSorted(
          ([key, a], [other, b]) => Number(b.earnedMicros - a.earnedMicros) || key.localeCompare(other),
        )
      : sums.toSorted(([key], [other]) => key.localeCompare(other))
  const rows = inOrder.map(([key, sum]) => ({
    key: key === '0' ? '' : key,
    name: names.get(key) ?? null,
    ...shown(sum),
  }))
  return { rows, next: null }
}

export const marginCalls = ({ secrets }: { secrets: Secrets }) =>
  ({
    margin_report: (asked, { database, zone, now }) =>
      reportOf(database.db, secrets, asked, { zone, now: now() }),
    exit_margins: async (_input, { database, now }) =>
      [...(await exitMargins(database.db, now()))]
        .filter(([id]) => id !== '0')
        .map(([id, sum]) => ({ id, ...shown(sum) })),
  }) satisfies Partial<DeskHandlers>

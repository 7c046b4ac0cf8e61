/** The desk's calls about margin. */
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { Database } from '#db'
import { costHistory, showExits } from '#exits'
import type { Span } from '#ledger'
import { parseId } from '#lib/bigint'
import type { Secrets } from '#lib/secret'
import { dayIn } from '#lib/zone'
import {
  addMargin,
  exitMargins,
  marginBy,
  marginOfHours,
  type MarginPart,
  type MarginSum,
  noMargin,
  type PurchaseDivision,
  sumMargin,
} from '#margin'
import type { DeskHandlers } from '#staff/call'
import { ownersOf } from './lists/owners.ts'
import { marginFoot, shownMargin } from './reports/margin.foot.ts'
import { periodOf, timeOf } from './reports/period.ts'

type MarginRequest = DeskParsed<'margin_report'>

function keyOf(by: Exclude<MarginRequest['by'], PurchaseDivision>): (part: MarginPart) => string {
  if (by === 'pool') return ({ pool }) => pool
  if (by === 'exit') return ({ exitId }) => String(exitId)
  return ({ day }) => timeOf(by, day)
}

/** The names of exits; a removed exit has the name that it had when its cost was set. */
async function exitNames(db: Database['db'], secrets: Secrets): Promise<Map<string, string>> {
  const gone = (await costHistory(db)).map(({ exitId, name }) => [String(exitId), name] as const)
  const there = (await showExits(db, secrets)).map(({ id, name }) => [String(id), name] as const)
  return new Map([...gone, ...there])
}

interface Clock {
  zone: string
  now: Date
}

type Summed = readonly (readonly [string, MarginSum])[]

async function sumsOf(
  db: Database['db'],
  by: Exclude<MarginRequest['by'], PurchaseDivision>,
  span: Span,
  { zone, now }: Clock,
): Promise<Summed> {
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
  return inOrder.map(([key, sum]) => [key === '0' ? '' : key, sum])
}

async function customerNames(db: Database['db'], keys: readonly string[]): Promise<Map<string, string>> {
  const owners = await ownersOf(
    db,
    keys.map((key) => parseId(key)),
  )
  return new Map([...owners].map(([id, { username }]) => [String(id), username ?? '']))
}

async function reportOf(
  db: Database['db'],
  secrets: Secrets,
  { by, from, until }: MarginRequest,
  clock: Clock,
): Promise<DeskOutput<'margin_report'>> {
  const { span } = periodOf(clock.zone, from, until)
  let rows: Summed
  let names = new Map<string, string>()
  if (by === 'customer' || by === 'tier' || by === 'promo') {
    rows = (await marginBy(db, by, span, clock.now)).map((sum) => [sum.key, sum])
    if (by === 'customer')
      names = await customerNames(
        db,
        rows.map(([key]) => key),
      )
  } else {
    rows = await sumsOf(db, by, span, clock)
    if (by === 'exit') names = await exitNames(db, secrets)
  }
  const total = rows.reduce((all, [, sum]) => addMargin(all, sum), noMargin)
  return {
    rows: rows.map(([key, sum]) => ({ key, name: names.get(key) ?? null, ...shownMargin(sum) })),
    next: null,
    ...(await marginFoot(db, total)),
  }
}

export const marginCalls = ({ secrets }: { secrets: Secrets }) =>
  ({
    margin_report: (asked, { database, zone, now }) =>
      reportOf(database.db, secrets, asked, { zone, now: now() }),
    exit_margins: async (_input, { database, now }) =>
      [...(await exitMargins(database.db, now()))]
        .filter(([id]) => id !== '0')
        .map(([id, sum]) => ({ id, ...shownMargin(sum) })),
  }) satisfies Partial<DeskHandlers>

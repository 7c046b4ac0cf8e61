/**
 * The desk's reports. Money is read from the ledger, so that each report adds up to it; traffic is read from
 * the sums of settlements.
 */
import type { Kysely } from 'kysely'
import { reportDivisions } from '#contract/desk/choices'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { type DB, inSnapshot } from '#db'
import { archivedIn, changedAfter, firstPosted } from '#ledger'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import type { DeskHandlers } from '#staff/call'
import { bigintOf } from './lists/page.ts'
import { type Reported, shownReport } from './reports/figures.ts'
import { listPostings, moneyReport } from './reports/money.ts'
import { monthSpan, monthsSince } from './reports/month.ts'
import { periodOf } from './reports/period.ts'
import { liabilityReport, usageReport } from './reports/traffic.ts'

async function reported(
  db: Kysely<DB>,
  { secrets, zone, now, closed }: { secrets: Secrets; zone: string; now: Date; closed: AbortSignal },
  asked: DeskParsed<'report'>,
): Promise<Reported> {
  const { report, by, from, until } = asked
  if (!reportDivisions[report].some((each) => each === by))
    throw new Refusal('report_not_divided', { report, by, divisions: reportDivisions[report].join(', ') })
  const part = { pool: asked.pool, exit: bigintOf(asked.exit) }
  if (report !== 'usage' && (part.pool !== undefined || part.exit !== undefined))
    throw new Refusal('invalid_field', { field: part.pool === undefined ? 'exit' : 'pool' })
  const period = periodOf(zone, from, until)
  // One snapshot, so that concurrent postings do not appear as a difference from the ledger.
  return inSnapshot(db, async (tx) => {
    switch (report) {
      case 'sales':
      case 'refunds':
      case 'referral':
        return moneyReport(tx, report, by, period, closed)
      case 'usage':
        return usageReport(tx, secrets, by, period, part)
      case 'liability':
        return liabilityReport(tx, by, period, now)
    }
  })
}

export const reportCalls = ({ secrets }: { secrets: Secrets }) =>
  ({
    report: async (asked, { database, zone, now, closed }): Promise<DeskOutput<'report'>> => {
      const context = { secrets, zone, now: now(), closed }
      return shownReport(asked.report, zone, await reported(database.db, context, asked))
    },
    month_books: async (_input, { database: { db }, zone, now }) => {
      const first = await firstPosted(db)
      const months = first === null ? [] : monthsSince(zone, first, now())
      const shown = months.map(async (month) => {
        const { span, isOver } = monthSpan(zone, month, now())
        const changedAt = isOver ? await changedAfter(db, span) : null
        return {
          month,
          over: isOver,
          archived: (await archivedIn(db, span)).length > 0,
          changed_at: changedAt?.toISOString() ?? null,
        }
      })
      return { months: await Promise.all(shown), time_zone: zone }
    },
    postings: (asked, { database, zone, closed }) => listPostings(database.db, zone, asked, closed),
  }) satisfies Partial<DeskHandlers>

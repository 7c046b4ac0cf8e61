/** Today: figures beside those of the same weekday before, and what waits for somebody. */
import { countNew } from '#accounts'
import type { DeskOutput } from '#contract/desk/contract'
import { type Database, lastBackup } from '#db'
import { showExits } from '#exits'
import type { Secrets } from '#lib/secret'
import { countStuckMail } from '#mail'
import { listRates } from '#payments'
import { needyInvoices, soldByHour } from '#purchase'
import { connectionSums } from '#requests'
import type { DeskHandlers } from '#staff/call'
import { usedByHour } from '#traffic'
import { amount } from './page.ts'

export interface TodayDeps {
  secrets: Secrets
  /** What `turnpike doctor` finds that is not in order. */
  faults: () => Promise<DeskOutput<'today'>['before_you_open']>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const weekMs = 7 * dayMs

interface Counted {
  hour: Date
  value: bigint
}

/** Today by hour and in sum, and the sum of the same weekday before up to the same time of day. */
async function figure(
  read: (period: { from: Date; until: Date }) => Promise<Counted[]>,
  now: Date,
): Promise<{ today: string; before: string; hours: string[] }> {
  const midnight = new Date(Math.floor(now.getTime() / dayMs) * dayMs)
  const rows = await read({ from: midnight, until: now })
  const before = await read({
    from: new Date(midnight.getTime() - weekMs),
    until: new Date(now.getTime() - weekMs),
  })
  const sum = (all: Counted[]) => all.reduce((total, { value }) => total + value, 0n)
  const byHour = new Map(rows.map(({ hour, value }) => [hour.getTime(), value]))
  const hours = Array.from(
    { length: Math.floor((now.getTime() - midnight.getTime()) / hourMs) + 1 },
    (_, n) => amount(byHour.get(midnight.getTime() + n * hourMs)),
  )
  return { today: amount(sum(rows)), before: amount(sum(before)), hours }
}

/** By the records of connections, of which some may be lost. */
async function refusedByHour(db: Database['db'], { from, until }: { from: Date; until: Date }) {
  const sums = await connectionSums(db, { by: 'hour', from, to: until })
  return sums.map(({ key, refused }) => ({ hour: new Date(key), value: refused }))
}

type Need = DeskOutput<'today'>['needs_you'][number]

const staleRateMs = 7 * dayMs
const staleBackupMs = 2 * dayMs

async function needs({ db }: Database, secrets: Secrets, now: Date): Promise<Need[]> {
  const pages = {
    dispute: '/invoices?disputed=true',
    wrong_amount: '/invoices?state=underpaid',
    refund_failed: '/invoices?state=refunded',
    paid_without_traffic: '/invoices?state=paid',
  } as const
  const invoices = (await needyInvoices(db)).map(({ need, count, numbers }) => ({
    kind: need,
    count: Number(count),
    href: pages[need],
    examples: numbers,
  }))
  const exits = (await showExits(db, secrets)).filter(({ enabled, fault }) => enabled && fault !== null)
  const rates = (await listRates(db)).filter(({ setAt }) => now.getTime() - setAt.getTime() > staleRateMs)
  const backup = await lastBackup(db)
  const isBackupOld = backup === null || now.getTime() - backup.getTime() > staleBackupMs
  const letters = await countStuckMail(db, now)
  const one = (kind: Need['kind'], href: string, examples: string[], count = examples.length): Need[] =>
    count === 0 ? [] : [{ kind, count, href, examples: examples.slice(0, 5) }]
  return [
    ...invoices,
    ...one(
      'exit_fault',
      '/exits',
      exits.map(({ name }) => name),
    ),
    ...one(
      'rate_old',
      '/prices',
      rates.map(({ currency }) => currency),
    ),
    ...one('backup_old', '/settings', [], isBackupOld ? 1 : 0),
    ...one('letters_stuck', '/settings', [], letters),
  ]
}

export function todayCalls({ secrets, faults }: TodayDeps) {
  return {
    today: async (_input, { database, now }) => {
      const { db } = database
      const at = now()
      const sold = (field: 'micros' | 'bytes') => async (period: { from: Date; until: Date }) =>
        (await soldByHour(db, period)).map((row) => ({ hour: row.hour, value: row[field] }))
      return {
        at: at.toISOString(),
        money_in_micros: await figure(sold('micros'), at),
        sold_bytes: await figure(sold('bytes'), at),
        used_bytes: await figure((period) => usedByHour(db, period), at),
        new_customers: await figure((period) => countNew(db, period), at),
        refused_requests: await figure((period) => refusedByHour(db, period), at),
        needs_you: await needs(database, secrets, at),
        before_you_open: await faults(),
      }
    },
  } satisfies Partial<DeskHandlers>
}

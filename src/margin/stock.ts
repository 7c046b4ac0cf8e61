/** Days of stock left: the remaining traffic at exits' sellers, divided by the exits' daily traffic. */
import type { Kysely } from 'kysely'
import { type DB, inSnapshot } from '#db'
import { listStocks } from '#exits'
import { relayedIn } from './by.exit.ts'

/** The remaining traffic of an exit. */
export interface StockLeft {
  exitId: bigint
  /** The value set by hand, less the traffic counted since; never below zero. */
  leftBytes: bigint
  setAt: Date
  /** At the rate of the last 7 days; null: there was no traffic. */
  daysLeft: number | null
}

/** A stock that lasts fewer days is low. */
export const lowStockDays = 3

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const days = 7

/** The stocks of exits for which a value was set. */
export function stocksLeft(db: Kysely<DB>, now: Date): Promise<StockLeft[]> {
  return inSnapshot(db, async (tx) => {
    const stocks = await listStocks(tx)
    const [oldest] = stocks.map(({ at }) => at.getTime()).toSorted((a, b) => a - b)
    if (oldest === undefined) return []
    const weekAgo = now.getTime() - days * dayMs
    const period = { start: new Date(Math.min(oldest, weekAgo)), end: new Date(now.getTime() + hourMs) }
    const ofExit = Map.groupBy(await relayedIn(tx, period), ({ exitId }) => exitId)
    return stocks.map(({ exitId, at, leftBytes }) => {
      const rows = ofExit.get(exitId) ?? []
      const since = (from: number) => usedSince(rows, from)
      const left = leftBytes - since(at.getTime())
      const week = since(weekAgo)
      const leftNow = left > 0n ? left : 0n
      const daysLeft = week === 0n ? null : (Number(leftNow) / Number(week)) * days
      return { exitId, leftBytes: leftNow, setAt: at, daysLeft }
    })
  })
}

const usedSince = (rows: readonly { hour: Date; relayedBytes: bigint }[], from: number): bigint =>
  rows.reduce((sum, { hour, relayedBytes }) => (hour.getTime() >= from ? sum + relayedBytes : sum), 0n)

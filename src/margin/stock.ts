/** Days of stock left: what is left at the sellers of exits, over what the exits carry a day. */
import type { Kysely } from 'kysely'
import { type DB, inSnapshot } from '#db'
import { listStocks } from '#exits'
import { relayedIn } from './parts.ts'

/** What is left of an exit's traffic. */
export interface StockLeft {
  exitId: bigint
  /** Set by hand, less what was counted since; never below zero. */
  leftBytes: bigint
  setAt: Date
  /** At the use of the last 7 days; null: nothing was used in them. */
  daysLeft: number | null
}

/** A stock that lasts fewer days is low. */
export const lowStockDays = 3

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const days = 7

/** The stocks of the exits of which one was set. */
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

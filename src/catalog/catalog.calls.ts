import type { catalogWire } from '#contract/catalog/calls'
import type { HandlersOf } from '#db/call'
import { usdToWire } from '#lib/money'
import { pricesFor, volumeDiscountPpm } from './catalog.ts'

/** The catalog's calls: prices, and the discount for each of a list of amounts; a customer gets their own. */
export const catalogCalls = {
  prices: async (_input, { database, account }) => {
    const { prices } = await pricesFor(database.db, account?.id ?? null)
    return Object.fromEntries([...prices].map(([pool, micros]) => [pool, usdToWire(micros)]))
  },
  calculate: async ({ amounts }, { database, account }) => {
    const { tiers: known } = await pricesFor(database.db, account?.id ?? null)
    return amounts.map((amount) => volumeDiscountPpm(known, amount) / 1e6)
  },
} satisfies HandlersOf<typeof catalogWire>

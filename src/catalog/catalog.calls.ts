import type { catalogWire } from '#contract/catalog/calls'
import type { HandlersOf } from '#db/call'
import { usdToWire } from '#lib/money'
import { basePrices, tiers, volumeDiscountPpm } from './catalog.ts'

/** The catalog's calls: prices, and the discount for each of a list of amounts. */
export const catalogCalls = {
  prices: async (_input, { database }) => {
    const prices = await basePrices(database.db)
    return Object.fromEntries([...prices].map(([pool, micros]) => [pool, usdToWire(micros)]))
  },
  calculate: async ({ amounts }, { database }) => {
    const known = await tiers(database.db)
    return amounts.map((amount) => volumeDiscountPpm(known, amount) / 1e6)
  },
} satisfies HandlersOf<typeof catalogWire>

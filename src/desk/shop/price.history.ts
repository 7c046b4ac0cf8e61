/** What prices and tiers were before and after each change, from the audit trail. */
import type { DeskOutput } from '#contract/desk/contract'
import { pools } from '#contract/wire'
import type { listAudit } from '#staff'

type Entry = Awaited<ReturnType<typeof listAudit>>[number]
type Row = DeskOutput<'price_changes'>['rows'][number]

/** Prices and tiers as `change_prices` records them. */
interface Recorded {
  prices: Record<string, string>
  tiers: { fromGb: number; discountPpm: number }[]
}

/** One row for each price and each tier that the entry changed. */
export function changesOf(entry: Entry): Row[] {
  const [before, after] = [entry.before, entry.after] as unknown as [Recorded, Recorded]
  const common = {
    id: String(entry.id),
    at: entry.at.toISOString(),
    by: entry.actor_name,
    reason: entry.reason,
    pool: null,
    from_gb: null,
    before_micros: null,
    after_micros: null,
    before_ppm: null,
    after_ppm: null,
  }
  const ofPools = pools
    .map((pool) => ({
      ...common,
      pool,
      before_micros: before.prices[pool] ?? null,
      after_micros: after.prices[pool] ?? null,
    }))
    .filter((row) => row.before_micros !== row.after_micros)
  const discount = ({ tiers }: Recorded, gb: number) =>
    tiers.find(({ fromGb }) => fromGb === gb)?.discountPpm ?? null
  const ofTiers = [...new Set([...before.tiers, ...after.tiers].map(({ fromGb }) => fromGb))]
    .toSorted((a, b) => a - b)
    .map((gb) => ({
      ...common,
      from_gb: gb,
      before_ppm: discount(before, gb),
      after_ppm: discount(after, gb),
    }))
    .filter((row) => row.before_ppm !== row.after_ppm)
  return [...ofPools, ...ofTiers]
}

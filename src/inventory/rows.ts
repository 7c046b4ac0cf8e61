/** What an inventory consists of: rows of addresses, and names. */
import type { Pool } from '#contract/wire'

/** Some addresses of one place and network. Ids are those of the targeting grammar. */
export interface InventoryRow {
  pool: Pool
  country: string
  state: string | null
  city: string | null
  zip: string | null
  asn: number | null
  count: number
}

/** What ids and numbers are called; a place without a name shows its id, a network is "Unknown". */
export interface InventoryNames {
  /** States and cities; of several names of one, the first counts. */
  places: Iterable<{ id: string; nameRu: string; nameEn: string }>
  networks: Iterable<{ asn: number; name: string }>
}

export interface Inventory {
  rows: Iterable<InventoryRow> | AsyncIterable<InventoryRow>
  /** Asked for when all rows have been read, so that they may be gathered on the way. */
  names: () => InventoryNames
}

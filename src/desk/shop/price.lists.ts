/** Price lists and who has them; each change is recorded in its transaction. */
import type { Kysely } from 'kysely'
import { lockPerson } from '#accounts'
import {
  changePriceList,
  createPriceList,
  type ListTerms,
  lockPriceList,
  type PriceList,
  priceList,
  priceListOf,
  removePriceList,
  setPriceListOf,
} from '#catalog'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, record } from '#staff'

type Db = Kysely<DB>

export interface ListDraft extends ListTerms {
  name: string
}

/** A price list as the audit trail records it. */
export const recordedList = ({ name, prices, tiers }: ListDraft) => ({
  name,
  prices: [...prices]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([pool, price]) =>
      'offPpm' in price
        ? { pool, off_ppm: price.offPpm }
        : { pool, per_gb_micros: String(price.perGbMicros) },
    ),
  tiers:
    tiers === null
      ? null
      : tiers
          .toSorted((a, b) => a.fromGb - b.fromGb)
          .map(({ fromGb, discountPpm }) => ({ from_gb: fromGb, discount_ppm: discountPpm })),
})

const about = (id: bigint) => ({ subject: { kind: 'prices', id: String(id) } }) as const

/** Makes a price list. Refuses with `price_list_taken`. */
export function makeList(
  db: Db,
  author: Author,
  { reason, ...given }: ListDraft & { reason: string | null },
  now: Date,
): Promise<PriceList> {
  return transaction(db, async (tx) => {
    const made = await createPriceList(tx, given)
    if (made === null) throw new Refusal('price_list_taken', { name: given.name })
    const after = recordedList(made)
    await record(tx, author, { action: 'create_price_list', ...about(made.id), after, reason }, now)
    return made
  })
}

/** Locks a list. `version`: the one that the member saw; null: any version, for the command line. */
async function lockedList(tx: Db, id: bigint, version: number | null): Promise<PriceList> {
  const list = await lockPriceList(tx, id)
  if (list === null) throw new Refusal('price_list_not_found')
  if (version !== null && list.version !== version) throw new Refusal('price_list_changed')
  return list
}

/**
 * Changes a price list; open invoices keep their quote. Refuses with `price_list_not_found`,
 * `price_list_changed` and `price_list_taken`.
 */
export function changeList(
  db: Db,
  author: Author,
  change: {
    id: bigint
    version: number | null
    wanted: (now: PriceList) => ListDraft
    reason: string | null
  },
  now: Date,
): Promise<PriceList> {
  return transaction(db, async (tx) => {
    const { id, reason } = change
    const list = await lockedList(tx, id, change.version)
    const wanted = change.wanted(list)
    if (!(await changePriceList(tx, id, wanted))) throw new Refusal('price_list_taken', { name: wanted.name })
    const changed = await priceList(tx, id)
    if (changed === null) throw new Error(`price list ${id} is not there`)
    const entry = { action: 'change_price_list', ...about(id), reason }
    await record(tx, author, { ...entry, before: recordedList(list), after: recordedList(changed) }, now)
    return changed
  })
}

/**
 * Removes a price list that no customer has. Refuses with `price_list_not_found`, `price_list_changed` and
 * `price_list_in_use`.
 */
export function dropList(
  db: Db,
  author: Author,
  { id, version, reason }: { id: bigint; version: number | null; reason: string | null },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const list = await lockedList(tx, id, version)
    if (list.customers > 0n) throw new Refusal('price_list_in_use', { count: String(list.customers) })
    await removePriceList(tx, id)
    const before = recordedList(list)
    await record(tx, author, { action: 'remove_price_list', ...about(id), before, reason }, now)
  })
}

/**
 * Gives a customer a price list, or the shop's prices; open invoices keep their quote. False: they have it
 * already. Refuses with `customer_not_found`, `customer_erased` and `price_list_not_found`.
 */
export function assignList(
  db: Db,
  author: Author,
  { accountId, listId, reason }: { accountId: bigint; listId: bigint | null; reason: string | null },
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const person = await lockPerson(tx, accountId)
    if (person === null) throw new Refusal('customer_not_found')
    if (person.erasedAt !== null) throw new Refusal('customer_erased')
    const list = listId === null ? null : await lockedList(tx, listId, null)
    const before = await priceListOf(tx, accountId)
    if ((before?.id ?? null) === listId) return false
    await setPriceListOf(tx, { accountId, listId }, now)
    const entry = {
      action: 'assign_price_list',
      subject: { kind: 'customer', id: String(accountId) },
      accountId,
      before: { price_list: before?.name ?? null, list_id: before?.id ?? null },
      after: { price_list: list?.name ?? null, list_id: listId },
      reason,
    } as const
    await record(tx, author, entry, now)
    return true
  })
}

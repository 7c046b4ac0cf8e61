/** Changing what is offered: prices, promo codes, banners. Each change is recorded in its transaction. */
import { type Kysely, sql } from 'kysely'
import { basePrices, removePrice, removeTier, setPrice, setTier, type Tier, tiers } from '#catalog'
import { addBanner, ContentFault, listBanners, type NewBanner, removeBanner } from '#content'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { randomText } from '#lib/secret'
import { createCode, disableCode, type NewCode } from '#promo'
import { type Author, entryOfKey, record } from '#staff'

type Db = Kysely<DB>

/** All prices and tiers; a pool or tier that is left out is not on offer. */
export interface Prices {
  prices: Map<Pool, bigint>
  tiers: Tier[]
}

export async function readPrices(db: Db): Promise<Prices> {
  return { prices: await basePrices(db), tiers: await tiers(db) }
}

const plain = ({ prices, tiers: all }: Prices) => ({
  prices: Object.fromEntries(
    [...prices].toSorted(([a], [b]) => a.localeCompare(b)).map(([k, v]) => [k, String(v)]),
  ),
  tiers: all.toSorted((a, b) => a.fromGb - b.fromGb),
})

const same = (a: Prices, b: Prices) => JSON.stringify(plain(a)) === JSON.stringify(plain(b))

/**
 * Sets all prices and tiers. Refuses with `prices_changed` when they are not what `seen` says; open invoices keep their
 * quote.
 */
export function changePrices(
  db: Db,
  author: Author,
  { seen, wanted, reason }: { seen: Prices | null; wanted: (now: Prices) => Prices; reason: string | null },
  now: Date,
): Promise<Prices> {
  return transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('prices', 0))`.execute(tx)
    const before = await readPrices(tx)
    if (seen !== null && !same(seen, before)) throw new Refusal('prices_changed')
    const { prices, tiers: wantedTiers } = wanted(before)
    for (const pool of before.prices.keys()) if (!prices.has(pool)) await removePrice(tx, pool)
    for (const [pool, micros] of prices) await setPrice(tx, pool, micros)
    for (const { fromGb } of before.tiers)
      if (!wantedTiers.some((tier) => tier.fromGb === fromGb)) await removeTier(tx, fromGb)
    for (const tier of wantedTiers) await setTier(tx, tier)
    const after = await readPrices(tx)
    const entry = { action: 'change_prices', subject: { kind: 'prices', id: 'prices' } } as const
    await record(tx, author, { ...entry, before: plain(before), after: plain(after), reason }, now)
    return after
  })
}

export interface CodeOrder extends Omit<NewCode, 'code'> {
  codes: { kind: 'one'; code: string } | { kind: 'batch'; prefix: string; count: number }
  /** Made by the client; null: the command line. */
  key: string | null
}

/** No letters and digits that are mistaken for each other. */
const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 60 bits: the codes of a batch cannot be guessed. */
const codeLength = 12

/**
 * Makes a promo code, or a batch of random ones, all or none, and returns them; a repeated key returns the codes of then.
 * Refuses with `promo_code_taken` and `invalid_promo_code`.
 */
export function createCodes(db: Db, author: Author, order: CodeOrder, now: Date): Promise<string[]> {
  const { codes, key, ...rest } = order
  return transaction(db, async (tx) => {
    if (key !== null) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`act ${key}`}, 0))`.execute(tx)
      const known = await entryOfKey(tx, key)
      if (known !== null && known.action !== 'create_promo_codes') throw new Refusal('act_key_reused')
      if (known !== null) return (known.after as { codes: string[] }).codes
    }
    const names =
      codes.kind === 'one'
        ? [codes.code.trim()]
        : Array.from({ length: codes.count }, () => codes.prefix + randomText(codeLength, codeAlphabet))
    for (const code of names) {
      const outcome = await createCode(tx, { ...rest, code })
      if (outcome === 'malformed') throw new Refusal('invalid_promo_code')
      if (outcome === 'taken') throw new Refusal('promo_code_taken', { code })
    }
    const { grant, maxUses, expiresAt } = rest
    const after = {
      ...(key === null ? {} : { key }),
      codes: names,
      grant,
      max_uses: maxUses,
      expires_at: expiresAt,
    }
    const subject = {
      kind: 'promo_code',
      id: names.length === 1 ? (names[0] ?? '') : `${names.length} codes`,
    } as const
    await record(tx, author, { action: 'create_promo_codes', subject, after }, now)
    return names
  })
}

/** Ends a promo code; open invoices keep their discount. Refuses with `promo_code_not_found`. */
export function stopCode(
  db: Db,
  author: Author,
  { code, reason }: { code: string; reason?: string | undefined },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    if (!(await disableCode(tx, code, now))) throw new Refusal('promo_code_not_found')
    const subject = { kind: 'promo_code', id: code } as const
    await record(tx, author, { action: 'stop_promo_code', subject, reason: reason ?? null }, now)
  })
}

/** Adds a banner and returns its id. Refuses with `invalid_banner`, whose details say why. */
export async function publishBanner(db: Db, author: Author, banner: NewBanner, now: Date): Promise<bigint> {
  try {
    return await transaction(db, async (tx) => {
      const id = await addBanner(tx, banner)
      const { name, link, position, startsAt, endsAt } = banner
      const after = { name, link, position, starts_at: startsAt, ends_at: endsAt, bytes: banner.bytes.length }
      const subject = { kind: 'banner', id: String(id) } as const
      await record(tx, author, { action: 'publish_banner', subject, after }, now)
      return id
    })
  } catch (error) {
    if (error instanceof ContentFault) throw new Refusal('invalid_banner', { fault: error.message })
    throw error
  }
}

/** Removes a banner. Refuses with `banner_not_found`. */
export function dropBanner(db: Db, author: Author, id: bigint, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    const known = (await listBanners(tx)).find((banner) => banner.id === id)
    if (known === undefined || !(await removeBanner(tx, id))) throw new Refusal('banner_not_found')
    const before = { name: known.name, link: known.link }
    const subject = { kind: 'banner', id: String(id) } as const
    await record(tx, author, { action: 'remove_banner', subject, before }, now)
  })
}

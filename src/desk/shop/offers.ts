/** Changing what is offered: prices and promo codes. Each change is recorded in its transaction. */
import { type Kysely, sql } from 'kysely'
import { type Prices, removePrice, removeTier, setPrice, setTier, shopPrices } from '#catalog'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { randomText } from '#lib/secret'
import { createCode, disableBatch, disableCode, type Limits, limitCode, type NewCode } from '#promo'
import { type Author, record } from '#staff'
import { once } from '../lists/once.ts'

type Db = Kysely<DB>

const plain = ({ prices, tiers: all }: Prices) => ({
  prices: Object.fromEntries(
    [...prices].toSorted(([a], [b]) => a.localeCompare(b)).map(([k, v]) => [k, String(v)]),
  ),
  tiers: all.toSorted((a, b) => a.fromGb - b.fromGb),
})

const same = (a: Prices, b: Prices) => JSON.stringify(plain(a)) === JSON.stringify(plain(b))

/**
 * Sets all prices and tiers. Refuses with `prices_changed` when they are not what `seen` says; open invoices
 * keep their quote.
 */
export function changePrices(
  db: Db,
  author: Author,
  { seen, wanted, reason }: { seen: Prices | null; wanted: (now: Prices) => Prices; reason: string | null },
  now: Date,
): Promise<Prices> {
  return transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('prices', 0))`.execute(tx)
    const before = await shopPrices(tx)
    if (seen !== null && !same(seen, before)) throw new Refusal('prices_changed')
    const { prices, tiers: wantedTiers } = wanted(before)
    for (const pool of before.prices.keys()) if (!prices.has(pool)) await removePrice(tx, pool)
    for (const [pool, micros] of prices) await setPrice(tx, pool, micros)
    for (const { fromGb } of before.tiers)
      if (!wantedTiers.some((tier) => tier.fromGb === fromGb)) await removeTier(tx, fromGb)
    for (const tier of wantedTiers) await setTier(tx, tier)
    const after = await shopPrices(tx)
    const entry = { action: 'change_prices', subject: { kind: 'prices', id: 'prices' } } as const
    await record(tx, author, { ...entry, before: plain(before), after: plain(after), reason }, now)
    return after
  })
}

export interface CodeOrder extends Limits, Pick<NewCode, 'grant'> {
  codes: { kind: 'one'; code: string } | { kind: 'batch'; name: string | null; prefix: string; count: number }
  /** The request's key, made by the client; null: the command line. */
  key: string | null
}

/** Without letters and digits that are mistaken for each other. */
const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 60 bits: the codes of a batch cannot be guessed. */
const codeLength = 12

/**
 * Makes a promo code, or a batch of random ones, all or none, and returns them; a repeated request with the
 * same key returns the same codes. Refuses with `promo_code_taken`, `invalid_promo_code` and
 * `act_key_reused`.
 */
export function createCodes(db: Db, author: Author, order: CodeOrder, now: Date): Promise<string[]> {
  const { codes, key, ...rest } = order
  const action = 'create_promo_codes'
  const input = { codes, grant: rest.grant, ...recordedLimits(rest) }
  return transaction(db, async (tx) => {
    const make = async () => {
      const names =
        codes.kind === 'one'
          ? [codes.code.trim()]
          : Array.from({ length: codes.count }, () => codes.prefix + randomText(codeLength, codeAlphabet))
      const batch = codes.kind === 'batch' ? codes.name : null
      for (const code of names) {
        const outcome = await createCode(tx, { ...rest, code, batch })
        if (outcome === 'malformed') throw new Refusal('invalid_promo_code')
        if (outcome === 'taken') throw new Refusal('promo_code_taken', { code })
      }
      const answer = { codes: names }
      const after = { ...(key === null ? {} : { key }), input, answer }
      const subject = {
        kind: 'promo_code',
        id: batch ?? (names.length === 1 ? (names[0] ?? '') : `${names.length} codes`),
      } as const
      await record(tx, author, { action, subject, after }, now)
      return answer
    }
    return (key === null ? await make() : await once(tx, { action, key, author, input }, make)).codes
  })
}

const recordedLimits = ({ maxUses, usesPerPerson, firstPurchase, pools, expiresAt }: Limits) => ({
  max_uses: maxUses,
  uses_per_person: usesPerPerson,
  first_purchase: firstPurchase,
  pools,
  expires_at: expiresAt,
})

interface CodeChange extends Limits {
  code: string
  reason?: string | undefined
}

/**
 * Changes the limits of a code. Refuses with `promo_code_not_found`, `promo_uses_taken` and
 * `promo_limits_of_discounts`.
 */
export function changeCode(
  db: Db,
  author: Author,
  { code, reason, ...limits }: CodeChange,
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const outcome = await limitCode(tx, { code, limits }, now)
    if (outcome === 'unknown') throw new Refusal('promo_code_not_found')
    if (outcome === 'not_a_discount') throw new Refusal('promo_limits_of_discounts')
    if ('taken' in outcome) throw new Refusal('promo_uses_taken', { taken: String(outcome.taken) })
    const entry = {
      action: 'change_promo_code',
      subject: { kind: 'promo_code', id: outcome.before.code } as const,
      before: recordedLimits(outcome.before),
      after: recordedLimits(limits),
      reason: reason ?? null,
    }
    await record(tx, author, entry, now)
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

/**
 * Ends all codes of a batch at once; open invoices keep their discount. Returns the number of codes that
 * accepted orders before. Refuses with `promo_batch_not_found` when none of them did.
 */
export function stopBatch(
  db: Db,
  author: Author,
  { batch, reason }: { batch: string; reason?: string | undefined },
  now: Date,
): Promise<number> {
  return transaction(db, async (tx) => {
    const codes = await disableBatch(tx, batch, now)
    if (codes.length === 0) throw new Refusal('promo_batch_not_found')
    const subject = { kind: 'promo_code', id: batch } as const
    const entry = { action: 'stop_promo_batch', subject, after: { codes }, reason: reason ?? null }
    await record(tx, author, entry, now)
    return codes.length
  })
}

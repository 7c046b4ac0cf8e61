/** The desk's calls about prices and promo codes. */
import { type Prices, shopPrices } from '#catalog'
import type { DeskParsed } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { codeState, type Limits, type Promocode, searchCodes, usersOf, usesBetween } from '#promo'
import { campaigns, defaultSharePpm } from '#referral'
import { listAudit } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { leastPerGb, leastPrices, marginsOf, pricedSales } from './below.cost.ts'
import { changesOf } from './price.history.ts'
import { changeCode, changePrices, createCodes, stopBatch, stopCode } from './offers.ts'
import { preview } from './price.preview.ts'
import { setReferralShare } from './referral.share.ts'
import { periodOf } from '../reports/period.ts'
import { ownersOf } from '../lists/owners.ts'
import { amount, cursorOf, idAfter, iso, numbersAfter, pageOf, timeOrNull } from '../lists/page.ts'

const shownPrices = ({ prices, tiers }: Prices) => ({
  prices: [...prices].map(([pool, micros]) => ({ pool, per_gb_micros: amount(micros) })),
  tiers: tiers.map(({ fromGb, discountPpm }) => ({ from_gb: fromGb, discount_ppm: discountPpm })),
})

const pricesOf = ({ prices, tiers }: DeskParsed<'preview_prices'>): Prices => ({
  prices: new Map(prices.map(({ pool, per_gb_micros: micros }) => [pool, BigInt(micros)])),
  tiers: tiers.map(({ from_gb: fromGb, discount_ppm: discountPpm }) => ({ fromGb, discountPpm })),
})

const shownCode = (code: Promocode, now: Date) => ({
  id: String(code.id),
  code: code.code,
  state: codeState(code, now),
  batch: code.batch,
  discount_ppm: code.grant.kind === 'discount' ? code.grant.discountPpm : null,
  min_gb: code.grant.kind === 'discount' ? amount(code.grant.minGb) : null,
  pool: code.grant.kind === 'traffic' ? code.grant.pool : null,
  bytes: code.grant.kind === 'traffic' ? amount(code.grant.bytes) : null,
  uses: amount(code.uses),
  max_uses: code.maxUses === null ? null : amount(code.maxUses),
  uses_per_person: code.usesPerPerson,
  first_purchase: code.firstPurchase,
  pools: code.pools === null ? null : [...code.pools],
  expires_at: iso(code.expiresAt),
  created_at: code.createdAt.toISOString(),
})

const grantOf = ({ grant }: DeskParsed<'create_promo_codes'>) =>
  grant.kind === 'discount'
    ? { kind: 'discount' as const, discountPpm: grant.discount_ppm, minGb: BigInt(grant.min_gb) }
    : { kind: 'traffic' as const, pool: grant.pool, bytes: BigInt(grant.bytes) }

/** The limits as they are sent; those of discounts are left out for a traffic code. */
const limitsOf = (given: {
  max_uses: number | null
  uses_per_person: number
  expires_at: string | null
  first_purchase?: boolean
  pools?: readonly Pool[] | null
}): Limits => ({
  maxUses: given.max_uses === null ? null : BigInt(given.max_uses),
  usesPerPerson: given.uses_per_person,
  firstPurchase: given.first_purchase ?? false,
  pools: given.pools == null ? null : pools.filter((pool) => given.pools?.includes(pool)),
  expiresAt: timeOrNull(given.expires_at),
})

const priceCalls = {
  prices: async (_input, { database }) => shownPrices(await shopPrices(database.db)),
  price_changes: async ({ after, limit = 50 }, { database }) => {
    const entries = await listAudit(
      database.db,
      { action: 'change_prices' },
      { before: idAfter(after), limit: limit + 1 },
    )
    const { rows, next } = pageOf(entries, limit, { next: ({ id }) => String(id), shown: changesOf })
    return { rows: rows.flat(), next }
  },
  preview_prices: async (input, { database: { db }, now }) =>
    preview(await shopPrices(db), pricesOf(input), await leastPrices(db, now())),
  preview_discount: async (
    { discount_ppm: discountPpm, min_gb: minGb, pools: onlyPools },
    { database, now },
  ) => {
    const discount = { discountPpm, minGb: BigInt(minGb), pools: onlyPools }
    const least = await leastPrices(database.db, now())
    return pricedSales(await shopPrices(database.db), least, discount).map((sale) => ({
      pool: sale.pool,
      gb: sale.gb,
      per_gb_micros: amount(sale.perGbMicros),
      least_margin_per_gb_micros: amount(marginsOf(sale.perGbMicros, sale.least).lowest),
      below_cost: sale.isBelow,
      least_per_gb_micros: amount(leastPerGb(sale.least)),
      dearest_per_gb_micros: sale.least.dearest === null ? null : amount(sale.least.dearest.perGbMicros),
      dearest_exit: sale.least.dearest?.exit ?? null,
    }))
  },
  change_prices: async ({ seen, reason, ...wanted }, context) => {
    const change = { seen: pricesOf(seen), wanted: () => pricesOf(wanted), reason }
    return shownPrices(await changePrices(context.database.db, authorOf(context), change, context.now()))
  },
} satisfies Partial<DeskHandlers>

export const offerCalls = {
  ...priceCalls,
  promo_codes: async ({ after, limit = 50, text, state, batch }, { database, now }) => {
    const filter = { text, state, batch, before: idAfter(after), limit: limit + 1 }
    const rows = await searchCodes(database.db, filter, now())
    return pageOf(rows, limit, {
      next: (last) => String(last.id),
      shown: (code) => shownCode(code, now()),
    })
  },
  promo_code_uses: async ({ id, after, limit = 50 }, { database: { db } }) => {
    const place = numbersAfter(after)
    const from = place === null ? null : { accountId: place[0], nth: Number(place[1]) }
    const rows = await usersOf(db, BigInt(id), { after: from, limit: limit + 1 })
    const owners = await ownersOf(
      db,
      rows.map(({ accountId }) => accountId),
    )
    return pageOf(rows, limit, {
      next: ({ accountId, nth }) => cursorOf(String(accountId), String(nth)),
      shown: ({ accountId, isUsed, at, invoice }) => ({
        customer_id: String(accountId),
        customer_name: owners.get(accountId)?.username ?? null,
        state: isUsed ? ('used' as const) : ('held' as const),
        at: at.toISOString(),
        invoice_number: invoice,
      }),
    })
  },
  promo_code_days: async ({ id, from, until }, { database: { db }, zone }) => {
    const { days, starts } = periodOf(zone, from, until)
    const uses = await usesBetween(db, BigInt(id), starts)
    return { days: days.map((day, index) => ({ day, uses: amount(uses[index]) })) }
  },
  create_promo_codes: async (input, context) => {
    const { codes, key, grant } = input
    const limits = limitsOf(grant.kind === 'discount' ? { ...input, ...grant } : input)
    const order = { codes, key, grant: grantOf(input), ...limits }
    return { codes: await createCodes(context.database.db, authorOf(context), order, context.now()) }
  },
  change_promo_code: async ({ code, reason, ...limits }, context) => {
    const change = { code, reason, ...limitsOf(limits) }
    await changeCode(context.database.db, authorOf(context), change, context.now())
    return true as const
  },
  stop_promo_code: async (input, context) => {
    await stopCode(context.database.db, authorOf(context), input, context.now())
    return true as const
  },
  stop_promo_batch: async (input, context) => ({
    stopped: await stopBatch(context.database.db, authorOf(context), input, context.now()),
  }),
  campaigns: async (_input, { database }) => ({
    rows: (await campaigns(database.db)).map(({ code, signUps, buyers, revenueMicros }) => ({
      campaign: code,
      sign_ups: amount(signUps),
      buyers: amount(buyers),
      revenue_micros: amount(revenueMicros),
    })),
    next: null,
  }),
  referral_share: async (_input, { database }) => ({ share_ppm: await defaultSharePpm(database.db) }),
  set_referral_share: async ({ share_ppm: ppm, reason }, context) => {
    await setReferralShare(context.database.db, authorOf(context), { ppm, reason }, context.now())
    return true as const
  },
} satisfies Partial<DeskHandlers>

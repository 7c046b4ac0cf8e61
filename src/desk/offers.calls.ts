/** The desk's calls about prices, promo codes and banners. */
import { quote, volumeDiscountPpm } from '#catalog'
import { isShown, listBanners } from '#content'
import type { DeskParsed } from '#contract/desk/contract'
import { codeState, type Promocode, searchCodes } from '#promo'
import { authorOf, type DeskHandlers } from '#staff/call'
import {
  changePrices,
  createCodes,
  dropBanner,
  type Prices,
  publishBanner,
  readPrices,
  stopCode,
} from './offers.ts'
import { amount, idAfter, iso, pageOf } from './page.ts'

const shownPrices = ({ prices, tiers }: Prices) => ({
  prices: [...prices].map(([pool, micros]) => ({ pool, per_gb_micros: amount(micros) })),
  tiers: tiers.map(({ fromGb, discountPpm }) => ({ from_gb: fromGb, discount_ppm: discountPpm })),
})

const pricesOf = ({ prices, tiers }: DeskParsed<'preview_prices'>): Prices => ({
  prices: new Map(prices.map(({ pool, per_gb_micros: micros }) => [pool, BigInt(micros)])),
  tiers: tiers.map(({ from_gb: fromGb, discount_ppm: discountPpm }) => ({ fromGb, discountPpm })),
})

/** What a customer pays now and then, for one GB and at the first GB of each tier. */
function preview(now: Prices, then: Prices) {
  const amounts = [...new Set([1, ...[...now.tiers, ...then.tiers].map(({ fromGb }) => fromGb)])]
  const pools = [...new Set([...now.prices.keys(), ...then.prices.keys()])]
  const quoted = (at: Prices, pool: (typeof pools)[number], gb: number) => {
    const perGbMicros = at.prices.get(pool)
    if (perGbMicros === undefined) return null
    const discounts = { volumeDiscountPpm: volumeDiscountPpm(at.tiers, gb), promoDiscountPpm: 0 }
    return quote({ pool, gb: BigInt(gb), perGbMicros, ...discounts })
  }
  return pools.flatMap((pool) =>
    amounts
      .toSorted((a, b) => a - b)
      .map((gb) => {
        const [before, after] = [quoted(now, pool, gb), quoted(then, pool, gb)]
        return {
          pool,
          gb,
          now_micros: before === null ? null : amount(before.costMicros),
          then_micros: after === null ? null : amount(after.costMicros),
          then_per_gb_micros: after === null ? null : amount(after.costMicros / BigInt(gb)),
        }
      }),
  )
}

const shownCode = (code: Promocode, now: Date) => ({
  id: String(code.id),
  code: code.code,
  state: codeState(code, now),
  discount_ppm: code.grant.kind === 'discount' ? code.grant.discountPpm : null,
  min_gb: code.grant.kind === 'discount' ? amount(code.grant.minGb) : null,
  pool: code.grant.kind === 'traffic' ? code.grant.pool : null,
  bytes: code.grant.kind === 'traffic' ? amount(code.grant.bytes) : null,
  uses: amount(code.uses),
  max_uses: code.maxUses === null ? null : amount(code.maxUses),
  expires_at: iso(code.expiresAt),
  created_at: code.createdAt.toISOString(),
})

const grantOf = ({ grant }: DeskParsed<'create_promo_codes'>) =>
  grant.kind === 'discount'
    ? { kind: 'discount' as const, discountPpm: grant.discount_ppm, minGb: BigInt(grant.min_gb) }
    : { kind: 'traffic' as const, pool: grant.pool, bytes: BigInt(grant.bytes) }

const timeOrNull = (text: string | null) => (text === null ? null : new Date(text))

const priceCalls = {
  prices: async (_input, { database }) => shownPrices(await readPrices(database.db)),
  preview_prices: async (input, { database }) => preview(await readPrices(database.db), pricesOf(input)),
  change_prices: async ({ seen, reason, ...wanted }, context) => {
    const change = { seen: pricesOf(seen), wanted: () => pricesOf(wanted), reason }
    return shownPrices(await changePrices(context.database.db, authorOf(context), change, context.now()))
  },
} satisfies Partial<DeskHandlers>

export const offerCalls = {
  ...priceCalls,
  promo_codes: async ({ after, limit = 50, text, state }, { database, now }) => {
    const filter = { text, state, before: idAfter(after), limit: limit + 1 }
    const rows = await searchCodes(database.db, filter, now())
    return pageOf(rows, limit, {
      next: (last) => String(last.id),
      shown: (code) => shownCode(code, now()),
    })
  },
  create_promo_codes: async (input, context) => {
    const order = {
      codes: input.codes,
      grant: grantOf(input),
      maxUses: input.max_uses === null ? null : BigInt(input.max_uses),
      expiresAt: timeOrNull(input.expires_at),
      key: input.key,
    }
    return { codes: await createCodes(context.database.db, authorOf(context), order, context.now()) }
  },
  stop_promo_code: async (input, context) => {
    await stopCode(context.database.db, authorOf(context), input, context.now())
    return true as const
  },
  banners: async (_input, { database, now }) =>
    (await listBanners(database.db)).map((banner) => ({
      id: String(banner.id),
      name: banner.name,
      link: banner.link,
      content_type: banner.contentType,
      size_bytes: banner.sizeBytes,
      position: banner.position,
      starts_at: iso(banner.startsAt),
      ends_at: iso(banner.endsAt),
      state: isShown(banner, now())
        ? 'shown'
        : banner.startsAt !== null && now() < banner.startsAt
          ? 'to_come'
          : 'over',
    })),
  publish_banner: async (input, context) => {
    const banner = {
      name: input.name,
      link: input.link,
      bytes: Buffer.from(input.picture, 'base64'),
      position: input.position,
      startsAt: timeOrNull(input.starts_at),
      endsAt: timeOrNull(input.ends_at),
    }
    const id = await publishBanner(context.database.db, authorOf(context), banner, context.now())
    return { id: String(id) }
  },
  remove_banner: async ({ id }, context) => {
    await dropBanner(context.database.db, authorOf(context), BigInt(id), context.now())
    return true as const
  },
} satisfies Partial<DeskHandlers>

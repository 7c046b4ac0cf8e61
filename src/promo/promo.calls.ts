import { amountOf } from '#catalog'
import { trafficToWire } from '#contract/traffic'
import type { promoWire } from '#contract/promo/calls'
import { callerOf, type HandlersOf } from '#db/call'
import type { Secrets } from '#proxies'
import { activateTrafficCode, discountFor, type HasPurchased, slowGuesses } from './promo.ts'

/** The calls of promo codes: discount_promocode_info and activate_traffic_promocode. */
export function promoCalls({ secrets, hasPurchased }: { secrets: Secrets; hasPurchased: HasPurchased }) {
  return {
    discount_promocode_info: async ({ code, amount, pool = null }, context) => {
      const gb = amountOf(amount)
      const accountId = callerOf(context).id
      const discount = await slowGuesses(context, () =>
        discountFor(context.database.db, { code, accountId, gb, pool }, hasPurchased, context.now()),
      )
      return {
        discount: discount.discountPpm / 1e6,
        expires_at: discount.expiresAt?.toISOString() ?? null,
        max_uses: discount.maxUses === null ? null : Number(discount.maxUses),
        uses: Number(discount.uses),
        ...(discount.openInvoice === null ? {} : { open_invoice: discount.openInvoice }),
      }
    },
    activate_traffic_promocode: async ({ code }, context) => {
      const accountId = callerOf(context).id
      const given = await slowGuesses(context, () =>
        activateTrafficCode(
          context.database,
          secrets,
          { code, accountId, operation: context.operation ?? null },
          context.now(),
        ),
      )
      return { pool: given.pool, traffic: trafficToWire(given.bytes) }
    },
  } satisfies HandlersOf<typeof promoWire>
}

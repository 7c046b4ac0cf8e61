/**
 * Payments in Telegram Stars, for the bot: the check before a payment, and its settlement as that of any
 * processor.
 */
import { telegramAccount } from '#accounts/telegram'
import type { BotDeps } from '#bot'
import { ProcessorFault } from '#payments'
import { isStars } from '#payments/adapters'
import { findInvoice, settle } from '#purchase'
import { purchaseDeps, type Services } from './services.ts'

/** Null: the shop does not accept stars. */
export function starsDesk(services: Services, now: () => Date): BotDeps['stars'] {
  const method = services.methods.find('stars')
  if (!isStars(method)) return null
  const { database, log } = services
  const { db } = database
  return {
    priceOf: method.priceOf,
    obstacle: async ({ payerId, payload, currency, stars }) => {
      const order = method.payloadOf(payload)
      const invoice = order === null ? null : await findInvoice(db, order.number)
      if (order === null || invoice === null || invoice.method !== method.name) return 'unknown'
      const payer = await telegramAccount(db, payerId)
      if (payer === null || payer.id !== invoice.accountId) return 'another_owner'
      if (payer.blocked !== null) return 'blocked'
      if (invoice.state !== 'pending' || invoice.expiresAt <= now()) return 'closed'
      const isPrice = currency === 'XTR' && stars === order.stars && order.micros === invoice.costMicros
      return isPrice ? null : 'wrong_price'
    },
    settle: async ({ payload, ...paid }) => {
      const order = method.payloadOf(payload)
      const invoice = order === null ? null : await findInvoice(db, order.number)
      if (order === null || invoice === null) {
        log.error({ charge: paid.chargeId }, 'stars were paid for an invoice that the shop does not have')
        return null
      }
      method.note({ payload, ...paid })
      const id = invoice.externalId ?? payload
      // The list shows other payments for the same invoice. This payment counts even without the list.
      const finding = await (method.look?.(id) ?? null)?.catch((error: unknown) => {
        if (!(error instanceof ProcessorFault)) throw error
        return method.known(id)
      })
      if (finding !== null && finding !== undefined)
        await settle(database, purchaseDeps(services), method.name, finding, now())
      return { number: order.number, accountId: invoice.accountId }
    },
  }
}

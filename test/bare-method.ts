import type { PaymentMethod } from '#payments'

/** A processor that makes invoices and sends no notifications: tests settle them themselves. */
export const bareMethod = (name: string, currency: 'USD' | 'RUB' = 'USD'): PaymentMethod => ({
  name,
  currency,
  description: { ru: '', en: '' },
  create: async ({ number }) => ({ externalId: number, paymentUrl: `https://pay.example.net/${number}` }),
  prove: () => undefined,
  read: () => ({ kind: 'nothing', verdict: 'ignored' }),
})

/** A shop with one real processor adapter, and the actions of every processor's tests. */
import type { PaymentMethod } from '#payments'
import { type App, app, type Customer } from '#test/app'
import type { FakeProcessor } from './fake.ts'

/** A notification to be delivered. */
export interface Delivery {
  headers: Record<string, string>
  body: string
}

/** The differences between processors. */
export interface Driver {
  fake: FakeProcessor
  method: PaymentMethod
  /** The processor's ids of the objects it has created, the latest last. */
  made: () => string[]
  pay: (externalId: string) => void
  /** A genuine notification about a payment; each with its own `serial` is another event. */
  notify: (externalId: string, options?: { at?: Date; serial?: number }) => Delivery
  /** Changes the processor's record of the payment. */
  alter: (
    externalId: string,
    change: { currency?: string; amount?: string; number?: string; isTest?: true },
  ) => void
}

export interface Till extends Driver {
  shop: App
  /** Orders 10 GB residential, 35 USD; returns our number and the processor's id. */
  order: (customer: Customer) => Promise<{ number: string; externalId: string; paymentUrl: string }>
  /** Delivers a notification to the shop; returns the answer's status. */
  deliver: (delivery: Delivery) => Promise<number>
  invoice: (number: string) => Promise<{
    state: string
    received_micros: bigint
    credited_bytes: bigint
    external_id: string | null
    checked_verdict: string | null
  }>
  /** The verdicts on the notifications stored so far, the latest last. */
  verdicts: () => Promise<(string | null)[]>
  close: () => Promise<void>
}

export async function till(driver: Driver): Promise<Till> {
  const shop = await app({ methods: [driver.method] })
  const { db } = shop.database
  return {
    ...driver,
    shop,
    order: async ({ call }) => {
      let number = ''
      const paymentUrl = await call(
        'create_invoice_web',
        { payment_method: driver.method.name, amount: 10, pool: 'residential' },
        { onHeaders: (headers) => (number = headers.get('x-invoice-id') ?? '') },
      )
      const { external_id: externalId } = await db
        .selectFrom('invoice')
        .select('external_id')
        .where('number', '=', number)
        .executeTakeFirstOrThrow()
      return { number, externalId: externalId ?? '', paymentUrl }
    },
    deliver: async ({ headers, body }) => {
      const answer = await fetch(`${shop.origin}/api/webhooks/${driver.method.name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
      await answer.arrayBuffer()
      return answer.status
    },
    invoice: (number) =>
      db.selectFrom('invoice').selectAll().where('number', '=', number).executeTakeFirstOrThrow(),
    verdicts: async () =>
      (await db.selectFrom('webhook_event').select('verdict').orderBy('id').execute()).map(
        ({ verdict }) => verdict,
      ),
    close: async () => {
      await shop.close()
      driver.fake.stop()
    },
  }
}

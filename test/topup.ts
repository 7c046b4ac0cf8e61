/** A shop with saved payment methods at fake processors, for tests of automatic top-up. */
import { sql } from 'kysely'
import type { Output } from '#contract/contract'
import { parseCidr } from '#lib/ip'
import { setRate } from '#rates'
import { expireInvoices, reconcileInvoices } from '#purchase'
import { runTopUps, type TopUpDeps } from '#topup'
import { lease, settle } from '#traffic'
import { accountIdOf, app, type App, type Customer } from './app.ts'
import { FakeStripe } from './processors/stripe.ts'
import { FakeYookassa } from './processors/yookassa.ts'
import { line, newBoot } from './traffic.ts'
import { topUpDeps } from '../src/main/services.ts'
import { stripeMethod } from '../src/payments/adapters/stripe.ts'
import { yookassaMethod } from '../src/payments/adapters/yookassa.ts'

export const gb = 1_000_000_000n
const pool = 'residential'
const publicUrl = new URL('http://localhost:3000')

export type TopUps = Output<'get_top_ups'>

export interface TopUpShop {
  shop: App
  stripe: FakeStripe
  yookassa: FakeYookassa
  /** A customer with a confirmed e-mail address. */
  customer: () => Promise<Customer & { accountId: bigint }>
  /** Buys 1 GB, and agrees that the method is saved; the next run saves it. */
  order: (customer: Customer, method: 'card' | 'yookassa') => Promise<void>
  /** The same, and a run; returns the id of the saved method. */
  save: (customer: Customer, method?: 'card' | 'yookassa') => Promise<string>
  /** Switches it on, as a person does: reads the consent and agrees. */
  switchOn: (customer: Customer, terms?: Partial<Terms>) => Promise<TopUps>
  /** Uses this many bytes of the pool. */
  use: (accountId: bigint, bytes: bigint) => Promise<void>
  /** The arguments of the job. */
  deps: TopUpDeps
  /** One run of the job. */
  run: () => ReturnType<typeof runTopUps>
  /** Moves the shop's clock, and runs the due tasks of invoices. */
  later: (minutes: number) => Promise<void>
  /** The letters to a customer since the last call, by template. */
  letters: (customer: Customer) => Promise<{ template: string; data: Record<string, unknown> }[]>
  close: () => Promise<void>
}

interface Terms {
  pool: 'residential' | 'mobile' | 'datacenter'
  method_id: string
  below_bytes: number
  gb: number
  month_usd: number
}

/** `timeoutMs`: how long the shop waits for a processor. */
export async function topUpShop({ env = {}, timeoutMs = 1500 } = {}): Promise<TopUpShop> {
  const [stripe, yookassa] = [new FakeStripe(), new FakeYookassa()]
  await Promise.all([stripe.start(), yookassa.start()])
  const keys = {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    YOOKASSA_SHOP_ID: yookassa.shopId,
    YOOKASSA_SECRET_KEY: yookassa.secretKey,
    AUTO_TOP_UP: 'card,yookassa',
    DEMO: '0',
  }
  const networks = [parseCidr('127.0.0.1/32')].filter((network) => network !== null)
  const { secretKey, webhookSecret } = stripe
  const shop = await app({
    env: { ...keys, ...env },
    methods: [
      stripeMethod({ secretKey, webhookSecret, apiBase: stripe.url, publicUrl, timeoutMs }),
      yookassaMethod({
        shopId: yookassa.shopId,
        secretKey: yookassa.secretKey,
        apiBase: yookassa.url,
        networks,
        publicUrl,
        timeoutMs,
      }),
    ],
  })
  const { database, clock, services } = shop
  stripe.now = () => clock.now.getTime()
  const { db } = database
  await setRate(db, { currency: 'RUB', perUsdMicros: 100_000_000n, setAt: clock.now })
  const deps = topUpDeps(services)
  const run = () => runTopUps(database, deps, clock.now)
  const order: TopUpShop['order'] = async ({ call }, method) => {
    // Tests move the clock by months, and no order is taken at an old rate.
    await setRate(db, { currency: 'RUB', perUsdMicros: 100_000_000n, setAt: clock.now })
    const { save_consent: consent } = await call('get_top_ups', {})
    await call('create_invoice_web', {
      payment_method: method,
      amount: 1,
      pool,
      save_consent: consent.sha256,
    })
    const processor = method === 'card' ? stripe : yookassa
    processor.pay([...(method === 'card' ? stripe.sessions : yookassa.payments).keys()].at(-1) ?? '')
    await reconcileInvoices(database, deps, new Date(clock.now.getTime() + 60_000))
  }
  return {
    shop,
    stripe,
    yookassa,
    deps,
    run,
    order,
    customer: async () => {
      const customer = await shop.customer()
      const accountId = BigInt(await accountIdOf(customer))
      await sql`update account set email_confirmed_at = now() where id = ${accountId}`.execute(db)
      return { ...customer, accountId }
    },
    save: async (customer, method = 'card') => {
      await order(customer, method)
      await run()
      return (await customer.call('get_top_ups', {})).saved.at(-1)?.id ?? ''
    },
    switchOn: async ({ call }, terms = {}) => {
      const { saved } = await call('get_top_ups', {})
      const usual = { pool, below_bytes: Number(gb) / 2, gb: 1, month_usd: 100 } as const
      const wish = { ...usual, method_id: saved.at(-1)?.id ?? '', ...terms }
      const { sha256 } = await call('top_up_consent', wish)
      return call('set_top_up', { ...wish, consent: sha256 })
    },
    use: async (accountId, bytes) => {
      const { id: access } = await db
        .selectFrom('access')
        .select('id')
        .where('account_id', '=', accountId)
        .where('pool', '=', pool)
        .executeTakeFirstOrThrow()
      const boot = newBoot()
      for (let left = bytes; left > 0n;) {
        const { lease: held, granted_bytes: granted } = await lease(db, boot, { access, want_bytes: left })
        if (granted <= 0n) throw new Error('there is not as much traffic')
        const used = granted < left ? granted : left
        await settle(db, [boot.report([line(held, access, used, { close: true })], { at_ms: Date.now() })])
        left -= used
      }
    },
    later: async (minutes) => {
      clock.now = new Date(clock.now.getTime() + minutes * 60_000)
      await expireInvoices(db, clock.now)
      await reconcileInvoices(database, deps, clock.now)
    },
    letters: async ({ email }) => {
      const { rows } = await sql<{ template: string; data: Record<string, unknown> }>`
        with taken as (delete from mail where recipient = ${email} returning *)
        select template, data from taken order by created_at, id`.execute(db)
      return rows
    },
    close: async () => {
      await shop.close()
      stripe.stop()
      yookassa.stop()
    },
  }
}

/** A shop whose receipts YooKassa registers, with a rate of the rouble. */
import { setRate } from '#rates'
import { type App, app } from '#test/app'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import type { FakeYookassa } from './yookassa.ts'

/** Starts the fake, which registers receipts from then on, and the shop that sells through it. */
export async function fiscalShop(fake: FakeYookassa): Promise<App> {
  await fake.start()
  fake.fiscalises = true
  const { shopId, secretKey, url: apiBase } = fake
  const publicUrl = new URL('http://localhost:3000')
  const method = yookassaMethod({ shopId, secretKey, apiBase, networks: [], publicUrl, timeoutMs: 800 })
  const shop = await app({
    methods: [method],
    env: {
      YOOKASSA_SHOP_ID: shopId,
      YOOKASSA_SECRET_KEY: secretKey,
      RECEIPTS: 'yookassa',
      RECEIPTS_VAT_CODE: '11',
    },
  })
  await setRate(shop.database.db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: new Date() })
  return shop
}

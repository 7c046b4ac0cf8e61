import { afterAll, beforeAll, expect, it } from 'vitest'
import { transaction } from '#db'
import { storeVariables } from '#settings'
import { app, type App } from '#test/app'
import { Stopper } from './process/stop.ts'
import { renewed, renewedLater, watchVariables } from './renewal.ts'

let shop: App
const stopper = new Stopper()
beforeAll(async () => {
  shop = await app()
  await watchVariables(shop.services, stopper)
})
afterAll(async () => {
  await stopper.stop(shop.services.log)
  await shop.close()
})

const store = (values: Record<string, string | null>) =>
  transaction(shop.database.db, (tx) =>
    storeVariables(tx, shop.services.secrets, { values, by: 'owner', reason: 'a test' }, shop.clock.now),
  )

it('functions that capture settings are built anew with each change, and callers keep their object', async () => {
  const { services } = shop
  const build = () => {
    const { address } = services.settings.mail.from
    return { sender: () => address }
  }
  const now = renewed(services, build)
  const later = await renewedLater(services, async () => build())
  const sender = { SMTP_URL: 'smtp://localhost', MAIL_FROM: 'first@shop.example.net' }
  await store(sender)
  await expect.poll(() => [now.sender(), later.sender()]).toEqual([sender.MAIL_FROM, sender.MAIL_FROM])
  await store({ MAIL_FROM: 'second@shop.example.net' })
  await expect.poll(() => later.sender()).toBe('second@shop.example.net')
  await store({ SMTP_URL: null, MAIL_FROM: null })
  await expect.poll(() => now.sender()).toBe('no-reply@localhost')
})

it('a change that does not fit leaves the settings as they are, and the next one that fits is taken over', async () => {
  const { services } = shop
  await store({ TELEGRAM_BOT_TOKEN: 'no token', TELEGRAM_BOT_NAME: 'shop_bot' })
  await store({ TELEGRAM_BOT_TOKEN: `1:${'a'.repeat(35)}` })
  await expect.poll(() => services.settings.telegram.botName).toBe('shop_bot')
  expect(services.settings.telegram.token).toBe(`1:${'a'.repeat(35)}`)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { readAlertSettings } from './settings.ts'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  const env = {
    DEMO: '0',
    TELEGRAM_BOT_TOKEN: '424242:AAFakeTokenOfATestBot_0123456789abc',
    TELEGRAM_BOT_NAME: 'a_shop_bot',
  }
  shop = await app({ env })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const stored = async () => (await readAlertSettings(shop.database.db)).language

it('the group starts in the language of who asks for its code, and keeps what was chosen', async () => {
  const { call } = owner
  expect(await stored()).toBe('ru')
  // The desk of the tests speaks English.
  const shown = await call('alert_settings', {})
  expect(shown.language).toBe('en')
  await call('make_alert_code', {})
  expect(await stored()).toBe('en')

  const { quiet, digest, group_off } = shown
  await call('set_alert_settings', { language: 'ru', quiet, digest, group_off })
  await call('make_alert_code', {})
  expect(await stored()).toBe('ru')
  expect((await call('alert_settings', {})).language).toBe('ru')
})

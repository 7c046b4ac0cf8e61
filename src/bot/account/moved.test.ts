/** Buttons that were shown for an account which the person has left since, over the fake Telegram. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { linkTelegram } from '#accounts/telegram'
import { type BotShop, botShop } from '#test/bot'
import { plainOf, type TelegramPerson } from '#test/telegram'
import { marked } from '../base/mark.ts'

let desk: BotShop
beforeAll(async () => {
  desk = await botShop()
})
afterAll(() => desk.close())
afterEach(() => expect(desk.telegram.errors.splice(0)).toEqual([]))

/** A customer with a frozen proxy user, caps and an address in the whitelist; the same for each. */
async function furnished() {
  const customer = await desk.shop.customer()
  await customer.call('change_language', { code: 'eng' })
  await desk.shop.buy(customer, { pool: 'residential', gb: 10 })
  await customer.call('create_proxy_user', { pool: 'residential', label: 'crew' })
  await customer.call('set_pool_limits', { pool: 'residential', day_bytes: 1e9 })
  await customer.call('add_ip_to_whitelist', { pool: 'residential', ip: '8.8.4.4' })
  const state = async () => [
    await customer.call('get_proxy_users', { pool: 'residential', passwords: true }),
    await customer.call('get_pool_limits', { pool: 'residential' }),
    await customer.call('get_whitelist_ips', { pool: 'residential' }),
  ]
  return { ...customer, state }
}
async function link(person: TelegramPerson, { call }: Awaited<ReturnType<typeof furnished>>) {
  const code = (await call('legacy_profile', {}))[0]?.tgcode ?? ''
  const { database, services, clock } = desk.shop
  await linkTelegram(database.db, services.secrets, { telegramUserId: BigInt(person.id), code }, clock.now)
}

it('buttons that change something act only on the account for which they were shown', async () => {
  const [first, second] = [await furnished(), await furnished()]
  const person = desk.telegram.person({ language_code: 'en' })
  await link(person, first)
  person.say('/help')
  let count = 1
  await person.hears(count)
  const changing: string[] = []
  for (const [screen, label] of [
    ['pu:residential:1', 'Freeze'],
    ['pur:residential:1', 'Change it'],
    ['pul:residential:1:day', '5 GB'],
    ['pue:residential:1', '7 days'],
    ['pud:residential:1', 'Delete it for good'],
    ['cap:residential:day', '50 GB'],
    ['caps:residential', 'Raise the limit for today'],
    ['wl:residential', '✕ 8.8.4.4'],
  ] as const) {
    person.pressData(screen)
    const { buttons } = await person.hears(++count)
    const data = buttons.find(({ text }) => text === label)?.callback_data
    changing.push(data ?? '')
  }
  person.say('/unlink')
  changing.push((await person.hears(++count)).buttons[0]?.callback_data ?? '')
  expect(changing.filter((data) => data !== '')).toHaveLength(9)
  // Telegram accepts at most 64 bytes.
  expect(marked('pul=:residential_premium:12345678901:month:999999', 1n).length).toBeLessThanOrEqual(64)

  await link(person, second)
  const before = await second.state()
  for (const data of changing) {
    // The limit of messages in a minute is not reached.
    desk.shop.clock.now = new Date(desk.shop.clock.now.getTime() + 61_000)
    person.pressData(data)
    const { text, buttons } = await person.hears(++count)
    expect(plainOf(text), data).toContain(`not made for the account ${second.username}`)
    expect(buttons.map((button) => button.text)).toContain('Balance')
    // Each press shows the same text; a screen in between avoids Telegram's refusal of an equal one.
    person.pressData('language')
    await person.hears(++count)
  }
  expect(await second.state()).toEqual(before)
  expect((await second.call('legacy_profile', {}))[0]?.tgcode).toBeNull()
})

/** The account in the chat, over the fake Telegram: each screen, and forged buttons. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { telegramAccount } from '#accounts/telegram'
import { createPriceList, setPriceListOf } from '#catalog'
import { makeDocuments } from '#documents'
import { seedDemoInventory } from '#inventory'
import { capsOf, raisedDay } from '#limits'
import { findInvoice } from '#purchase'
import { accountIdOf, type Customer } from '#test/app'
import { type BotShop, botShop } from '#test/bot'
import { plainOf, type TelegramPerson } from '#test/telegram'
import { marked } from '../base/mark.ts'

let desk: BotShop
beforeAll(async () => {
  desk = await botShop()
  await seedDemoInventory(desk.shop.database)
})
afterAll(() => desk.close())
afterEach(() => expect(desk.telegram.errors.splice(0)).toEqual([]))

/** A customer who has bought traffic of a pool; the bot has sent two messages. */
async function buyer(): Promise<{ customer: Customer; person: TelegramPerson; number: string }> {
  const { customer, person } = await desk.linked()
  const number = await desk.shop.buy(customer, { pool: 'residential', gb: 10 })
  return { customer, person, number }
}
/** Presses a button with this data and returns the n-th text shown. */
const pressed = async (person: TelegramPerson, data: string, count: number) => {
  person.pressData(data)
  return person.hears(count)
}
/** The data of a button that changes something, as it is shown to this person. */
async function act(person: TelegramPerson, data: string): Promise<string> {
  const account = await telegramAccount(desk.shop.database.db, BigInt(person.id))
  return marked(data, account?.id ?? 0n)
}
const newest = (person: TelegramPerson) => person.heard().at(-1)

it('prices are those of the price list of the customer', async () => {
  const { customer, person } = await desk.linked()
  const list = await createPriceList(desk.shop.database.db, {
    name: 'Friends',
    prices: new Map([['residential', { perGbMicros: 1_250_000n }]]),
    tiers: null,
  })
  const accountId = BigInt(await accountIdOf(customer))
  const listId = list?.id ?? null
  await setPriceListOf(desk.shop.database.db, { accountId, listId }, desk.shop.clock.now)
  person.say('/buy')
  expect(plainOf((await person.hears(3)).text)).toContain('Residential: $1.25')
})

describe('invoices', () => {
  it('are listed and shown, in one message', async () => {
    const { person, customer } = await buyer()
    const [paid] = await customer.call('invoices', {})
    const number = paid?.number ?? ''
    person.say('/invoices')
    const { buttons } = await person.hears(3)
    expect(buttons[0]).toEqual({
      text: '10 GB · Residential · $35.00 · paid',
      callback_data: `inv:${number}`,
    })
    person.press(buttons[0]?.text ?? '')
    const shown = await person.hears(4)
    expect(shown.edits).toBe(1)
    expect(plainOf(shown.text)).toContain('Received: $35.00')
    expect(plainOf(shown.text)).toContain('Status: paid')
  })

  it('that wait are paid on the site, and in stars in Telegram only', async () => {
    const { person, customer } = await desk.linked()
    await customer.call('create_invoice_web', { payment_method: 'sandbox', amount: 1, pool: 'mobile' })
    const [open] = await customer.call('invoices', {})
    const { buttons } = await pressed(person, `inv:${open?.number}`, 3)
    expect(buttons[0]).toEqual({
      text: 'Pay',
      url: `https://shop.example.net/account?invoice=${open?.number}`,
    })
  })

  it('of another customer are refused like ones that do not exist', async () => {
    const { customer } = await buyer()
    const [theirs] = await customer.call('invoices', {})
    const { person } = await buyer()
    const refusal = (await pressed(person, 'inv:00000000000000000000', 3)).text
    for (const [index, data] of [
      `inv:${theirs?.number}`,
      `invs:${theirs?.number}`,
      `doc:${theirs?.number}:1`,
    ].entries())
      expect((await pressed(person, data, 4 + index)).text).toBe(refusal)
    expect(refusal).toContain('nvoice')
  })

  it('send their document as a file', async () => {
    const { person, customer } = await buyer()
    const [paid] = await customer.call('invoices', {})
    const number = paid?.number ?? ''
    const { database } = desk.shop
    const invoice = await findInvoice(database.db, number)
    await makeDocuments(database, { zone: 'UTC', isDemo: true }, invoice?.id ?? 0n, new Date())
    const shown = await pressed(person, `inv:${number}`, 3)
    const button = shown.buttons.find(({ text }) => text.startsWith('Document'))
    person.press(button?.text ?? '')
    const sent = await person.hears(4)
    expect(sent.file?.name).toMatch(/\.pdf$/)
    expect(sent.file?.bytes.subarray(0, 5).toString()).toBe('%PDF-')
    // The same document under the number of another invoice of the customer.
    await desk.shop.buy(customer, { pool: 'residential', gb: 1 })
    const [other] = await customer.call('invoices', {})
    const id = button?.callback_data?.split(':')[2]
    expect((await pressed(person, `doc:${other?.number}:${id}`, 5)).file).toBeUndefined()
  })
})

describe('the whitelist', () => {
  it('takes an address in writing, and removes it by its button', async () => {
    const { person, customer } = await buyer()
    person.say('/account')
    await person.hears(3)
    person.press('Whitelist')
    expect((await person.hears(4)).text).toContain('Empty so far')
    person.press('+ Add an address')
    expect((await person.hears(5)).text).toContain('such as 203.0.113.7')
    person.say('no address')
    expect((await person.hears(6)).text).toContain('send it again')
    person.say('8.8.4.4')
    const list = await person.hears(7)
    expect(list.buttons[0]).toEqual({
      text: '✕ 8.8.4.4',
      callback_data: await act(person, 'wl-:residential:8.8.4.4'),
    })
    expect(await customer.call('get_whitelist_ips', { pool: 'residential' })).toEqual(['8.8.4.4'])
    // The question is answered: the same text is now an ordinary message.
    person.say('8.8.8.8')
    expect((await person.hears(8)).text).toContain('/balance')
    person.press('✕ 8.8.4.4')
    expect((await person.hears(9)).text).toContain('Empty so far')
  })

  it('refuses private addresses and pools without access in a sentence', async () => {
    const { person } = await buyer()
    await pressed(person, 'wl+:residential', 3)
    person.say('10.0.0.1')
    expect((await person.hears(4)).text).not.toContain('Whitelist')
    await pressed(person, 'wl+:mobile', 5)
    person.say('8.8.4.4')
    expect((await person.hears(6)).text).not.toContain('Whitelist')
    expect((await pressed(person, 'wl:no_such_pool', 7)).text).toContain('out of date')
  })
})

describe('limits', () => {
  it('are set by a button and in writing, and removed', async () => {
    const { person, customer } = await buyer()
    expect(plainOf((await pressed(person, 'caps', 3)).text)).toContain('Per day: 0 GB (no limit)')
    person.press('day')
    await person.hears(4)
    person.press('5 GB')
    expect(plainOf((await person.hears(5)).text)).toContain('Per day: 0 GB of 5.00 GB')
    person.press('month')
    await person.hears(6)
    person.say('2,5 GB')
    await person.hears(7)
    const limits = () => customer.call('get_pool_limits', { pool: 'residential' })
    expect(await limits()).toMatchObject({ day_bytes: 5e9, month_bytes: 2_500_000_000, hour_bytes: null })
    expect(
      plainOf((await pressed(person, await act(person, 'cap=:residential:day:none'), 8)).text),
    ).toContain('(no limit)')
    expect(await limits()).toMatchObject({ day_bytes: null })
    // Above the limit of the call, and for a pool without access.
    expect((await pressed(person, await act(person, 'cap=:residential:day:0'), 9)).text).not.toContain(
      'Traffic limits',
    )
    expect((await pressed(person, await act(person, 'cap=:mobile:day:5'), 10)).text).not.toContain(
      'Traffic limits',
    )
  })

  it('of a day are doubled once for that day, also by two presses, and apply unchanged the next day', async () => {
    const { person, customer } = await buyer()
    await customer.call('set_pool_limits', { pool: 'residential', day_bytes: 1e9 })
    const { db } = desk.shop.database
    const { rows } = await desk.shop.database.pool.query<{ id: bigint }>(
      `select id from access where account_id = (select account_id from telegram_identity where telegram_user_id = $1)`,
      [person.id],
    )
    const accessId = rows[0]?.id ?? 0n
    const now = desk.shop.clock.now
    const day = now.toISOString().slice(0, 10)
    const capAt = (at: Date) => raisedDay(db, { accessId, now: at })
    expect(await capAt(now)).toBe(1_000_000_000n)
    person.pressData(await act(person, `raise:residential:${day}`))
    person.pressData(await act(person, `raise:residential:${day}`))
    // The second press shows the same text; Telegram answers that the message is not modified.
    await expect.poll(() => desk.telegram.errors.splice(0).length).toBe(1)
    expect(plainOf(newest(person)?.text ?? '')).toContain('the limit is 2.00 GB')
    expect(await capAt(now)).toBe(2_000_000_000n)
    expect((await capsOf(db, [accessId], now))[0]?.dayBytes).toBe(2_000_000_000n)
    const tomorrow = new Date(now.getTime() + 86_400_000)
    expect(await capAt(tomorrow)).toBe(1_000_000_000n)
    // The button of another day, and one of a pool that the customer does not have.
    const yesterday = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10)
    expect((await pressed(person, await act(person, `raise:mobile:${day}`), 4)).text).toContain(
      'nothing to raise',
    )
    person.say('/terms')
    await person.hears(5)
    expect((await pressed(person, await act(person, `raise:residential:${yesterday}`), 6)).text).toContain(
      'nothing to raise',
    )
    // When the customer sets the cap again, the raise for today ends.
    await customer.call('set_pool_limits', { pool: 'residential', day_bytes: 3e9 })
    expect(await capAt(now)).toBe(3_000_000_000n)
  })
})

describe('proxy users', () => {
  it('are made, frozen and given new passwords, which are shown once and can be deleted', async () => {
    const { person, customer } = await buyer()
    await pressed(person, 'pu', 3)
    person.press('+ New user')
    await person.hears(4)
    person.say('<b>crew</b>')
    const made = await person.hears(5)
    const [user] = (await customer.call('get_proxy_users', { pool: 'residential', passwords: true })).users
    expect(plainOf(made.text)).toContain(`Password: ${user?.password}`)
    expect(plainOf(made.text)).toContain('<b>crew</b>')
    person.press('Delete this message')
    await expect
      .poll(() => person.heard().some(({ text }) => text.includes(user?.password ?? '')))
      .toBe(false)
    const first = `pu:residential:${user?.number}`
    person.pressData(first)
    await expect.poll(() => newest(person)?.text).toContain('Used: 0 GB')
    expect(newest(person)?.text).not.toContain(user?.password ?? '')
    person.press('Freeze')
    await expect.poll(() => newest(person)?.text).toContain('(frozen)')
    person.press('New password')
    await expect.poll(() => newest(person)?.text).toContain('Change the password')
    person.press('Change it')
    await expect.poll(() => newest(person)?.text).toContain('Password:')
    const [after] = (await customer.call('get_proxy_users', { pool: 'residential', passwords: true })).users
    expect(after).toMatchObject({ frozen: true })
    expect(after?.password).not.toBe(user?.password)
  })

  it('have their password removed from a message that Telegram no longer deletes', async () => {
    const { person, customer } = await buyer()
    await pressed(person, 'pu+:residential', 3)
    person.say('crew')
    await person.hears(4)
    const [user] = (await customer.call('get_proxy_users', { pool: 'residential', passwords: true })).users
    const description = "Bad Request: message can't be deleted for everyone"
    desk.telegram.failNext('deleteMessage', { status: 400, description })
    person.press('Delete this message')
    const edited = await person.hears(5)
    expect(edited.text).toContain('The password has been removed')
    expect(edited.buttons.map(({ text }) => text)).toEqual(['« Menu'])
    expect(
      person
        .heard()
        .map(({ text }) => text)
        .join(),
    ).not.toContain(user?.password ?? '')
    expect(desk.telegram.errors.splice(0)).toEqual([`deleteMessage: ${description}`])
  })

  it('get limits and a term by button or message, show them, and are deleted after a confirmation', async () => {
    const { person, customer } = await buyer()
    const { number } = await customer.call('create_proxy_user', { pool: 'residential', label: 'crew' })
    const user = async () =>
      (await customer.call('get_proxy_users', { pool: 'residential', passwords: true })).users[0]
    const shown = async (data: string, text: string) => {
      const named = data.replace('$', `:residential:${number}`)
      person.pressData(/[=!]/.test(data) ? await act(person, named) : named)
      await expect.poll(() => plainOf(newest(person)?.text ?? '')).toContain(text)
    }
    await shown('pu$', 'Does not expire')
    person.press('Limits')
    await expect.poll(() => newest(person)?.text).toContain('Which limit')
    person.press('per day')
    await expect.poll(() => newest(person)?.text).toContain('use per day?')
    person.press('5 GB')
    await expect.poll(() => newest(person)?.text).toContain('Today: 0 GB of 5.00 GB')
    await shown('pul$:total', 'use in total?')
    person.say('a lot')
    await expect.poll(() => newest(person)?.text).toContain('send it again')
    person.say('2,5')
    await expect.poll(() => newest(person)?.text).toContain('Used: 0 GB of 2.50 GB')
    expect(await user()).toMatchObject({ total_bytes: 2_500_000_000, day_bytes: 5e9, month_bytes: null })
    await shown('pul=$:day:none', 'Used: 0 GB of 2.50 GB')
    await shown('pul=$:total:0', 'limit reached')
    expect(await user()).toMatchObject({ total_bytes: 0, day_bytes: null })

    person.press('Expiry')
    await expect.poll(() => newest(person)?.text).toContain('How much longer')
    person.press('7 days')
    const expires = new Date(desk.shop.clock.now.getTime() + 7 * 86_400_000).toISOString()
    await expect.poll(() => newest(person)?.text).toContain(expires.slice(0, 10))
    expect((await user())?.expires_at?.slice(0, 16)).toBe(expires.slice(0, 16))
    await shown('pue=$:none', 'Does not expire')
    await shown('pue=$:0', 'expired')
    await shown('puu$', 'No traffic on these days')

    await shown('pud$', 'Delete crew?')
    expect(await user()).toBeDefined()
    person.press('Delete it for good')
    await expect.poll(() => newest(person)?.text).toContain('Proxy users')
    expect(await user()).toBeUndefined()
    // Presses the button again, under an older message.
    await shown('pud!$', 'no such')
  })

  it('of another customer are not reached, whatever the button says', async () => {
    const { customer } = await buyer()
    await customer.call('create_proxy_user', { pool: 'residential', label: 'theirs' })
    const [theirs] = (await customer.call('get_proxy_users', { pool: 'residential', passwords: true })).users
    const { person } = await buyer()
    for (const [index, data] of [
      'pu:residential:1',
      'puf:residential:1:on',
      'pur:residential:1',
      'pur!:residential:1',
      'pul:residential:1',
      'pul:residential:1:day',
      'pul=:residential:1:day:1',
      'pue:residential:1',
      'pue=:residential:1:1',
      'puu:residential:1',
      'pud:residential:1',
      'pud!:residential:1',
    ].entries())
      expect(
        (await pressed(person, /[=!]|^puf/.test(data) ? await act(person, data) : data, 3 + index)).text,
      ).not.toContain('theirs')
    const [same] = (await customer.call('get_proxy_users', { pool: 'residential', passwords: true })).users
    expect(same).toEqual(theirs)
  })
})

describe('many lines', () => {
  it('are a message when they are few and a file when they are many, in the requested number', async () => {
    const { person } = await buyer()
    person.pressData('gen:residential:any:r:10:1')
    expect(plainOf((await person.hears(3)).text)).toContain('Lines: 10')
    person.press('30 min')
    expect(plainOf((await person.hears(4)).text)).toContain('The same address for 30 min')
    person.press('Get the lines: 10')
    const few = await person.hears(5)
    expect(/<pre>([^<]*)<\/pre>/.exec(few.text)?.[1]?.split('\n')).toHaveLength(10)
    expect(few.text).toMatch(/-ttl-30|ttl/)
    const many = await pressed(person, 'get:residential:any:r:1000:0', 6)
    expect(many.file?.name).toBe('residential-any-1000.txt')
    expect(many.file?.bytes.toString().trim().split('\n')).toHaveLength(1000)
    const files = () => desk.telegram.calls.filter(({ method }) => method === 'sendDocument').length
    const before = files()
    for (const [index, data] of [
      'get:residential:any:r:9999:0',
      'get:residential:any:7:10:0',
      'get:nothing:any:r:10:0',
      // hostname:port, which has no credentials.
      'get:residential:any:r:10:4',
    ].entries()) {
      expect((await pressed(person, data, 7 + 2 * index)).text).toContain('out of date')
      person.say('/terms')
      await person.hears(8 + 2 * index)
    }
    expect(files()).toBe(before)
  })

  it('of a country that is found by its name', async () => {
    const { person } = await buyer()
    await pressed(person, 'find:residential', 3)
    person.say('Nowhereland')
    expect((await person.hears(4)).text).toContain('no such country')
    person.say('germ')
    expect((await person.hears(5)).buttons[0]).toEqual({
      text: 'Germany',
      callback_data: 'line:residential:de:r',
    })
    person.press('Germany')
    await person.hears(6)
    person.press('Many lines')
    expect(plainOf((await person.hears(7)).text)).toContain('Residential, Germany')
  })
})

describe('usage', () => {
  it('is a picture with the totals under it, of 7 or 30 days', async () => {
    const { person } = await buyer()
    person.say('/usage')
    const week = await person.hears(3)
    expect(week.file?.name).toMatch(/^usage-\d{4}-\d{2}-\d{2}-7\.png$/)
    expect(week.text).toContain('In 7 days: 0 GB')
    person.press('30 days')
    const month = await person.hears(4)
    expect(month.text).toContain('In 30 days')
    // PNG: 1200 by 675.
    expect([month.file?.bytes.readUInt32BE(16), month.file?.bytes.readUInt32BE(20)]).toEqual([1200, 675])
    // With one pool there is no choice of pools.
    expect(month.buttons.map(({ text }) => text)).toEqual(['7 days', '« Menu'])
    // The menu is sent as a new message, because a picture cannot become a text.
    person.press('« Menu')
    expect((await person.hears(5)).edits).toBe(0)
  })
})

describe('usage of several pools', () => {
  it('shows all pools, or the chosen one', async () => {
    const { person, customer } = await buyer()
    await desk.shop.buy(customer, { pool: 'mobile', gb: 1 })
    person.say('/usage')
    const all = await person.hears(3)
    expect(all.buttons.map(({ text }) => text)).toEqual(['30 days', 'Residential', 'Mobile', '« Menu'])
    person.press('Mobile')
    const mobile = await person.hears(4)
    expect(mobile.text).toContain('Mobile. In 7 days')
    expect(mobile.buttons.map(({ text }) => text)).toEqual(['30 days', 'Residential', 'All pools', '« Menu'])
    person.press('30 days')
    expect((await person.hears(5)).text).toContain('Mobile. In 30 days')
    person.press('All pools')
    expect((await person.hears(6)).text).toContain('<b>In 30 days')
    expect((await pressed(person, 'usage:7:nothing', 7)).text).toContain('out of date')
  })
})

describe('a blocked customer', () => {
  it('is refused every screen', async () => {
    const { person } = await buyer()
    await desk.shop.database.pool.query(
      `update account set blocked_at = now() where id = (select account_id from telegram_identity where telegram_user_id = $1)`,
      [person.id],
    )
    const all = [
      'invs',
      'wl:residential',
      'caps:residential',
      'pu:residential',
      'get:residential:any:r:1:0',
      'usage',
      'usage:7:residential',
      'pud!:residential:1',
      'pul=:residential:1:day:1',
    ]
    for (const [index, data] of all.entries())
      expect((await pressed(person, data, 3 + index)).text).toContain('blocked')
  })
})

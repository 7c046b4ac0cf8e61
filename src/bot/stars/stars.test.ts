/** Payments in stars, from the chat to the books, over the fake Telegram. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { linkTelegram } from '#accounts/telegram'
import { transaction } from '#db'
import { storeSetting } from '#settings'
import { isStars } from '#payments/adapters'
import {
  findInvoice,
  reconcileInvoice,
  reconcileInvoices,
  planRefund,
  refundInvoice,
  sendPlanned,
  sendRefunds,
} from '#purchase'
import { type BotShop, botShop } from '#test/bot'
import { plainOf, type TelegramPerson } from '#test/telegram'

let desk: BotShop
beforeAll(async () => {
  desk = await botShop({ starsPerUsd: 76_923_077n })
})
afterAll(() => desk.close())
// A refusal by Telegram is a bug of ours, unless a test requested it.
afterEach(() => expect(desk.telegram.errors.splice(0)).toEqual([]))

const deps = () => desk.deps()
const lastInvoice = () => {
  const invoice = desk.telegram.stars.invoices.at(-1)
  if (invoice === undefined) throw new Error('no invoice was made')
  return invoice
}

/** Orders 5 GB of residential traffic; the bot shows five texts in all. */
async function order(person: TelegramPerson) {
  person.say('/buy')
  await person.hears(3)
  person.press('⭐ Pay with Stars')
  await person.hears(4)
  person.press('Residential')
  await person.hears(5)
  person.press('5 GB')
  const shown = await person.hears(6)
  return { shown, invoice: lastInvoice(), number: numberOf() }
}
const numberOf = () => lastInvoice().payload.split('.')[0] ?? ''
const state = async (number: string) => findInvoice(desk.shop.database.db, number)
const total = async () => {
  const { rows } = await desk.shop.database.pool.query<{ count: number }>(
    `select count(*)::int as count from payment where method = 'stars'`,
  )
  return rows[0]?.count ?? 0
}
/** The message about a payment, delivered again as Telegram does. */
const tellAgain = (
  person: TelegramPerson,
  facts: { charge?: string; payload?: string; amount?: number } = {},
) => {
  const { payload, amount } = lastInvoice()
  return desk.telegram.push({
    message: {
      message_id: 1,
      date: 1_800_000_000,
      chat: { id: person.id, type: 'private' },
      from: { id: person.id, is_bot: false, first_name: 'A', language_code: 'en' },
      successful_payment: {
        currency: 'XTR',
        total_amount: facts.amount ?? amount,
        invoice_payload: facts.payload ?? payload,
        telegram_payment_charge_id: facts.charge ?? String(desk.telegram.stars.transactions.at(-1)?.['id']),
        provider_payment_charge_id: 'p',
      },
    },
  })
}

describe('an order in the chat', () => {
  it('is priced in whole stars, rounded up, paid, and credited once however often Telegram reports it', async () => {
    const { person, customer } = await desk.linked()
    const { shown, invoice, number } = await order(person)
    // 5 GB at 3.50 are 17.50 USD: 1346.15… stars.
    expect(invoice.amount).toBe(1347)
    expect(plainOf(shown.text)).toContain('Price: $17.50, that is 1347 ⭐')
    expect(shown.buttons.find(({ url }) => url !== undefined)).toMatchObject({
      text: 'Pay 1347 ⭐',
      url: invoice.url,
    })
    expect(Buffer.byteLength(invoice.payload)).toBeLessThanOrEqual(128)
    const before = await total()
    expect(await person.payStars(invoice)).toBe(true)
    expect(plainOf((await person.hears(7)).text)).toContain('Residential: +5.00 GB')
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n, method: 'stars' })
    for (let n = 0; n < 3; n++) tellAgain(person)
    await person.hears(10)
    expect((await customer.call('legacy_profile', {}))[0]?.residential.balance).toBe(5000)
    expect(await total()).toBe(before + 1)
    // A paid link cannot be paid again.
    expect(await person.payStars(invoice)).toBe(false)
    expect(desk.telegram.stars.answers.at(-1)?.error).toContain('has already been paid')
  })

  it('makes one invoice of two presses of one button', async () => {
    const { person, customer } = await desk.linked()
    await order(person)
    const data = desk.telegram.calls
      .filter(({ method, payload }) => method === 'editMessageText' && payload['chat_id'] === person.id)
      .flatMap(
        ({ payload }) => JSON.stringify(payload['reply_markup']).match(/stars:residential:5:\w+/) ?? [],
      )
      .at(-1)
    person.pressData(data ?? '')
    await desk.shop.database.db.selectFrom('invoice').select('id').execute()
    await expect
      .poll(() => desk.telegram.calls.filter(({ method }) => method === 'answerCallbackQuery').length)
      .toBeGreaterThan(4)
    expect(await customer.call('invoices', {})).toHaveLength(1)
    // Telegram says that the message is the same: this is expected.
    await expect.poll(() => desk.telegram.errors.length).toBe(1)
    desk.telegram.errors.splice(0)
  })
})

describe('when the shop stops offering stars', () => {
  const offer = (value: bigint) =>
    transaction(desk.shop.database.db, (tx) =>
      storeSetting(tx, { name: 'offer_stars', value, by: 'owner', reason: 'a test' }, new Date()),
    )

  it('the bot has no button for them, answers an old one, and credits the open invoice', async () => {
    const { person, customer } = await desk.linked()
    const { invoice } = await order(person)
    await offer(0n)
    try {
      person.say('/buy')
      const bought = await person.hears(7)
      expect(bought.buttons.map(({ text }) => text)).not.toContain('⭐ Pay with Stars')
      person.pressData('stars')
      expect(plainOf((await person.hears(8)).text)).toContain('Stars')
      person.pressData('stars:residential:5:0123456789ab')
      expect(plainOf((await person.hears(9)).text)).toContain('no longer takes payments by this method')
      expect(await customer.call('invoices', {})).toHaveLength(1)
      expect(await person.payStars(invoice)).toBe(true)
      await expect
        .poll(async () => (await customer.call('legacy_profile', {}))[0]?.residential.balance)
        .toBe(5000)
    } finally {
      await offer(1n)
    }
  })
})

describe('the query before a payment', () => {
  const refused = () => desk.telegram.stars.answers.at(-1)

  it('refuses another person, another price, another currency, and a payload that is not ours', async () => {
    const { person } = await desk.linked()
    const { person: other } = await desk.linked()
    const { invoice, number } = await order(person)
    expect(await other.payStars(invoice)).toBe(false)
    expect(refused()?.error).toContain('belongs to another account')
    expect(await desk.telegram.person().payStars(invoice)).toBe(false)
    expect(refused()?.error).toContain('принадлежит другому аккаунту')
    expect(await person.payStars(invoice, { amount: 1 })).toBe(false)
    expect(refused()?.error).toContain('price')
    const cheap = invoice.payload.replace(/\.1347\./, '.1.')
    expect(await person.payStars(invoice, { payload: cheap, amount: 1 })).toBe(false)
    expect(refused()?.error).toContain('no such invoice')
    expect(await person.payStars(invoice, { payload: 'x'.repeat(128) })).toBe(false)
    expect(await state(number)).toMatchObject({ state: 'pending', receivedMicros: 0n })
    expect(desk.telegram.stars.transactions.filter((one) => JSON.stringify(one).includes(number))).toEqual([])
  })

  it('refuses an expired invoice and a blocked customer', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    const { shop } = desk
    const { expiresAt } = (await state(number)) ?? { expiresAt: new Date() }
    const then = shop.clock.now
    shop.clock.now = new Date(expiresAt.getTime() + 1)
    expect(await person.payStars(invoice)).toBe(false)
    expect(refused()?.error).toContain('has expired')
    shop.clock.now = then
    await shop.database.pool.query(
      'update account set blocked_at = now() where id = (select account_id from invoice where number = $1)',
      [number],
    )
    expect(await person.payStars(invoice)).toBe(false)
    expect(refused()?.error).toContain('blocked')
  })
})

describe('a payment', () => {
  it('whose message was lost is found by the poller', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    desk.telegram.stars.loseUpdates(true)
    expect(await person.payStars(invoice)).toBe(true)
    desk.telegram.stars.loseUpdates(false)
    expect(await state(number)).toMatchObject({ state: 'pending' })
    await reconcileInvoices(desk.shop.database, deps(), desk.shop.clock.now)
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n })
    // The message arrives late.
    tellAgain(person)
    await person.hears(7)
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n })
  })

  it('is credited when the invoice expires between the query and the money', async () => {
    const { person } = await desk.linked()
    const { number } = await order(person)
    await desk.shop.database.pool.query(`update invoice set state = 'expired' where number = $1`, [number])
    tellAgain(person, { charge: 'late' })
    await person.hears(7)
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n })
  })

  it('is credited to the account that ordered, when the payer has linked another one since', async () => {
    const { person, customer } = await desk.linked()
    const { number } = await order(person)
    const other = await desk.shop.customer()
    const code = (await other.call('legacy_profile', {}))[0]?.tgcode ?? ''
    await linkTelegram(
      desk.shop.database.db,
      desk.shop.services.secrets,
      { telegramUserId: BigInt(person.id), code },
      desk.shop.clock.now,
    )
    tellAgain(person, { charge: 'moved' })
    expect(plainOf((await person.hears(7)).text)).toContain(`Счёт ${number} оплачен`)
    expect((await customer.call('legacy_profile', {}))[0]?.residential.balance).toBe(5000)
    expect((await other.call('legacy_profile', {}))[0]?.residential.balance).toBe(0)
  })

  it('of a customer who was blocked or has unlinked Telegram since is credited, and the payer is told', async () => {
    const blocked = await desk.linked()
    const { number } = await order(blocked.person)
    await desk.shop.database.pool.query(
      'update account set blocked_at = now() where id = (select account_id from invoice where number = $1)',
      [number],
    )
    tellAgain(blocked.person, { charge: 'blocked' })
    const told = plainOf((await blocked.person.hears(7)).text)
    expect(told).toContain(`Invoice ${number} is paid`)
    expect(told).toContain('blocked')
    expect(told).toContain('/paysupport')
    expect(told).not.toContain('there is no invoice')
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n })

    const left = await desk.linked()
    const { number: other } = await order(left.person)
    await desk.shop.database.pool.query('delete from telegram_identity where telegram_user_id = $1', [
      left.person.id,
    ])
    tellAgain(left.person, { charge: 'unlinked' })
    expect(plainOf((await left.person.hears(7)).text)).toContain(`Invoice ${other} is paid`)
    expect(await state(other)).toMatchObject({ state: 'paid' })
  })

  it('counts without the list of transactions, and once when the list is back', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    const failure = { status: 500, description: 'Internal Server Error' }
    desk.telegram.failNext('getStarTransactions', failure)
    expect(await person.payStars(invoice)).toBe(true)
    await person.hears(7)
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n })
    await reconcileInvoices(desk.shop.database, deps(), desk.shop.clock.now)
    expect(await state(number)).toMatchObject({ receivedMicros: 17_500_000n })
    desk.telegram.errors.splice(0)
  })

  it('with a forged or changed payload credits nothing, and the payer is told', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    tellAgain(person, { charge: 'forged', payload: invoice.payload.replace(/\.1347\./, '.1.'), amount: 1 })
    expect(plainOf((await person.hears(7)).text)).toContain('there is no invoice for it')
    expect(await state(number)).toMatchObject({ state: 'pending', receivedMicros: 0n })
  })

  it('that forty concurrent updates report is credited once, and a second charge of the link is kept', async () => {
    const { person, customer } = await desk.linked()
    const { number } = await order(person)
    for (let n = 0; n < 40; n++) tellAgain(person, { charge: 'same' })
    await person.hears(46)
    expect(await state(number)).toMatchObject({ state: 'paid', receivedMicros: 17_500_000n })
    tellAgain(person, { charge: 'another' })
    await person.hears(47)
    // All money is booked, so that the operator can return the second payment; the traffic is that of the
    // invoice.
    expect(await state(number)).toMatchObject({ receivedMicros: 35_000_000n })
    expect((await customer.call('legacy_profile', {}))[0]?.residential.balance).toBe(5000)
  })

  it('of fewer stars than the price buys a proportional part', async () => {
    const { person } = await desk.linked()
    const { number } = await order(person)
    tellAgain(person, { charge: 'few', amount: 100 })
    await person.hears(7)
    expect(await state(number)).toMatchObject({ state: 'underpaid', receivedMicros: 1_299_183n })
  })
})

describe('a refund', () => {
  it('returns the stars once; a repetition returns none', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    await person.payStars(invoice)
    await person.hears(7)
    const { database, clock } = desk.shop
    await refundInvoice(database, { number, what: 'all', methods: deps().methods }, clock.now)
    const made = await state(number)
    expect(made?.state).toBe('refunded')
    await sendRefunds(database, deps(), clock.now)
    const refunds = desk.telegram.stars.transactions.filter((one) => 'receiver' in one)
    expect(refunds).toHaveLength(1)
    const { rows } = await database.pool.query(
      'select state from refund where invoice_id = (select id from invoice where number = $1)',
      [number],
    )
    expect(rows).toEqual([{ state: 'done' }])
    // Asked for again after a crash, by a process that has not read the list since: Telegram knows it
    // already.
    const method = desk.shop.services.methods.find('stars')
    const again = {
      name: `${number}-again`,
      number,
      externalId: invoice.payload,
      price: { currency: 'USD', micros: 17_500_000n },
      receipt: null,
    }
    expect(await method?.refund?.(again)).toMatchObject({ claimUrl: null })
    await reconcileInvoice(database, deps(), number, clock.now)
    expect(await state(number)).toMatchObject({ state: 'refunded', refundedMicros: 17_500_000n })
    expect(desk.telegram.stars.transactions.filter((one) => 'receiver' in one)).toHaveLength(1)
  })

  it('of a part is refused: stars are returned whole', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    await person.payStars(invoice)
    await person.hears(7)
    const method = desk.shop.services.methods.find('stars')
    if (!isStars(method)) throw new Error('no stars')
    const price = { currency: 'USD', micros: 5_000_000n }
    const name = `${number}-part`
    const asked = method.refund?.({ name, number, externalId: invoice.payload, price, receipt: null })
    await expect(asked).rejects.toMatchObject({ outcome: 'refused' })
  })

  it('of a part takes nothing: it is refused before anything is taken, and may be sent by hand', async () => {
    const { person } = await desk.linked()
    const { invoice, number } = await order(person)
    await person.payStars(invoice)
    await person.hears(7)
    const { database, clock } = desk.shop
    const { methods } = deps()
    const before = await state(number)
    for (const what of [5_000_000n, 17_490_000n])
      await expect(refundInvoice(database, { number, what, methods }, clock.now)).rejects.toMatchObject({
        code: 'refund_whole_only',
      })
    expect(await state(number)).toEqual(before)
    const { name } = await planRefund(database, { number, what: 5_000_000n }, clock.now)
    // The rest of a payment in stars cannot be returned by the bot.
    await expect(refundInvoice(database, { number, what: 'all', methods }, clock.now)).rejects.toMatchObject({
      code: 'refund_whole_only',
    })
    await sendPlanned(database, { name, reference: null }, clock.now)
    expect(await state(number)).toMatchObject({ state: 'partly_refunded', refundedMicros: 5_000_000n })
  })
})

describe('a shop without a price in stars', () => {
  it('offers none, refuses every query, and keeps the token out of faults', async () => {
    const plain = await botShop()
    try {
      const { person } = await plain.linked()
      person.say('/buy')
      expect((await person.hears(3)).buttons.map(({ text }) => text)).not.toContain('⭐ Pay with Stars')
      person.pressData('stars')
      expect((await person.hears(4)).text).toContain('Stars are not accepted')
      const paid = await person.payStars({ url: '', title: '', payload: 'x', amount: 1 })
      expect(paid).toBe(false)
      person.say('/help')
      await person.hears(5)
    } finally {
      await plain.close()
    }
    const method = desk.shop.services.methods.find('stars')
    desk.telegram.failNext('getStarTransactions', { status: 500, description: 'Internal Server Error' })
    const fault = await method?.look?.('x').then(
      () => null,
      (error: unknown) => error as Error,
    )
    expect(fault?.message).toContain('getStarTransactions')
    expect(fault?.message).not.toContain(desk.telegram.token)
    desk.telegram.errors.splice(0)
  })
})

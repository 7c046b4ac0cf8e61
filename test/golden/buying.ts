/** The calls of buying: prices, invoices, promo codes, the referral balance. */
import { type Kysely, sql } from 'kysely'
import { removePrice } from '#catalog'
import { type DB, transaction } from '#db'
import { createCode } from '#promo'
import { accountCalled } from '#accounts'
import { arriveByTelegram } from '#accounts/telegram'
import { issueTelegramCode } from '#accounts/telegram/code'
import { offerCurrency, setRate } from '#rates'
import { storeSetting } from '#settings'
import { press } from '../app.ts'
import { keyed } from './shared.ts'
import type { Story } from './story.ts'

const day = 24 * 60 * 60_000

/** Sets whether the shop offers the payment method `card`: 1 or 0. */
export const offerCard = ({ shop: { clock, database } }: Story, value: bigint) =>
  transaction(database.db, (tx) =>
    storeSetting(tx, { name: 'offer_card', value, by: 'owner', reason: null }, clock.now),
  )

export async function prices(story: Story): Promise<void> {
  const { db } = story.shop.database
  await story.ask('prices', 'success')
  await story.ask('calculate', 'success-of-the-home-page', { input: { amounts: [100, 300, 500, 1000] } })
  await story.ask('calculate', 'success-in-the-order-asked', { input: { amounts: [1000, 1, 299.5, 99, 0] } })
  const invalid = { status: 422, code: 'invalid_amounts' }
  await story.ask('calculate', 'invalid-amounts-none', { ends: invalid, input: { amounts: [] } })
  await story.ask('calculate', 'invalid-amounts-negative', { ends: invalid, input: { amounts: [-1] } })
  await story.ask('calculate', 'invalid-amounts-over-a-hundred', {
    ends: invalid,
    input: { amounts: Array.from({ length: 101 }, (_, index) => index) },
  })
  await story.ask('payment_systems', 'success')
  await story.ask('payment_systems', 'success-in-english', { language: 'en' })
  await removePrice(db, 'mobile')
  await story.ask('prices', 'success-a-pool-off-sale')
}

/** Codes of every kind, and their state afterwards. */
export async function makeCodes({ shop }: Story): Promise<void> {
  const { db } = shop.database
  const limits = { maxUses: null, expiresAt: null }
  const discount = (percent: number, minGb = 1n) =>
    ({ kind: 'discount', discountPpm: percent * 10_000, minGb }) as const
  const soon = new Date(shop.clock.now.getTime() + 7 * day)
  const before = new Date(shop.clock.now.getTime() - day)
  await createCode(db, { code: 'SPRING', grant: discount(20), maxUses: 100n, expiresAt: soon })
  await createCode(db, { code: 'BULK', grant: discount(10, 100n), ...limits })
  await createCode(db, { code: 'WINTER', grant: discount(20), ...limits, expiresAt: before })
  await createCode(db, { code: 'ALMOST-FREE', grant: discount(99.9999), ...limits })
  await createCode(db, { code: 'MOBILE-ONLY', grant: discount(20), ...limits, pools: ['mobile'] })
  await createCode(db, { code: 'NEWCOMER', grant: discount(20), ...limits, firstPurchase: true })
  const gift = { kind: 'traffic', pool: 'mobile', bytes: 500_000_000n } as const
  await createCode(db, { code: 'HELLO', grant: gift, ...limits })
  await createCode(db, { code: 'FIRST', grant: gift, ...limits, maxUses: 1n })
}

export async function promoCodes(story: Story): Promise<void> {
  await makeCodes(story)
  await story.customer('anna_smith')
  await story.customer('boris_ivanov')
  const as = 'anna_smith'
  await story.ask('discount_promocode_info', 'success', { as, input: { code: ' spring ', amount: 5 } })
  await story.ask('discount_promocode_info', 'success-without-limits', {
    as,
    input: { code: 'BULK', amount: 100 },
  })
  const invalid = { ends: 'promocode_invalid', as } as const
  await story.ask('discount_promocode_info', 'promocode-invalid-unknown', {
    ...invalid,
    input: { code: 'NOSUCHCODE', amount: 5 },
  })
  await story.ask('discount_promocode_info', 'promocode-invalid-expired', {
    ...invalid,
    input: { code: 'WINTER', amount: 5 },
  })
  await story.ask('discount_promocode_info', 'promocode-invalid-amount-too-small', {
    ...invalid,
    input: { code: 'BULK', amount: 99 },
  })
  await story.ask('discount_promocode_info', 'promocode-pool', {
    ends: 'promocode_pool',
    as,
    input: { code: 'MOBILE-ONLY', amount: 5, pool: 'residential' },
  })
  await buyWithSpring(story, 'boris_ivanov')
  const info = (name: string, code: string, ends: 'promocode_first_purchase' | 'promocode_person_limit') =>
    story.ask('discount_promocode_info', name, { ends, as: 'boris_ivanov', input: { code, amount: 5 } })
  await info('promocode-first-purchase', 'NEWCOMER', 'promocode_first_purchase')
  await info('promocode-person-limit', 'SPRING', 'promocode_person_limit')
  await story.ask('discount_promocode_info', 'invalid-amount', {
    ends: 'invalid_amount',
    as,
    input: { code: 'SPRING', amount: 'many' },
  })
  const gift = (name: string, code: string, asked: object) =>
    story.ask('activate_traffic_promocode', name, { as, input: { code }, ...asked })
  await gift('success', 'hello', {})
  await gift('promocode-used', 'HELLO', { ends: 'promocode_used' })
  await gift('promocode-invalid-unknown', 'NOSUCHCODE', { ends: 'promocode_invalid' })
  await gift('promocode-invalid-of-a-discount', 'SPRING', { ends: 'promocode_invalid', language: 'en' })
  const { input: first, key } = keyed.activate_traffic_promocode
  await gift('success-the-last-use', first.code, { headers: { 'idempotency-key': key } })
  await gift('promocode-invalid-used-up', 'FIRST', { ends: 'promocode_invalid', as: 'boris_ivanov' })
  await guesses(story, as)
  await gift('too-many-attempts', 'NOSUCHCODE', { ends: 'too_many_attempts' })
  await story.ask('discount_promocode_info', 'too-many-attempts', {
    ends: 'too_many_attempts',
    as,
    language: 'en',
    input: { code: 'NOSUCHCODE', amount: 5 },
  })
}

/** A customer's first purchase, with the promo code that each customer may use once. */
async function buyWithSpring(story: Story, name: string): Promise<void> {
  const { shop } = story
  const order = { payment_method: 'sandbox', amount: 5, pool: 'residential', promocode: 'SPRING' } as const
  const url = await shop.client(story.value(`token of ${name}`))('create_invoice_web', order)
  await press(shop.origin, url.split('/').at(-1) ?? '', 'paid')
}

/** Records sixty attempts with unknown codes. */
export async function guesses({ shop }: Story, name: string): Promise<void> {
  const account = await accountCalled(shop.database.db, name)
  await sql`
    insert into attempt (kind, subject, at)
    select 'promo_account', ${`account ${account?.id}`}, ${shop.clock.now} from generate_series(1, 60)`.execute(
    shop.database.db,
  )
}

/** Stores a document with fixed bytes: the content of a real document depends on the time. */
const keepDocument = (db: Kysely<DB>, number: string) =>
  transaction(db, async (tx) => {
    await sql`update document_series set last_number = last_number + 1 where series = 'specimen'`.execute(tx)
    await sql`
      insert into document (series, number, kind, invoice_id, amount_micros, traffic_bytes, issued_at, facts, bytes, sha256)
      select 'specimen', 1, 'invoice', id, received_micros, credited_bytes, settled_at, '{}', '\\x255044462d80', sha256('\\x255044462d80')
      from invoice where number = ${number}`.execute(tx)
  })

export async function invoices(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  await makeCodes(story)
  await story.customer('anna_smith')
  const as = 'anna_smith'
  const input = (given: object = {}) => ({
    payment_method: 'sandbox',
    amount: 5,
    promocode: null,
    pool: 'residential',
    ...given,
  })
  const number = (name: string) => ({ [`number of ${name}`]: /^x-invoice-id: (\S+)$/m })
  await story.ask('invoices', 'success-none-yet', { as })
  await story.ask('create_invoice_web', 'success', { as, input: input(), learn: number('the first invoice') })
  await story.ask('create_invoice_web', 'success-with-a-promo-code', {
    as,
    language: 'en',
    input: input({ amount: '100', promocode: 'SPRING', pool: 'datacenter' }),
    learn: number('the second invoice'),
  })
  const ends = async (name: string, code: string | object, given: object) =>
    story.ask('create_invoice_web', name, { ends: code as never, as, input: input(given) })
  await ends('payment-method-unavailable', 'payment_method_unavailable', { payment_method: 'crypto' })
  await offerCard(story, 0n)
  await ends('payment-method-not-offered', 'payment_method_not_offered', { payment_method: 'card' })
  await offerCard(story, 1n)
  await ends('invalid-payment-method', 'invalid_payment_method', { payment_method: 'barter' })
  await ends('payment-failed', 'payment_failed', { payment_method: 'card' })
  await ends('invalid-amount-zero', 'invalid_amount', { amount: 0 })
  await ends('invalid-amount-a-fraction', 'invalid_amount', { amount: 1.5 })
  await ends('invalid-amount-too-many', 'invalid_amount', { amount: 100_000_000 })
  await ends('amount-too-large', 'amount_too_large', { amount: 99_999_999 })
  await ends('amount-too-small', 'amount_too_small', { amount: 1, promocode: 'ALMOST-FREE' })
  const nearlyFree = { kind: 'discount', discountPpm: 990_000, minGb: 1n } as const
  await createCode(db, { code: 'NEARLY-FREE', grant: nearlyFree, maxUses: null, expiresAt: null })
  await ends('amount-below-method', 'amount_below_method', {
    payment_method: 'card',
    amount: 1,
    promocode: 'NEARLY-FREE',
  })
  await ends('promocode-invalid', 'promocode_invalid', { promocode: 'WINTER' })
  await ends('invalid-pool', { status: 422, code: 'invalid_pool' }, { pool: 'satellite' })

  const { input: seven, key } = keyed.create_invoice_web
  const headers = { 'idempotency-key': key }
  await story.ask('create_invoice_web', 'success-with-an-idempotency-key', {
    as,
    headers,
    input: seven,
    learn: number('the invoice with a key'),
  })
  await story.ask('create_invoice_web', 'success-the-same-key-again', {
    as,
    headers,
    input: seven,
  })
  await removePrice(db, 'mobile')
  await ends('invalid-pool-off-sale', 'invalid_pool', { pool: 'mobile' })
  await ends('promocode-pool', 'promocode_pool', { promocode: 'MOBILE-ONLY' })
  await guesses(story, as)
  await ends('too-many-attempts', 'too_many_attempts', { promocode: 'NOSUCHCODE' })

  const first = story.value('number of the first invoice')
  await story.ask('invoice', 'success-pending', { as, input: { number: first } })
  await story.ask('invoices', 'success-made-before-one', {
    as,
    input: { before: story.value('number of the second invoice') },
  })
  await press(shop.origin, first, 'paid')
  await press(shop.origin, story.value('number of the second invoice'), 'underpaid')
  await press(shop.origin, story.value('number of the invoice with a key'), 'cancelled')
  await story.ask('invoice', 'success-paid', { as, input: { number: first } })
  await story.ask('invoice_documents', 'success-none-yet', { as, input: { number: first } })
  await story.ask('invoice_document', 'document-not-found', {
    ends: 'document_not_found',
    as,
    input: { number: first, id: '1' },
  })
  await keepDocument(db, first)
  await story.ask('invoice_documents', 'success', { as, input: { number: first } })
  await story.ask('invoice_document', 'success', { as, input: { number: first, id: '1' } })
  await story.ask('buyer_details', 'success-none-yet', { as })
  const details = { name: 'Petrova Research GmbH', address: 'Lindenstraße 12, 10969 Berlin', tax_id: 'DE123' }
  await story.ask('set_buyer_details', 'success', { as, input: details })
  await story.ask('buyer_details', 'success', { as })
  const setting = (name: string, ends: 'buyer_name_missing' | 'buyer_details_letters', changed: object) =>
    story.ask('set_buyer_details', name, { ends, as, input: { ...details, ...changed } })
  await setting('buyer-name-missing', 'buyer_name_missing', { name: ' ' })
  await setting('buyer-details-letters', 'buyer_details_letters', { address: '東京都' })
  await story.ask('invoices', 'success-in-every-state', {
    as,
    learn: {
      'number of the invoice that failed':
        /"number":"([^"]+)","short_number":"[^"]+","pool":"residential","gb":5,"payload_gb":[^}]+\},"method":"card"/,
    },
  })
  const over = (
    name: string,
    promocode: string,
    end: 'promocode_first_purchase' | 'promocode_person_limit',
  ) => story.ask('create_invoice_web', name, { ends: end, as: 'vera_orlova', input: input({ promocode }) })
  await story.customer('vera_orlova')
  await buyWithSpring(story, 'vera_orlova')
  await over('promocode-first-purchase', 'NEWCOMER', 'promocode_first_purchase')
  await over('promocode-person-limit', 'SPRING', 'promocode_person_limit')
  await story.customer('boris_ivanov')
  await story.ask('invoices', 'invoice-not-found-for-another-customer', {
    ends: 'invoice_not_found',
    as: 'boris_ivanov',
    input: { before: first },
  })
  for (const name of ['invoice_documents', 'invoice_document'] as const)
    await story.ask(name, 'invoice-not-found-for-another-customer', {
      ends: 'invoice_not_found',
      as: 'boris_ivanov',
      input: { number: first, ...(name === 'invoice_document' ? { id: '1' } : {}) },
    })
  await story.ask('invoice', 'invoice-not-found-for-another-customer', {
    ends: 'invoice_not_found',
    as: 'boris_ivanov',
    input: { number: first },
  })
  const orders = shop.client(story.value('token of boris_ivanov'))
  for (let open = 0; open < 20; open++)
    await orders('create_invoice_web', { payment_method: 'sandbox', amount: 5, pool: 'residential' })
  await story.ask('create_invoice_web', 'too-many-open-invoices', {
    ends: 'too_many_open_invoices',
    as: 'boris_ivanov',
    input: input(),
  })
  await story.ask('legacy_profile', 'success-after-buying', { as, learn: passwordsIn })
}

/** The proxy passwords of a profile whose owner bought residential and datacenter. */
const passwordsIn = {
  'proxy password, residential': /"residential":\{[^}]*"password":"(\w{16})"/,
  'proxy password, datacenter': /"datacenter":\{[^}]*"password":"(\w{16})"/,
}

export async function referral(story: Story): Promise<void> {
  const { shop } = story
  await makeCodes(story)
  await story.customer('anna_smith')
  const as = 'anna_smith'
  await story.ask('legacy_referal_info', 'success-nobody-invited-yet', {
    as,
    learn: { 'referral code of anna_smith': /\?ref=([0-9a-f]+)"/ },
  })
  const person = { username: 'invited_one', email: 'invited@example.com', password: 'correct horse' }
  await shop.from('203.0.113.40')('signup', {
    ...person,
    referral_id: story.value('referral code of anna_smith'),
  })
  const token = await shop.anyone('signin', { username: person.username, password: person.password })
  await shop.buy({ ...person, token, call: shop.client(token) }, { pool: 'residential', gb: 100 })
  await story.ask('legacy_referal_info', 'success-with-earnings', { as })
  await story.ask('referral_earnings', 'success', { as, input: { days: 30 } })
  const input = (given: object = {}) => ({ amount: 2, promocode: null, pool: 'residential', ...given })
  const pay = (name: string, asked: object, given: object = {}) =>
    story.ask('referral_payment', name, { as, input: input(given), ...asked })
  const headers = { 'idempotency-key': keyed.referral_payment.key }
  await pay('success', { headers })
  await pay('success-the-same-key-again', { headers })
  await pay('success-with-a-promo-code', {}, { amount: '1', promocode: 'SPRING' })
  await pay('insufficient-referral-balance', { ends: 'insufficient_referral_balance' }, { amount: 1000 })
  await pay('promocode-person-limit', { ends: 'promocode_person_limit' }, { promocode: 'SPRING' })
  await pay('promocode-first-purchase', { ends: 'promocode_first_purchase' }, { promocode: 'NEWCOMER' })
  await pay('promocode-pool', { ends: 'promocode_pool' }, { promocode: 'MOBILE-ONLY' })
  await pay('promocode-invalid', { ends: 'promocode_invalid' }, { promocode: 'WINTER' })
  await pay('invalid-amount', { ends: 'invalid_amount' }, { amount: '' })
  await pay('amount-too-large', { ends: 'amount_too_large' }, { amount: 99_999_999 })
  await pay('amount-too-small', { ends: 'amount_too_small' }, { amount: 1, promocode: 'ALMOST-FREE' })
  await pay('invalid-pool', { ends: { status: 422, code: 'invalid_pool' } }, { pool: 'satellite' })
  await story.ask('legacy_referal_info', 'success-after-spending', { as, language: 'en' })
  await guesses(story, as)
  await pay('too-many-attempts', { ends: 'too_many_attempts' }, { promocode: 'NOSUCHCODE' })
}

/** A customer who came by Telegram has no e-mail for the receipt. */
export async function receipts(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  await setRate(db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: shop.clock.now })
  const arrived = await arriveByTelegram(db, { telegramUserId: 777n, lang: 'rus', referralCode: null })
  const { code } = await issueTelegramCode(db, shop.services.secrets, arrived.account.id, shop.clock.now)
  const as = 'pavel of Telegram'
  story.know(`token of ${as}`, await shop.from('203.0.113.77')('telegram_code_signin', { p_code: code }))
  const order = { payment_method: 'yookassa', amount: 5, promocode: null, pool: 'residential' }
  const ordered = (name: string, given: object, asked: object) =>
    story.ask('create_invoice_web', name, { as, input: { ...order, ...given }, ...asked })
  await story.ask('display_currency', 'success-none-chosen', { as })
  await transaction(db, (tx) => offerCurrency(tx, 'EUR', shop.clock.now))
  await setRate(db, { currency: 'EUR', perUsdMicros: 921_300n, setAt: shop.clock.now })
  await story.ask('set_display_currency', 'success', { as, input: { currency: 'EUR' } })
  const unknown = { input: { currency: 'GBP' }, ends: 'unknown_currency' } as const
  await story.ask('set_display_currency', 'unknown-currency', { as, ...unknown })
  await story.ask('display_currency', 'success', { as })
  await story.ask('receipt_email', 'success-none-yet', { as })
  await ordered('receipt-email-required', {}, { ends: 'receipt_email_required' })
  await ordered('invalid-receipt-email', { receipt_email: 'pavel' }, { ends: 'invalid_receipt_email' })
  const topUp = (name: string, given: object, asked: object) =>
    story.ask('create_balance_invoice', name, {
      as,
      input: { payment_method: 'yookassa', amount_usd: 20, ...given },
      ...asked,
    })
  await topUp('receipt-email-required', {}, { ends: 'receipt_email_required' })
  await topUp('invalid-receipt-email', { receipt_email: 'pavel' }, { ends: 'invalid_receipt_email' })
  await ordered(
    'success-with-an-address-for-the-receipt',
    { receipt_email: 'pavel@example.com' },
    { learn: { 'number of the invoice with a receipt': /^x-invoice-id: (\S+)$/m } },
  )
  const set = (name: string, email: string | null, asked: object = {}) =>
    story.ask('set_receipt_email', name, { as, input: { email }, ...asked })
  await set('success', 'pavel.receipts@example.com')
  await set('invalid-receipt-email', 'pavel@', { ends: 'invalid_receipt_email' })
  await story.ask('receipt_email', 'success', { as })
  await set('success-that-of-the-account', null)
}

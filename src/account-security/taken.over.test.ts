/** Accounts that a thief has entered, or that a stranger has registered with the address of somebody else. */
import { generate } from 'otplib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountJobs, resetSignIn } from '#accounts'
import { linkTelegram, telegramAccount } from '#accounts/telegram'
import { issueTelegramCode } from '#accounts/telegram/code'
import { transaction } from '#db'
import { accountIdOf, type App, app, type Customer, refusalOf } from '#test/app'
import { tokenInLetter } from '#test/letters'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

let places = 0
/** A caller with an address of its own. */
const someone = (token?: string) => shop.from(`198.18.7.${++places}`, 'en', token)
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code
const later = (minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}

const tokenIn = (to: string, template: string) => tokenInLetter(shop, { template, to })

async function customerWithAddress({ isConfirmed }: { isConfirmed: boolean }) {
  const customer = await shop.customer()
  const { email } = customer
  if (isConfirmed)
    await someone()('confirm_email', { confirmation_token: await tokenIn(email, 'confirm_email') })
  return { ...customer, id: BigInt(await accountIdOf(customer)) }
}

async function link({ call }: Customer, telegramUserId: bigint): Promise<void> {
  const code = (await call('legacy_profile', {}))[0]?.tgcode ?? ''
  const { database, services, clock } = shop
  await linkTelegram(database.db, services.secrets, { telegramUserId, code }, clock.now)
}

/** A session of the person in Telegram that the account is linked to. */
async function signInByCode(accountId: bigint) {
  const { database, services, clock } = shop
  const { code } = await issueTelegramCode(database.db, services.secrets, accountId, clock.now)
  return someone(await someone()('telegram_code_signin', { p_code: code }))
}

const accountOf = async (telegramUserId: bigint) =>
  (await telegramAccount(shop.database.db, telegramUserId))?.id ?? null

it('the refusal of a change of the address unlinks the Telegram that a thief had linked', async () => {
  const customer = await customerWithAddress({ isConfirmed: true })
  await link(customer, 78_001n)
  await customer.call('change_email', { email: `thief.${customer.email}` })
  expect(await accountOf(78_001n)).toBe(customer.id)
  const answer = { answer_token: await tokenIn(customer.email, 'approve_new_email'), agreed: false }
  await someone()('answer_email_change', answer)
  expect(await accountOf(78_001n)).toBeNull()
})

it('a Telegram linked lately proves nobody after staff have reset the sign-in, and sets no password', async () => {
  const customer = await customerWithAddress({ isConfirmed: true })
  await link(customer, 78_002n)
  const { database, services, clock } = shop
  await transaction(database.db, (tx) => resetSignIn(tx, services.secrets, customer.id, clock.now))
  const thief = await signInByCode(customer.id)
  expect((await thief('security', {})).proven_until).toBeNull()
  const wish = { new_password: 'the password of a thief' }
  expect(await codeOf(thief('change_account_password', wish))).toBe('sign_in_again')
  expect(await codeOf(thief('prove_owner', { proof: { kind: 'password', password: '' } }))).toBe(
    'sign_in_again',
  )
  expect(await codeOf(thief('totp_begin', {}))).toBe('proof_needed')
})

it('the first proof of an address ends all access of the stranger who has registered it', async () => {
  const stranger = await customerWithAddress({ isConfirmed: false })
  const { call, email, username } = stranger
  const token = await call('reseller_token', {})
  await link(stranger, 78_003n)
  const { secret } = await call('totp_begin', {})
  const epoch = Math.floor(shop.clock.now.getTime() / 1000)
  await call('totp_finish', { code: await generate({ secret, epoch }) })
  later(24 * 60)
  const job = accountJobs({ db: shop.database.db, secrets: shop.services.secrets })['mail_password_reset']
  const asked_at = shop.clock.now.toISOString()
  await job?.({ email_key: email.toLowerCase(), asked_at }, {} as never)
  const reset_token = await tokenIn(email, 'reset_password')
  await someone()('reset_account_password', { reset_token, new_password: 'the owner of the mailbox' })
  expect(await codeOf(shop.client(token)('legacy_profile', {}))).toBe('unauthorized')
  expect(await accountOf(78_003n)).toBeNull()
  const owner = someone(await someone()('signin', { username, password: 'the owner of the mailbox' }))
  expect((await owner('security', {})).factors).toEqual([])
})

it('a later reset of the password keeps the linked Telegram, the factors and, unless asked, the token', async () => {
  const customer = await customerWithAddress({ isConfirmed: true })
  const token = await customer.call('reseller_token', {})
  await link(customer, 78_004n)
  const job = accountJobs({ db: shop.database.db, secrets: shop.services.secrets })['mail_password_reset']
  const asked_at = shop.clock.now.toISOString()
  await job?.({ email_key: customer.email.toLowerCase(), asked_at }, {} as never)
  const reset_token = await tokenIn(customer.email, 'reset_password')
  await someone()('reset_account_password', { reset_token, new_password: 'another password' })
  expect(await shop.client(token)('legacy_profile', {})).toHaveLength(1)
  expect(await accountOf(78_004n)).toBe(customer.id)
})

it('the password does not extend the proof by a second factor', async () => {
  const { call, password } = await shop.customer()
  const { secret } = await call('totp_begin', {})
  const codeNow = () => generate({ secret, epoch: Math.floor(shop.clock.now.getTime() / 1000) })
  await call('totp_finish', { code: await codeNow() })
  later(2)
  await call('prove_owner', { proof: { kind: 'totp', code: await codeNow() } })
  later(9)
  expect(await codeOf(call('prove_owner', { proof: { kind: 'password', password } }))).toBe('proof_needed')
  expect((await call('security', {})).proven_until).not.toBeNull()
})

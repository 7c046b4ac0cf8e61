/** The calls of an account's security: second factors, sessions, another e-mail address. */
import { sql } from 'kysely'
import { generate } from 'otplib'
import { accountCalled } from '#accounts'
import { emailJobs } from '#accounts/email'
import { arriveByTelegram } from '#accounts/telegram'
import { issueTelegramCode } from '#accounts/telegram/code'
import { Authenticator } from '../authenticator.ts'
import { tokenInLetter } from '../letters.ts'
import { askAtChangeLimit } from './change.limit.ts'
import type { Story } from './story.ts'

type Json = Record<string, unknown>

const origin = 'http://localhost:3000'
const sessionToken = /^([A-Za-z0-9_-]{43})$/m
const challenge = /"challenge":"([^"]+)"/
const codes = (of: string) =>
  Object.fromEntries(
    Array.from({ length: 10 }, (_, n): [string, RegExp] => [
      `recovery code ${n + 1} ${of}`,
      new RegExp(String.raw`\[(?:"[a-z2-7-]{27}",){${n}}"([a-z2-7-]{27})"`),
    ]),
  )

const later = ({ shop }: Story, minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}

const totp = ({ shop }: Story, secret: string) =>
  generate({ secret, epoch: Math.floor(shop.clock.now.getTime() / 1000) })

async function idOf({ shop }: Story, name: string): Promise<bigint> {
  const account = await accountCalled(shop.database.db, name)
  if (account === null) throw new Error(`there is no ${name}`)
  return account.id
}

async function attempts({ shop }: Story, kind: string, subject: string, count: number): Promise<void> {
  await sql`
    insert into attempt (kind, subject, at)
    select ${kind}, ${subject}, ${shop.clock.now} from generate_series(1, ${count}::int)`.execute(
    shop.database.db,
  )
}

/** Replaces every long text of a passkey's answer with a name. */
function named(story: Story, name: string, response: Json): Json {
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string' && value.length > 20) story.know(path, value)
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) walk(each, `${path} ${key}`)
  }
  walk(response['response'], name)
  story.know(`${name} id`, String(response['id']))
  return response
}

const optionsIn = (body: string) => (JSON.parse(body) as { options: Json }).options

/** Setting up second factors, and the fresh proof that a session needs for it. */
export async function secondFactors(story: Story): Promise<void> {
  const as = 'anna_smith'
  const { password } = await story.customer(as)
  await story.ask('security', 'success-of-a-new-account', { as })
  const begun = await story.ask('totp_begin', 'success', {
    as,
    learn: { 'the secret': /"secret":"([A-Z2-7]+)"/, 'the address of the secret': /"uri":"([^"]+)"/ },
  })
  const { secret } = JSON.parse(begun) as { secret: string }
  await story.ask('totp_finish', 'wrong-factor', { as, ends: 'wrong_factor', input: { code: 'no code' } })
  await story.ask('new_recovery_codes', 'no-second-factor', { as, ends: 'no_second_factor' })
  const first = await totp(story, secret)
  story.know('a code of the app', first)
  await askAtChangeLimit(story, 'totp_finish', { as, input: { code: first } })
  await story.ask('totp_finish', 'success', { as, input: { code: first }, learn: codes('at first') })
  const key = new Authenticator()
  const options = optionsIn(
    await story.ask('passkey_begin', 'success', { as, learn: { 'the challenge': challenge } }),
  )
  const response = named(story, 'the passkey', key.create(options, origin))
  await story.ask('passkey_finish', 'success', { as, input: { name: 'Phone', response } })
  await story.ask('passkey_finish', 'wrong-factor-twice', {
    as,
    ends: 'wrong_factor',
    input: { name: 'Phone', response },
  })
  await story.ask('security', 'success', { as })
  await askAtChangeLimit(story, 'new_recovery_codes', { as })
  await story.ask('new_recovery_codes', 'success', { as, learn: codes('anew') })
  await story.ask('remove_passkey', 'passkey-not-found', {
    as,
    ends: 'passkey_not_found',
    input: { id: '999' },
  })
  await manyPasskeys(story, as)
  await oldProof(story, as, { password, secret })
  await story.ask('remove_passkey', 'success', { as, input: { id: '1' } })
  await story.ask('remove_totp', 'success', { as })
}

async function manyPasskeys(story: Story, as: string): Promise<void> {
  const { db } = story.shop.database
  const begun = optionsIn(
    await story.ask('passkey_begin', 'success-again', { as, learn: { 'another challenge': challenge } }),
  )
  const response = named(story, 'another passkey', new Authenticator().create(begun, origin))
  await askAtChangeLimit(story, 'passkey_finish', { as, input: { name: 'Phone', response } })
  await sql`
    insert into account_passkey (account_id, credential_id, public_key, counter, transports, is_backed_up, name, created_at)
    select ${await idOf(story, as)}, 'filler ' || n, '', 0, '{}', false, 'filler', ${story.shop.clock.now}
    from generate_series(1, 19) n`.execute(db)
  await story.ask('passkey_begin', 'too-many-passkeys', { as, ends: 'too_many_passkeys' })
  await story.ask('passkey_finish', 'too-many-passkeys', {
    as,
    ends: 'too_many_passkeys',
    input: { name: 'Phone', response },
  })
  await sql`delete from account_passkey where name = 'filler'`.execute(db)
}

/** The refusals ten minutes after the last proof of the owner. */
async function oldProof(
  story: Story,
  as: string,
  { password, secret }: { password: string; secret: string },
): Promise<void> {
  later(story, 10)
  const refused = { as, ends: 'proof_needed' } as const
  await story.ask('totp_begin', 'proof-needed', refused)
  await story.ask('totp_finish', 'proof-needed', { ...refused, input: { code: '123456' } })
  await story.ask('remove_totp', 'proof-needed', { ...refused, language: 'en' })
  await story.ask('passkey_begin', 'proof-needed', refused)
  await story.ask('passkey_finish', 'proof-needed', { ...refused, input: { name: 'Phone', response: {} } })
  await story.ask('remove_passkey', 'proof-needed', { ...refused, input: { id: '1' } })
  await story.ask('new_recovery_codes', 'proof-needed', refused)
  await story.ask('change_email', 'proof-needed', { ...refused, input: { email: 'anna@example.org' } })
  await story.ask('reseller_token', 'proof-needed', refused)
  await story.ask('rotate_reseller_token', 'proof-needed', refused)
  await story.ask('renew_preset_link', 'proof-needed', { ...refused, input: { number: 1 } })
  await story.ask('set_sign_in_letters', 'proof-needed', { ...refused, input: { on: false } })
  await story.ask('export_personal_data', 'proof-needed', { ...refused, input: { password } })
  await story.ask('request_erasure', 'proof-needed', { ...refused, input: { password } })
  await story.ask('change_account_password', 'proof-needed', {
    ...refused,
    input: { old_password: password, new_password: 'another password' },
  })
  const byPassword = { proof: { kind: 'password', password } }
  await story.ask('prove_owner', 'proof-needed-a-factor', { ...refused, input: byPassword })
  const wrong = { proof: { kind: 'recovery_code', code: 'no-code' } }
  await story.ask('prove_owner', 'wrong-factor', { as, ends: 'wrong_factor', input: wrong })
  await story.ask('prove_owner_options', 'success', { as, learn: { 'the challenge of a proof': challenge } })
  const code = await totp(story, secret)
  story.know('another code of the app', code)
  await story.ask('prove_owner', 'success', { as, input: { proof: { kind: 'totp', code } } })
}

/** Signing in to an account with second factors. */
export async function secondSteps(story: Story): Promise<void> {
  const { shop } = story
  const as = 'anna_smith'
  const { password, call } = await story.customer(as)
  const { secret } = await call('totp_begin', {})
  const { recovery_codes: spare } = await call('totp_finish', { code: await totp(story, secret) })
  const key = new Authenticator()
  const made = key.create((await call('passkey_begin', {})).options, origin)
  story.know('the passkey id', String(made['id']))
  await call('passkey_finish', { name: 'Phone', response: made })
  const learn = { 'the ticket': /"ticket":"([^"]+)"/ }
  const input = { username: as, password }
  await story.ask('signin', 'second-factor-needed', { ends: 'second_factor_needed', input, learn })
  const ticket = story.value('the ticket')
  const step = (proof: Json, given = ticket) => ({ ticket: given, proof })
  await story.ask('signin_second_step', 'wrong-factor', {
    ends: 'wrong_factor',
    input: step({ kind: 'totp', code: 'no code' }),
  })
  await story.ask('signin_second_step', 'sign-in-step-ended', {
    ends: 'sign_in_step_ended',
    language: 'en',
    input: step({ kind: 'totp', code: '123456' }, 'unknown'),
  })
  await story.ask('signin_passkey_options', 'sign-in-step-ended', {
    ends: 'sign_in_step_ended',
    input: { ticket: 'unknown' },
  })
  await story.ask('signin_passkey_options', 'success-of-a-second-step', {
    input: { ticket },
    learn: { 'the challenge of a second step': challenge },
  })
  await attempts(story, 'factor_account', `account ${await idOf(story, as)}`, 10)
  await story.ask('signin_second_step', 'too-many-attempts', {
    ends: 'too_many_attempts',
    input: step({ kind: 'totp', code: '123456' }),
  })
  await sql`delete from attempt`.execute(shop.database.db)
  const code = spare[0] ?? ''
  story.know('a recovery code', code)
  await story.ask('signin_second_step', 'success', {
    input: step({ kind: 'recovery_code', code }),
    learn: { 'token of the second step': sessionToken },
  })
  await byPasskey(story, key)
  await byBot(story)
}

async function byPasskey(story: Story, key: Authenticator): Promise<void> {
  const options = optionsIn(
    await story.ask('signin_passkey_options', 'success', {
      learn: { 'the challenge of a sign-in': challenge },
    }),
  )
  const response = named(story, 'the passkey at a sign-in', key.get(options, origin))
  await story.ask('signin_passkey', 'success', {
    input: { response },
    learn: { 'token by passkey': sessionToken },
  })
  await story.ask('signin_passkey', 'wrong-factor-twice', { ends: 'wrong_factor', input: { response } })
  await attempts(story, 'factor_ip', '203.0.113.40', 50)
  await story.ask('signin_passkey', 'too-many-attempts', {
    ends: 'too_many_attempts',
    from: '203.0.113.40',
    input: { response: {} },
  })
}

/** An account whose first step is a code of the bot. */
async function byBot(story: Story): Promise<void> {
  const { db } = story.shop.database
  const { secrets } = story.shop.services
  const arrival = { telegramUserId: 7_000_000_002n, lang: 'eng', referralCode: null } as const
  const { account } = await arriveByTelegram(db, arrival)
  const digits = async (name: string) => {
    const { code } = await issueTelegramCode(db, secrets, account.id, story.shop.clock.now)
    story.know(name, code)
    return code
  }
  const token = await story.shop.anyone('telegram_code_signin', { p_code: await digits('first digits') })
  story.know('token of the person in Telegram', token)
  const own = story.shop.client(token)
  const { secret } = await own('totp_begin', {})
  await own('totp_finish', { code: await totp(story, secret) })
  await story.ask('telegram_code_signin', 'second-factor-needed', {
    ends: 'second_factor_needed',
    input: { p_code: await digits('second digits') },
    learn: { 'the ticket of the bot': /"ticket":"([^"]+)"/ },
  })
}

/** Proving the owner without a second factor, and the list of sessions. */
export async function ownSessions(story: Story): Promise<void> {
  const as = 'anna_smith'
  const { password } = await story.customer(as)
  const prove = (text: string) => ({ proof: { kind: 'password', password: text } })
  await story.ask('prove_owner', 'success-by-the-password', { as, input: prove(password) })
  await story.ask('prove_owner', 'fill-fields', { as, ends: 'fill_fields', input: prove('') })
  await story.ask('prove_owner', 'wrong-password', { as, ends: 'wrong_password', input: prove('wrong') })
  await attempts(story, 'password_account', `account ${await idOf(story, as)}`, 10)
  await story.ask('prove_owner', 'too-many-attempts', {
    as,
    ends: 'too_many_attempts',
    input: prove(password),
  })
  await story.ask('my_sessions', 'success', { as })
  await askAtChangeLimit(story, 'set_sign_in_letters', { as, input: { on: false } })
  await story.ask('set_sign_in_letters', 'success', { as, input: { on: false } })
  await story.ask('end_sessions', 'success', { as, input: {} })
  const { db } = story.shop.database
  const arrival = { telegramUserId: 7_000_000_003n, lang: 'eng', referralCode: null } as const
  const { account } = await arriveByTelegram(db, arrival)
  const { secrets } = story.shop.services
  const { code } = await issueTelegramCode(db, secrets, account.id, story.shop.clock.now)
  story.know(
    'token of the person in Telegram',
    await story.shop.anyone('telegram_code_signin', { p_code: code }),
  )
  later(story, 11)
  await story.ask('prove_owner', 'sign-in-again', {
    as: 'the person in Telegram',
    ends: 'sign_in_again',
    input: prove('none'),
  })
}

/** Another e-mail address. */
export async function anotherEmail(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  const { secrets } = shop.services
  const as = 'anna_smith'
  const { email } = await story.customer(as)
  await sql`update account set email_confirmed_at = ${shop.clock.now}`.execute(db)
  await story.ask('change_email', 'invalid-email', { as, ends: 'invalid_email', input: { email: as } })
  await story.ask('change_email', 'email-unchanged', { as, ends: 'email_unchanged', input: { email } })
  const wish = { email: 'anna@example.org' }
  await story.ask('change_email', 'success', { as, input: wish })
  await story.ask('security', 'success-with-an-address-to-confirm', { as })
  await story.ask('cancel_email_change', 'success', { as })
  await story.ask('cancel_email_change', 'none', { as, ends: 'email_change_not_found' })
  const token = async (template: string, to: string) => {
    const text = await tokenInLetter(shop, { template, to })
    story.know(`token of ${template}`, text)
    return text
  }
  await shop.client(story.value(`token of ${as}`))('change_email', wish)
  const { id } = await db.selectFrom('email_change').select('id').executeTakeFirstOrThrow()
  const jobs = emailJobs({ db, secrets, now: async () => shop.clock.now })
  await jobs['mail_email_change']?.({ change_id: String(id) }, {} as never)
  const confirmation = await token('confirm_new_email', wish.email)
  const input = { confirmation_token: confirmation }
  await story.ask('confirm_new_email', 'success', { input })
  const answer = { answer_token: await token('approve_new_email', email), agreed: true }
  const { email: taken } = await story.customer('bob_jones')
  const toAddress = (key: string) => sql`update email_change set new_email_key = ${key}`.execute(db)
  await toAddress(taken)
  await story.ask('answer_email_change', 'taken-meanwhile', {
    ends: 'invalid_confirmation_token',
    input: answer,
  })
  await toAddress(wish.email)
  await story.ask('answer_email_change', 'success', { input: answer })
  await story.ask('answer_email_change', 'used-already', { ends: 'invalid_undo_token', input: answer })
  await story.ask('confirm_new_email', 'used-already', { ends: 'invalid_confirmation_token', input })
  const undo = { undo_token: await token('email_replaced', email) }
  await attempts(story, 'email_change', `account ${await idOf(story, as)}`, 5)
  await story.ask('change_email', 'too-many-attempts', {
    as,
    ends: 'too_many_attempts',
    input: { email: 'anna@example.net' },
  })
  await story.ask('undo_email_change', 'success', { input: undo })
  await story.ask('undo_email_change', 'used-already', { ends: 'invalid_undo_token', input: undo })
  await attempts(story, 'token_ip', '203.0.113.50', 30)
  const from = '203.0.113.50'
  await story.ask('confirm_new_email', 'too-many-attempts', { ends: 'too_many_attempts', from, input })
  await story.ask('answer_email_change', 'too-many-attempts', {
    ends: 'too_many_attempts',
    from,
    input: answer,
  })
  await story.ask('undo_email_change', 'too-many-attempts', { ends: 'too_many_attempts', from, input: undo })
}

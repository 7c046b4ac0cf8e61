/** The calls of accounts: sign-up and sign-in, letters, passwords, tokens, the profile. */
import { sql } from 'kysely'
import { accountCalled, blockAccount } from '#accounts'
import { arriveByTelegram } from '#accounts/telegram'
import { issueTelegramCode } from '#accounts/telegram/code'
import { signUpDocuments } from '#content'
import { nameSubject, signinLimits } from '../../src/accounts/signin/throttle.ts'
import { openSession } from '../../src/accounts/signin/session.ts'
import { issueToken, type TokenKind } from '../../src/accounts/token.ts'
import { askAtChangeLimit } from './change.limit.ts'
import type { Story } from './story.ts'

const sessionToken = /^([A-Za-z0-9_-]{43})$/m
const resellerToken = /^(tpr_[A-Za-z0-9_-]{43})$/m

async function idOf({ shop }: Story, name: string): Promise<bigint> {
  const account = await accountCalled(shop.database.db, name)
  if (account === null) throw new Error(`there is no ${name}`)
  return account.id
}

/** Records this many attempts. */
async function attempts({ shop }: Story, kind: string, subject: string, count: number): Promise<void> {
  await sql`
    insert into attempt (kind, subject, at)
    select ${kind}, ${subject}, ${shop.clock.now} from generate_series(1, ${count}::int)`.execute(
    shop.database.db,
  )
}

/** A token as in a letter's link. */
async function letter(story: Story, kind: TokenKind, name: string): Promise<string> {
  const { shop } = story
  const accountId = await idOf(story, name)
  const { token } = await issueToken(shop.database.db, { kind, accountId, from: shop.clock.now })
  story.know(`${kind} token of ${name}`, token)
  return token
}

export async function signingUp(story: Story): Promise<void> {
  const { shop } = story
  await story.customer('anna_smith')
  const { ref_code: code } = await shop.database.db
    .selectFrom('account')
    .select('ref_code')
    .where('username', '=', 'anna_smith')
    .executeTakeFirstOrThrow()
  story.know('referral code of anna_smith', code)
  const input = (given: object = {}) => ({
    username: 'boris_ivanov',
    email: 'boris@example.com',
    password: 'correct horse',
    referral_id: null,
    ...given,
  })
  await story.ask('signup', 'success', { input: input() })
  await story.ask('signup', 'success-invited-and-from-a-campaign', {
    language: 'en',
    input: input({
      username: 'carol_jones',
      email: 'carol@example.com',
      referral_id: code,
      admin_referral_code: 'spring-sale',
    }),
  })
  await story.ask('signup', 'success-unknown-referral-code-is-ignored', {
    input: input({ username: 'dmitry_petrov', email: 'dmitry@example.com', referral_id: 'nobody' }),
  })
  const documents = await signUpDocuments(story.shop.database.db, 'ru')
  const consents = documents.map(({ document, sha256 }) => ({ document, sha256: sha256.toString('hex') }))
  const agreeing = { username: 'fyodor_orlov', email: 'fyodor@example.com' }
  await story.ask('signup', 'success-with-consents', { input: input({ ...agreeing, consents }) })
  const refused = (name: string, code: Parameters<Story['ask']>[2], given: object) =>
    story.ask('signup', name, { ...code, input: input(given) })
  await refused(
    'consents-outdated',
    { ends: 'consents_outdated' },
    { username: 'gleb_orlov', email: 'gleb@example.com', consents: consents.slice(1) },
  )
  await refused('fill-fields', { ends: 'fill_fields' }, { email: '  ' })
  await refused('invalid-username-six-characters', { ends: 'invalid_username' }, { username: ' sixsix ' })
  await refused('invalid-username-with-an-at', { ends: 'invalid_username' }, { username: 'anna@smith' })
  await refused('username-like-a-link', { ends: 'username_like_link' }, { username: 'anna.example/win' })
  await refused('invalid-email', { ends: 'invalid_email' }, { email: 'boris example@com' })
  await refused('invalid-password', { ends: 'invalid_password' }, { password: ' sixsix ' })
  await refused('password-too-common', { ends: 'password_too_common' }, { password: 'Password1' })
  await refused(
    'username-taken-in-other-capitals',
    { ends: 'username_taken' },
    {
      username: 'ＡNNA_Smith',
      email: 'other@example.com',
    },
  )
  await refused(
    'email-taken',
    { ends: 'email_taken', language: 'en' },
    {
      username: 'another_anna',
      email: 'ANNA_SMITH@example.com',
    },
  )
  await attempts(story, 'signup_ip', '203.0.113.10', 30)
  await refused(
    'too-many-attempts',
    { ends: 'too_many_attempts', from: '203.0.113.10' },
    {
      username: 'one_too_many',
      email: 'many@example.com',
    },
  )
}

export async function signingIn(story: Story): Promise<void> {
  const { shop } = story
  const { email, password } = await story.customer('anna_smith')
  const learn = (name: string) => ({ [`token of ${name}`]: sessionToken })
  await story.ask('signin', 'success-by-name', {
    input: { username: 'anna_smith', password },
    learn: learn('a session of anna_smith'),
  })
  await story.ask('signin', 'success-by-email', {
    input: { username: email.toUpperCase(), password },
    learn: learn('another session of anna_smith'),
  })
  await story.ask('signin', 'invalid-credentials-wrong-password', {
    ends: 'invalid_credentials',
    input: { username: 'anna_smith', password: 'wrong password' },
  })
  await story.ask('signin', 'invalid-credentials-unknown-name', {
    ends: 'invalid_credentials',
    input: { username: 'nobody_at_all', password },
  })
  for (const { kind, max } of signinLimits('', '').filter((limit) => limit.kind === 'signin_account'))
    await attempts(story, kind, nameSubject('somebody_else'), max)
  await story.ask('signin', 'too-many-attempts', {
    ends: 'too_many_attempts',
    language: 'en',
    input: { username: 'somebody_else', password },
  })
  await story.customer('blocked_one')
  await blockAccount(shop.database.db, { accountId: await idOf(story, 'blocked_one') }, shop.clock.now)
  await story.ask('signin', 'account-blocked', {
    ends: 'account_blocked',
    input: { username: 'blocked_one', password: 'password of blocked_one' },
  })
  await story.ask('legacy_profile', 'unauthorized-blocked-account', {
    ends: 'unauthorized',
    as: 'blocked_one',
  })
  await story.ask('signout', 'success', { as: 'a session of anna_smith' })
  await story.ask('signout', 'unauthorized-signed-out-already', {
    ends: 'unauthorized',
    as: 'a session of anna_smith',
  })
}

export async function byTelegram(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  const arrival = { telegramUserId: 7_000_000_001n, lang: 'eng', referralCode: null } as const
  const { account } = await arriveByTelegram(db, arrival)
  const give = async (name: string) => {
    const { code } = await issueTelegramCode(db, shop.services.secrets, account.id, shop.clock.now)
    story.know(name, code)
    return code
  }
  const code = await give('the six digits')
  await story.ask('telegram_code_signin', 'success', {
    input: { p_code: code },
    learn: { 'token of the person in Telegram': sessionToken },
  })
  await story.ask('telegram_code_signin', 'code-used-already', {
    ends: 'telegram_code_unknown',
    input: { p_code: code },
  })
  await story.ask('legacy_profile', 'success-of-an-account-made-by-the-bot', { as: 'the person in Telegram' })
  await story.ask('is_password_exists', 'success-false', { as: 'the person in Telegram' })
  await story.ask('resend_confirmation', 'no-email', { as: 'the person in Telegram', ends: 'no_email' })
  const aged = (minutes: number) =>
    sql`update session set created_at = created_at - make_interval(mins => ${minutes})`.execute(
      story.shop.database.db,
    )
  await aged(11)
  await story.ask('change_account_password', 'sign-in-again', {
    as: 'the person in Telegram',
    ends: 'sign_in_again',
    input: { new_password: 'first password' },
  })
  await aged(-11)
  await story.ask('change_account_password', 'success-of-the-first-password', {
    as: 'the person in Telegram',
    input: { new_password: 'first password' },
  })
  await story.ask('telegram_code_signin', 'code-missing', { ends: 'telegram_code_missing', input: {} })
  await story.ask('telegram_code_signin', 'code-not-text', {
    ends: 'telegram_code_missing',
    language: 'en',
    input: { p_code: 123456 },
  })
  await story.ask('telegram_code_signin', 'code-not-six-digits', {
    ends: 'telegram_code_invalid',
    input: { p_code: '12345' },
  })
  const late = await give('the late six digits')
  const { now } = shop.clock
  shop.clock.now = new Date(now.getTime() + 5 * 60_000)
  await story.ask('telegram_code_signin', 'code-expired', {
    ends: 'telegram_code_unknown',
    from: '203.0.113.20',
    input: { p_code: late },
  })
  shop.clock.now = now
  await blockAccount(db, { accountId: account.id }, now)
  await story.ask('telegram_code_signin', 'account-blocked', {
    ends: 'account_blocked',
    from: '203.0.113.22',
    input: { p_code: await give('six digits of a blocked account') },
  })
  await attempts(story, 'telegram_code', '203.0.113.21', 5)
  await story.ask('telegram_code_signin', 'too-many-attempts', {
    ends: 'too_many_attempts',
    from: '203.0.113.21',
    input: { p_code: '123456' },
  })
}

export async function letters(story: Story): Promise<void> {
  const { shop } = story
  const { email } = await story.customer('anna_smith')
  const confirmation = await letter(story, 'confirm_email', 'anna_smith')
  await story.ask('confirm_email', 'success', { input: { confirmation_token: confirmation } })
  await story.ask('resend_confirmation', 'confirmed-already', {
    as: 'anna_smith',
    ends: 'email_confirmed_already',
  })
  await story.ask('confirm_email', 'used-already', {
    ends: 'invalid_confirmation_token',
    input: { confirmation_token: confirmation },
  })
  await story.customer('boris_ivanov')
  await story.ask('resend_confirmation', 'success', { as: 'boris_ivanov' })
  await story.ask('resend_confirmation', 'success-second-letter', { as: 'boris_ivanov' })
  await story.ask('resend_confirmation', 'success-third-letter', { as: 'boris_ivanov' })
  await story.ask('resend_confirmation', 'too-many-attempts', {
    as: 'boris_ivanov',
    ends: 'too_many_attempts',
  })
  const late = await letter(story, 'confirm_email', 'boris_ivanov')
  const { now } = shop.clock
  shop.clock.now = new Date(now.getTime() + 48 * 60 * 60_000)
  await story.ask('confirm_email', 'expired', {
    ends: 'invalid_confirmation_token',
    language: 'en',
    input: { confirmation_token: late },
  })
  shop.clock.now = now
  await attempts(story, 'token_ip', '203.0.113.30', 30)
  await story.ask('confirm_email', 'too-many-attempts', {
    ends: 'too_many_attempts',
    from: '203.0.113.30',
    input: { confirmation_token: 'guess' },
  })

  await story.ask('request_password_reset', 'success', { input: { email } })
  await story.ask('request_password_reset', 'success-unknown-address-alike', {
    input: { email: 'nobody@example.com' },
  })
  await story.ask('request_password_reset', 'invalid-email', {
    ends: 'invalid_email',
    input: { email: 'anna_smith' },
  })
  await attempts(story, 'reset_ip', '203.0.113.31', 10)
  await story.ask('request_password_reset', 'too-many-attempts', {
    ends: 'too_many_attempts',
    from: '203.0.113.31',
    input: { email },
  })

  const reset = await letter(story, 'reset_password', 'anna_smith')
  const input = { reset_token: reset, new_password: 'another password' }
  await story.ask('reset_account_password', 'invalid-password', {
    ends: 'invalid_password',
    input: { ...input, new_password: 'sixsix' },
  })
  await story.ask('reset_account_password', 'password-too-common', {
    ends: 'password_too_common',
    language: 'en',
    input: { ...input, new_password: '1234567890' },
  })
  await story.ask('reset_account_password', 'success', { input })
  await story.ask('reset_account_password', 'used-already', { ends: 'invalid_reset_token', input })
  await story.ask('reset_account_password', 'too-many-attempts', {
    ends: 'too_many_attempts',
    from: '203.0.113.30',
    input,
  })
  await story.ask('is_password_exists', 'unauthorized-password-was-reset', {
    ends: 'unauthorized',
    as: 'anna_smith',
  })
}

export async function ownAccount(story: Story): Promise<void> {
  const { shop } = story
  const { password } = await story.customer('anna_smith')
  const as = 'anna_smith'
  await story.ask('legacy_profile', 'success-of-a-new-account', { as })
  await story.ask('change_language', 'success', { as, input: { code: 'eng' } })
  await story.ask('change_language', 'invalid-code', {
    ends: { status: 422, code: 'invalid_code' },
    as,
    input: { code: 'deu' },
  })
  await story.ask('is_password_exists', 'success-true', { as })

  const change = (old_password: string | null, new_password: string) => ({ old_password, new_password })
  await story.ask('change_account_password', 'wrong-password', {
    ends: 'wrong_password',
    as,
    input: change('wrong password', 'another password'),
  })
  await story.ask('change_account_password', 'fill-fields-without-the-old-one', {
    ends: 'fill_fields',
    as,
    input: change(null, 'another password'),
  })
  await story.ask('change_account_password', 'invalid-password', {
    ends: 'invalid_password',
    as,
    input: change(password, 'sixsix'),
  })
  await story.ask('change_account_password', 'password-too-common', {
    ends: 'password_too_common',
    as,
    input: change(password, 'iloveyou'),
  })
  const origin = { ip: '192.0.2.1', userAgent: null, country: null }
  const from = { accountId: await idOf(story, as), origin, way: 'password' } as const
  const other = await openSession(shop.database.db, from, shop.clock.now)
  story.know('token of the other session', other)
  await story.ask('change_account_password', 'success', { as, input: change(password, 'another password') })
  await story.ask('legacy_profile', 'unauthorized-password-was-changed-in-another-session', {
    ends: 'unauthorized',
    as: 'the other session',
  })
  await attempts(story, 'password_account', `account ${await idOf(story, as)}`, 10)
  await story.ask('change_account_password', 'too-many-attempts', {
    ends: 'too_many_attempts',
    as,
    input: change('a guess', 'another password'),
  })
  await story.ask('personal_data', 'success', { as })
  const proof = { password: 'another password' }
  await story.ask('request_erasure', 'fill-fields', { ends: 'fill_fields', as, input: {} })
  await story.ask('request_erasure', 'too-many-attempts', { ends: 'too_many_attempts', as, input: proof })
  await shop.database.db.deleteFrom('attempt').execute()
  await story.ask('export_personal_data', 'success', {
    as,
    input: proof,
    learn: { 'token of the download': /token=([\w-]{43})/ },
  })
  await story.ask('export_personal_data', 'fill-fields', { ends: 'fill_fields', as, input: {} })
  await story.ask('export_personal_data', 'wrong-password', {
    ends: 'wrong_password',
    as,
    input: { password: 'a guess' },
  })
  await attempts(story, 'download_account', `account ${await idOf(story, as)}`, 5)
  await story.ask('export_personal_data', 'too-many-attempts', {
    ends: 'too_many_attempts',
    as,
    input: proof,
  })
  await story.ask('request_erasure', 'wrong-password', {
    ends: 'wrong_password',
    as,
    input: { password: 'a guess' },
  })
  await story.ask('request_erasure', 'success', { as, input: proof })
  await story.ask('withdraw_erasure', 'success', { as })
  const { now } = shop.clock
  await shop.database.db
    .updateTable('account')
    .set({ password_hash: null })
    .where('username', '=', as)
    .execute()
  shop.clock.now = new Date(now.getTime() + 11 * 60_000)
  await story.ask('request_erasure', 'sign-in-again', { ends: 'sign_in_again', as, input: {} })
  await story.ask('export_personal_data', 'sign-in-again', { ends: 'sign_in_again', as, input: {} })
  shop.clock.now = new Date(now.getTime() + 31 * 24 * 60 * 60_000)
  await story.ask('legacy_profile', 'unauthorized-after-thirty-days', { ends: 'unauthorized', as })
  shop.clock.now = now
}

export async function resellers(story: Story): Promise<void> {
  await story.customer('anna_smith')
  const as = 'anna_smith'
  await askAtChangeLimit(story, 'reseller_token', { as })
  await story.ask('reseller_token', 'success', { as, learn: { 'token of the program': resellerToken } })
  await story.ask('reseller_token', 'success-the-same-again', { as })
  await story.ask('legacy_profile', 'success-by-a-reseller-token', { as: 'the program' })
  // A burst of sixty is admitted, twenty more per second.
  await askAtChangeLimit(story, 'rotate_reseller_token', { as })
  await story.ask('rotate_reseller_token', 'success', {
    as,
    learn: { 'token of the new program': resellerToken },
  })
  await story.ask('rotate_reseller_token', 'unauthorized-by-the-old-token', {
    ends: 'unauthorized',
    as: 'the program',
  })
  await story.shop.database.db
    .updateTable('reseller_token')
    .set({ token_sealed: Buffer.from('damaged') })
    .execute()
  await story.ask('reseller_token', 'token-unreadable', { as, ends: 'token_unreadable' })
  await story.ask('revoke_reseller_token', 'success', { as })
  await story.ask('revoke_reseller_token', 'unauthorized-by-the-revoked-token', {
    ends: 'unauthorized',
    as: 'the new program',
  })
}

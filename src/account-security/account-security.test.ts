import { generate } from 'otplib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completeEmailChanges, emailJobs, forgetEmailChanges, pendingEmail } from '#accounts/email'
import { securityChangedAt } from '#accounts'
import { arriveByTelegram, linkTelegram, unlinkTelegram } from '#accounts/telegram'
import { issueTelegramCode } from '#accounts/telegram/code'
import { app, type App, accountIdOf, type Customer, refusalOf } from '#test/app'
import { Authenticator } from '#test/authenticator'
import { tokenInLetter } from '#test/letters'
import { oneWaitsForLock, someWaitForLock } from '#test/waiting.statement'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const origin = 'http://localhost:3000'
const later = (minutes: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000)
}
let places = 0
/** A caller with an address of its own. */
const someone = (token?: string) => shop.from(`198.19.${++places >> 8}.${places % 256}`, 'en', token)
const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(shop.clock.now.getTime() / 1000) })

interface Step {
  ticket: string
  factors: string[]
}

/** The ticket of a sign-in's second step. */
async function firstStep({ username, password }: Customer, call = someone()): Promise<Step> {
  const refusal = await refusalOf(call('signin', { username, password }))
  expect(refusal).toMatchObject({ code: 'second_factor_needed', status: 403 })
  return refusal.details as unknown as Step
}

/** A customer with an authenticator app. */
async function withTotp() {
  const customer = await shop.customer()
  const { secret, uri } = await customer.call('totp_begin', {})
  expect(uri).toContain('otpauth://totp/')
  const { recovery_codes: codes } = await customer.call('totp_finish', { code: await codeOf(secret) })
  later(2)
  return { customer, secret, codes }
}

/** A customer with a passkey. */
async function withPasskey() {
  const customer = await shop.customer()
  const key = new Authenticator()
  const { options } = await customer.call('passkey_begin', {})
  const made = await customer.call('passkey_finish', { name: 'Phone', response: key.create(options, origin) })
  return { customer, key, codes: made.recovery_codes }
}

const mailTo = async (email: string, template: string) =>
  shop.database.db
    .selectFrom('mail')
    .select(['data', 'recipient'])
    .where('recipient', '=', email)
    .where('template', '=', template)
    .orderBy('created_at')
    .execute()

/** The security changes that letters reported to an owner. */
const toldOf = async (email: string) =>
  (await mailTo(email, 'security_changed')).map(({ data }) => (data as { event: string }).event)

const tokenIn = (to: string, template: string) => tokenInLetter(shop, { template, to })

describe('an authenticator app', () => {
  it('makes sign-ins need a second step, creates ten recovery codes and sends a letter', async () => {
    const { customer, secret, codes } = await withTotp()
    expect(new Set(codes).size).toBe(10)
    expect(await toldOf(customer.email)).toEqual(['totp_added'])
    const { ticket, factors } = await firstStep(customer)
    expect(factors).toEqual(['totp', 'recovery_code'])
    const proof = { kind: 'totp' as const, code: await codeOf(secret) }
    const token = await someone()('signin_second_step', { ticket, proof })
    const overview = await someone(token)('security', {})
    expect(overview.factors).toEqual(['totp', 'recovery_code'])
    expect(overview.totp?.used_at).toBe(shop.clock.now.toISOString())
  })

  it('accepts a code once, also under concurrent uses, and codes of the step before and after', async () => {
    const { customer, secret } = await withTotp()
    const code = await codeOf(secret)
    const steps = await Promise.all(Array.from({ length: 4 }, () => firstStep(customer)))
    const ends = await Promise.allSettled(
      steps.map(({ ticket }) => someone()('signin_second_step', { ticket, proof: { kind: 'totp', code } })),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const again = await firstStep(customer)
    const replayed = someone()('signin_second_step', { ticket: again.ticket, proof: { kind: 'totp', code } })
    expect((await refusalOf(replayed)).code).toBe('wrong_factor')
    later(2)
    const before = await codeOf(secret)
    later(0.5)
    const token = await someone()('signin_second_step', {
      ticket: again.ticket,
      proof: { kind: 'totp', code: before },
    })
    expect(token).toMatch(/^[\w-]{43}$/)
  })

  it('limits wrong codes per account from any address; the owner can still use a passkey', async () => {
    const { customer } = await withTotp()
    const key = new Authenticator()
    const { options } = await customer.call('passkey_begin', {})
    await customer.call('passkey_finish', { name: 'Phone', response: key.create(options, origin) })
    const { ticket } = await firstStep(customer)
    const guesses = await Promise.all(
      Array.from({ length: 14 }, () =>
        refusalOf(someone()('signin_second_step', { ticket, proof: { kind: 'totp', code: '000000' } })),
      ),
    )
    const answers = guesses.map(({ code }) => code)
    expect(answers.filter((code) => code === 'wrong_factor')).toHaveLength(10)
    expect(answers.filter((code) => code === 'too_many_attempts')).toHaveLength(4)
    const { options: challenge } = await someone()('signin_passkey_options', { ticket })
    const proof = { kind: 'passkey' as const, response: key.get(challenge, origin) }
    expect(await someone()('signin_second_step', { ticket, proof })).toMatch(/^[\w-]{43}$/)
  })

  it('is not set up by a wrong code, nor by a code of a secret that another session requested', async () => {
    const { call } = await shop.customer()
    await call('totp_begin', {})
    expect((await refusalOf(call('totp_finish', { code: '000000' }))).code).toBe('wrong_factor')
    const other = await shop.customer()
    const { secret } = await other.call('totp_begin', {})
    const foreign = await codeOf(secret)
    expect((await refusalOf(call('totp_finish', { code: foreign }))).code).toBe('wrong_factor')
    expect((await call('security', {})).factors).toEqual([])
  })
})

describe('the ticket of a second step', () => {
  it('authorizes nothing by itself, works once, and expires after five minutes or with a new password', async () => {
    const { customer, secret, codes } = await withTotp()
    const { ticket } = await firstStep(customer)
    expect((await refusalOf(someone(ticket)('legacy_profile', {}))).code).toBe('unauthorized')
    const use = async (given: string, code: string) =>
      someone()('signin_second_step', { ticket: given, proof: { kind: 'recovery_code', code } })
    await use(ticket, codes[0] ?? '')
    expect((await refusalOf(use(ticket, codes[1] ?? ''))).code).toBe('sign_in_step_ended')
    const late = await firstStep(customer)
    later(5)
    expect((await refusalOf(use(late.ticket, codes[1] ?? ''))).code).toBe('sign_in_step_ended')
    const stale = await firstStep(customer)
    const proof = { kind: 'totp' as const, code: await codeOf(secret) }
    await customer.call('prove_owner', { proof })
    const change = { old_password: customer.password, new_password: 'another password' }
    await customer.call('change_account_password', change)
    expect((await refusalOf(use(stale.ticket, codes[1] ?? ''))).code).toBe('sign_in_step_ended')
  })

  it('is not issued for a wrong password, and the refusal does not reveal second factors', async () => {
    const { customer } = await withTotp()
    const given = { username: customer.username, password: 'wrong password' }
    const refusal = await refusalOf(someone()('signin', given))
    expect(refusal).toMatchObject({ code: 'invalid_credentials', details: {} })
  })

  it('is needed after a code of the bot too', async () => {
    const { db } = shop.database
    const arrival = { telegramUserId: 5_000_000_001n, lang: 'eng', referralCode: null } as const
    const { account } = await arriveByTelegram(db, arrival)
    const give = async () =>
      (await issueTelegramCode(db, shop.services.secrets, account.id, shop.clock.now)).code
    const token = await someone()('telegram_code_signin', { p_code: await give() })
    const call = someone(token)
    const { secret } = await call('totp_begin', {})
    await call('totp_finish', { code: await codeOf(secret) })
    later(1)
    const refusal = await refusalOf(someone()('telegram_code_signin', { p_code: await give() }))
    expect(refusal.code).toBe('second_factor_needed')
    const { ticket } = refusal.details as unknown as Step
    const proof = { kind: 'totp' as const, code: await codeOf(secret) }
    expect(await someone()('signin_second_step', { ticket, proof })).toMatch(/^[\w-]{43}$/)
  })
})

describe('a recovery code', () => {
  it('works once, also under concurrent uses, and the owner is notified', async () => {
    const { customer, codes } = await withTotp()
    const steps = await Promise.all(Array.from({ length: 4 }, () => firstStep(customer)))
    const proof = { kind: 'recovery_code' as const, code: (codes[0] ?? '').toUpperCase() }
    const ends = await Promise.allSettled(
      steps.map(({ ticket }) => someone()('signin_second_step', { ticket, proof })),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await toldOf(customer.email)).toContain('recovery_code_used')
  })

  it('becomes invalid when new ones are made, and is stored as a digest only', async () => {
    const { customer, codes } = await withTotp()
    const { recovery_codes: fresh } = await customer.call('new_recovery_codes', {})
    expect(fresh.filter((code) => codes.includes(code))).toEqual([])
    const { ticket } = await firstStep(customer)
    const use = async (code = '') =>
      someone()('signin_second_step', { ticket, proof: { kind: 'recovery_code', code } })
    expect((await refusalOf(use(codes[0]))).code).toBe('wrong_factor')
    const { rows } = await shop.database.pool.query('select code_sha256::text from account_recovery_code')
    expect(JSON.stringify(rows)).not.toContain((fresh[0] ?? '').replaceAll('-', ''))
    await use(fresh[0])
  })
})

describe('a passkey', () => {
  it('signs in alone, without a name', async () => {
    const { customer, key } = await withPasskey()
    const { options } = await someone()('signin_passkey_options', {})
    expect(options).not.toHaveProperty('allowCredentials.0')
    const token = await someone()('signin_passkey', { response: key.get(options, origin) })
    expect((await someone(token)('legacy_profile', {}))[0]?.username).toBe(customer.username)
  })

  it('is refused from another site, without user verification, and when its challenge was used before', async () => {
    const { key } = await withPasskey()
    const options = async () => (await someone()('signin_passkey_options', {})).options
    const fails = async (response: Record<string, unknown>) =>
      expect((await refusalOf(someone()('signin_passkey', { response }))).code).toBe('wrong_factor')
    await fails(key.get(await options(), 'https://shop.example.evil'))
    const elsewhere = { ...(await options()), rpId: 'example.evil' }
    await fails(key.get(elsewhere, origin))
    key.verifies = false
    await fails(key.get(await options(), origin))
    key.verifies = true
    const answer = key.get(await options(), origin)
    const ends = await Promise.allSettled(
      [1, 2, 3].map(() => someone()('signin_passkey', { response: answer })),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await fails(answer)
  })

  it('is refused for a challenge that the server did not issue, of another purpose, or older than five minutes', async () => {
    const { customer, key } = await withPasskey()
    const fails = async (response: Record<string, unknown>) =>
      expect((await refusalOf(someone()('signin_passkey', { response }))).code).toBe('wrong_factor')
    const { options } = await someone()('signin_passkey_options', {})
    await fails(key.get({ ...options, challenge: Buffer.alloc(38, 7).toString('base64url') }, origin))
    await fails(key.get((await customer.call('prove_owner_options', {})).options, origin))
    later(5)
    await fails(key.get(options, origin))
    await fails({ id: key.id.toString('base64url'), response: { clientDataJSON: 'e30' } })
    await fails({})
  })

  it('of another account finishes no second step and does not prove the owner', async () => {
    const { customer } = await withTotp()
    const { key: foreign } = await withPasskey()
    const { ticket } = await firstStep(customer)
    const { options } = await someone()('signin_passkey_options', { ticket })
    const proof = { kind: 'passkey' as const, response: foreign.get(options, origin) }
    const step = someone()('signin_second_step', { ticket, proof })
    expect((await refusalOf(step)).code).toBe('wrong_factor')
    const { options: own } = await customer.call('prove_owner_options', {})
    const prove = customer.call('prove_owner', {
      proof: { kind: 'passkey', response: foreign.get(own, origin) },
    })
    expect((await refusalOf(prove)).code).toBe('wrong_factor')
  })

  it('is added once, and not for another session’s challenge', async () => {
    const { customer, key, codes } = await withPasskey()
    expect(codes).toHaveLength(10)
    const { options } = await customer.call('passkey_begin', {})
    const again = customer.call('passkey_finish', { name: 'Again', response: key.create(options, origin) })
    expect((await refusalOf(again)).code).toBe('wrong_factor')
    const other = await shop.customer()
    const { options: theirs } = await other.call('passkey_begin', {})
    const response = new Authenticator().create(theirs, origin)
    const crossed = customer.call('passkey_finish', { name: 'Crossed', response })
    expect((await refusalOf(crossed)).code).toBe('wrong_factor')
  })

  it('that was removed no longer signs in; without any factor the password is enough', async () => {
    const { customer, key } = await withPasskey()
    const other = await withPasskey()
    const id = (await customer.call('security', {})).passkeys[0]?.id ?? ''
    const foreign = other.customer.call('remove_passkey', { id })
    expect((await refusalOf(foreign)).code).toBe('passkey_not_found')
    await customer.call('remove_passkey', { id })
    const { options } = await someone()('signin_passkey_options', {})
    const gone = someone()('signin_passkey', { response: key.get(options, origin) })
    expect((await refusalOf(gone)).code).toBe('wrong_factor')
    const { username, password } = customer
    expect(await someone()('signin', { username, password })).toMatch(/^[\w-]{43}$/)
    expect((await customer.call('security', {})).recovery_codes_left).toBe(0)
    expect(await toldOf(customer.email)).toEqual(['passkey_added', 'passkey_removed'])
  })
})

describe('a stolen session', () => {
  it('changes nothing that protects the account once the proof is ten minutes old', async () => {
    const { customer, secret } = await withTotp()
    later(10)
    const { call, password } = customer
    const acts = [
      () => call('remove_totp', {}),
      () => call('totp_begin', {}),
      () => call('passkey_begin', {}),
      () => call('new_recovery_codes', {}),
      () => call('change_email', { email: 'thief@example.com' }),
      () => call('change_account_password', { old_password: password, new_password: 'thiefs password' }),
      () => call('export_personal_data', { password }),
      () => call('request_erasure', { password }),
      () => call('reseller_token', {}),
      () => call('rotate_reseller_token', {}),
      () => call('prove_owner', { proof: { kind: 'password', password } }),
    ]
    for (const act of acts) expect((await refusalOf(act())).code).toBe('proof_needed')
    expect((await call('legacy_profile', {}))[0]?.tgcode).toBeNull()
    await call('prove_owner', { proof: { kind: 'totp', code: await codeOf(secret) } })
    expect((await call('legacy_profile', {}))[0]?.tgcode).not.toBeNull()
    expect(await call('reseller_token', {})).toMatch(/^tpr_/)
    await call('remove_totp', {})
    expect((await call('security', {})).factors).toEqual([])
  })

  it('sets up no second factor either: the password is asked for', async () => {
    const { call, password } = await shop.customer()
    later(10)
    expect((await refusalOf(call('totp_begin', {}))).code).toBe('proof_needed')
    const wrong = call('prove_owner', { proof: { kind: 'password', password: 'wrong password' } })
    expect((await refusalOf(wrong)).code).toBe('wrong_password')
    await call('prove_owner', { proof: { kind: 'password', password } })
    expect((await call('totp_begin', {})).secret).toMatch(/^[A-Z2-7]{32}$/)
  })

  it('appears in the list of sessions, and another session can end it', async () => {
    const { call, username, password } = await shop.customer()
    const there = shop.from('198.51.100.9', 'en')
    const stolen = await there('signin', { username, password })
    const rows = await call('my_sessions', {})
    expect(rows).toHaveLength(2)
    const row = rows.find(({ current }) => !current)
    expect(row?.ip).toBe('198.51.100.9')
    expect(await call('end_sessions', { id: row?.id })).toEqual({ ended: 1 })
    expect((await refusalOf(someone(stolen)('legacy_profile', {}))).code).toBe('unauthorized')
    const other = await shop.customer()
    const mine = (await call('my_sessions', {}))[0]?.id
    expect(await other.call('end_sessions', { id: mine })).toEqual({ ended: 0 })
    await there('signin', { username, password })
    expect(await call('end_sessions', {})).toEqual({ ended: 1 })
    expect((await call('my_sessions', {})).map(({ current }) => current)).toEqual([true])
  })
})

describe('a sign-in from a new device or country', () => {
  /** Browsers that keep their cookies. */
  const cookies = new Map<string, string>()
  const browser = (agent: string, country: string) => async (username: string, password: string) => {
    const cookie = cookies.get(agent)
    const answer = await fetch(`${shop.origin}/api/rpc/signin`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': agent,
        'cf-ipcountry': country,
        ...(cookie === undefined ? {} : { cookie }),
      },
      body: JSON.stringify({ username, password }),
    })
    expect(answer.status).toBe(200)
    cookies.set(agent, answer.headers.get('set-cookie')?.split(';')[0] ?? '')
    return answer.text()
  }
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1'

  it('is reported once by letter, unless these letters are switched off', async () => {
    const { call, username, password, email } = await shop.customer()
    const letters = async () => (await mailTo(email, 'new_sign_in')).map(({ data }) => data)
    expect(await letters()).toEqual([])
    await browser(firefox, 'DE')(username, password)
    await browser(firefox, 'DE')(username, password)
    expect(await letters()).toMatchObject([{ device: 'Firefox, Linux', country: 'DE' }])
    await browser(firefox, 'FR')(username, password)
    const token = await browser(iphone, 'FR')(username, password)
    expect(await letters()).toMatchObject([
      { country: 'DE' },
      { device: 'Firefox, Linux', country: 'FR' },
      { device: 'Safari, iPhone', country: 'FR' },
    ])
    await call('set_sign_in_letters', { on: false })
    await browser(iphone, 'IT')(username, password)
    expect(await letters()).toHaveLength(3)
    const current = (await someone(token)('my_sessions', {})).find((row) => row.current)
    expect(current).toMatchObject({ device: 'Safari, iPhone', country: 'FR' })
  })
})

describe('Telegram', () => {
  const codeIn = async ({ call }: Pick<Customer, 'call'>) => (await call('legacy_profile', {}))[0]?.tgcode
  const link = async (customer: Customer, telegramUserId: bigint) => {
    const code = (await codeIn(customer)) ?? ''
    const { database, services, clock } = shop
    await linkTelegram(database.db, services.secrets, { telegramUserId, code }, clock.now)
  }
  const signInByCode = async (accountId: bigint) => {
    const { database, services, clock } = shop
    const { code } = await issueTelegramCode(database.db, services.secrets, accountId, clock.now)
    return someone(await someone()('telegram_code_signin', { p_code: code }))
  }

  it('cannot be linked by a session that was not proved recently, even without a second factor', async () => {
    const customer = await shop.customer()
    expect(await codeIn(customer)).not.toBeNull()
    later(11)
    expect(await codeIn(customer)).toBeNull()
    await customer.call('prove_owner', { proof: { kind: 'password', password: customer.password } })
    expect(await codeIn(customer)).not.toBeNull()
  })

  it('that was linked or unlinked is reported by letter, and puts gifts on hold', async () => {
    const customer = await shop.customer()
    const accountId = BigInt(await accountIdOf(customer))
    await link(customer, 77_001n)
    expect(await toldOf(customer.email)).toEqual(['telegram_linked'])
    expect(await securityChangedAt(shop.database.db, accountId)).toEqual(shop.clock.now)
    later(60)
    await unlinkTelegram(shop.database.db, 77_001n, shop.clock.now)
    expect(await toldOf(customer.email)).toEqual(['telegram_linked', 'telegram_unlinked'])
    expect(await securityChangedAt(shop.database.db, accountId)).toEqual(shop.clock.now)
  })

  it('that was linked less than 72 hours ago signs in, but does not prove the owner', async () => {
    const customer = await shop.customer()
    const accountId = BigInt(await accountIdOf(customer))
    await link(customer, 77_002n)
    const thief = await signInByCode(accountId)
    expect((await thief('security', {})).proven_until).toBeNull()
    for (const name of ['totp_begin', 'passkey_begin'] as const)
      expect((await refusalOf(thief(name, {}))).code).toBe('proof_needed')
    expect((await refusalOf(thief('change_email', { email: 'thief@example.net' }))).code).toBe('proof_needed')
    later(73 * 60)
    expect((await (await signInByCode(accountId))('security', {})).proven_until).not.toBeNull()
  })

  it('alone sets a first password only with a sign-in of the last ten minutes', async () => {
    const { account } = await arriveByTelegram(shop.database.db, {
      telegramUserId: 77_003n,
      lang: 'eng',
      referralCode: null,
    })
    const stolen = await signInByCode(account.id)
    later(11)
    const wish = { new_password: 'the password of a thief' }
    expect((await refusalOf(stolen('change_account_password', wish))).code).toBe('sign_in_again')
    expect(await stolen('is_password_exists', {})).toBe(false)
    const own = await signInByCode(account.id)
    await own('change_account_password', wish)
    expect(await own('is_password_exists', {})).toBe(true)
  })
})

describe('the API token', () => {
  it('shows the time of its last use to the minute, and the address; it cannot call account security', async () => {
    const { call } = await shop.customer()
    const token = await call('reseller_token', {})
    expect((await call('security', {})).api_token).toMatchObject({ used_at: null, used_ip: null })
    const at = shop.clock.now.toISOString()
    await shop.from('198.51.100.20', 'en', token)('legacy_profile', {})
    later(0.5)
    await shop.from('198.51.100.21', 'en', token)('legacy_profile', {})
    expect((await call('security', {})).api_token).toMatchObject({ used_at: at, used_ip: '198.51.100.20' })
    later(1)
    await shop.from('198.51.100.21', 'en', token)('legacy_profile', {})
    expect((await call('security', {})).api_token).toMatchObject({ used_ip: '198.51.100.21' })
    for (const name of ['security', 'my_sessions', 'totp_begin', 'end_sessions'] as const)
      expect((await refusalOf(someone(token)(name, {}))).code).toBe('not_for_reseller_token')
  })
})

describe('another e-mail address', () => {
  const confirmed = async () => {
    const customer = await shop.customer()
    await customer.call('legacy_profile', {})
    await someone()('confirm_email', {
      confirmation_token: await tokenIn(customer.email, 'confirm_email'),
    })
    return customer
  }
  const sendLetters = async (customer: Customer) => {
    const { db } = shop.database
    const accountId = BigInt(await accountIdOf(customer))
    const change = await db
      .selectFrom('email_change')
      .select('id')
      .where('account_id', '=', accountId)
      .where('confirmed_at', 'is', null)
      .executeTakeFirstOrThrow()
    const jobs = emailJobs({ db, secrets: shop.services.secrets, now: async () => shop.clock.now })
    await jobs['mail_email_change']?.({ change_id: String(change.id) }, {} as never)
  }
  const emailOf = async ({ call }: Customer) => (await call('legacy_profile', {}))[0]?.email

  it('takes effect when it is confirmed; restoring the old one revokes everything else', async () => {
    const customer = await confirmed()
    const { call, email: old } = customer
    const fresh = `fresh.${old}`
    await call('change_email', { email: fresh })
    expect(await mailTo(old, 'approve_new_email')).toHaveLength(1)
    await sendLetters(customer)
    expect(await emailOf(customer)).toBe(old)
    expect((await call('security', {})).pending_email?.email).toBe(fresh)
    const token = await tokenIn(fresh, 'confirm_new_email')
    const ends = await Promise.allSettled(
      [1, 2, 3].map(() => someone()('confirm_new_email', { confirmation_token: token })),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    // The old address has not agreed yet: a thief of the password has only the new one.
    expect(await emailOf(customer)).toBe(old)
    expect((await call('security', {})).pending_email?.waits_for).toEqual(['old'])
    const answer = { answer_token: await tokenIn(old, 'approve_new_email'), agreed: true }
    const agreed = await Promise.allSettled([1, 2, 3].map(() => someone()('answer_email_change', answer)))
    expect(agreed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await emailOf(customer)).toBe(fresh)
    // Nobody can take the old address while its owner may restore it.
    const squatter = { username: 'squatter of it', email: old, password: 'password of squatter' }
    expect((await refusalOf(someone()('signup', { ...squatter, username: 'squatter1' }))).code).toBe(
      'email_taken',
    )
    const api = await call('reseller_token', {})
    const undo = await tokenIn(old, 'email_replaced')
    later(6 * 24 * 60)
    await someone()('undo_email_change', { undo_token: undo })
    expect((await refusalOf(call('legacy_profile', {}))).code).toBe('unauthorized')
    expect((await refusalOf(someone(api)('legacy_profile', {}))).code).toBe('unauthorized')
    const { username, password } = customer
    expect((await refusalOf(someone()('signin', { username, password }))).code).toBe('invalid_credentials')
    const reset = { reset_token: await tokenIn(old, 'reset_password'), new_password: 'password of the owner' }
    await someone()('reset_account_password', reset)
    const again = await someone()('signin', { username: old, password: 'password of the owner' })
    expect((await someone(again)('legacy_profile', {}))[0]?.email).toBe(old)
    expect((await refusalOf(someone()('undo_email_change', { undo_token: undo }))).code).toBe(
      'invalid_undo_token',
    )
  })

  it('takes effect at once when the old one agreed before, also when both links are followed concurrently', async () => {
    for (const order of ['old first', 'at once'] as const) {
      const customer = await confirmed()
      const fresh = `agreed.${customer.email}`
      await customer.call('change_email', { email: fresh })
      await sendLetters(customer)
      const confirmation = { confirmation_token: await tokenIn(fresh, 'confirm_new_email') }
      const answer = { answer_token: await tokenIn(customer.email, 'approve_new_email'), agreed: true }
      const agree = () => someone()('answer_email_change', answer)
      const confirm = () => someone()('confirm_new_email', confirmation)
      if (order === 'old first') {
        expect(await agree()).toEqual({ changed: false })
        expect((await customer.call('security', {})).pending_email?.waits_for).toEqual(['new'])
        expect(await confirm()).toEqual({ waits_until: null })
      } else await Promise.all([agree(), confirm()])
      expect(await emailOf(customer)).toBe(fresh)
    }
  })

  it('is not withdrawn while its last link is followed', async () => {
    const customer = await confirmed()
    const fresh = `followed.${customer.email}`
    await customer.call('change_email', { email: fresh })
    await sendLetters(customer)
    const answer = { answer_token: await tokenIn(customer.email, 'approve_new_email'), agreed: true }
    await someone()('answer_email_change', answer)
    const token = await tokenIn(fresh, 'confirm_new_email')
    const client = await shop.database.pool.connect()
    await client.query('begin')
    // The change is made, and its letters cannot be written yet.
    await client.query('lock table mail in share mode')
    const confirmation = someone()('confirm_new_email', { confirmation_token: token })
    await oneWaitsForLock(shop.database.db)
    const withdrawn = refusalOf(customer.call('cancel_email_change', {}))
    await someWaitForLock(shop.database.db, 2)
    await client.query('rollback')
    client.release()
    expect(await confirmation).toEqual({ waits_until: null })
    expect((await withdrawn).code).toBe('email_change_not_found')
    expect(await emailOf(customer)).toBe(fresh)
  })

  it('is cancelled by the old one, which revokes everything that a thief may hold', async () => {
    const customer = await confirmed()
    const fresh = `thief.${customer.email}`
    await customer.call('change_email', { email: fresh })
    await sendLetters(customer)
    await someone()('confirm_new_email', { confirmation_token: await tokenIn(fresh, 'confirm_new_email') })
    const answer = { answer_token: await tokenIn(customer.email, 'approve_new_email'), agreed: false }
    expect(await someone()('answer_email_change', answer)).toEqual({ changed: false })
    expect((await refusalOf(customer.call('legacy_profile', {}))).code).toBe('unauthorized')
    const { username, password } = customer
    expect((await refusalOf(someone()('signin', { username, password }))).code).toBe('invalid_credentials')
    expect(await mailTo(customer.email, 'reset_password')).toHaveLength(1)
    later(8 * 24 * 60)
    await completeEmailChanges(shop.database.db, shop.services.secrets, shop.clock.now)
    const accounts = await shop.database.db
      .selectFrom('account')
      .select('email')
      .where('username', '=', username)
      .execute()
    expect(accounts).toEqual([{ email: customer.email }])
  })

  it('takes effect after seven days without an answer from the old one, and not earlier', async () => {
    const customer = await confirmed()
    const fresh = `silent.${customer.email}`
    await customer.call('change_email', { email: fresh })
    await sendLetters(customer)
    const { waits_until: until } = await someone()('confirm_new_email', {
      confirmation_token: await tokenIn(fresh, 'confirm_new_email'),
    })
    expect(until).toBe(new Date(shop.clock.now.getTime() + 7 * 86_400_000).toISOString())
    const complete = () => completeEmailChanges(shop.database.db, shop.services.secrets, shop.clock.now)
    later(7 * 24 * 60 - 1)
    await forgetEmailChanges(shop.database.db, shop.clock.now)
    expect(await complete()).toBe(0)
    later(1)
    expect((await Promise.all([complete(), complete()])).toSorted((a, b) => a - b)).toEqual([0, 1])
    expect(await emailOf(customer)).toBe(fresh)
    expect(await mailTo(customer.email, 'email_replaced')).toHaveLength(1)
  })

  it('needs no answer from the old one when a second factor older than 72 hours proved the owner', async () => {
    const { customer, secret } = await withTotp()
    await someone()('confirm_email', { confirmation_token: await tokenIn(customer.email, 'confirm_email') })
    const change = async (email: string) => {
      later(5)
      await customer.call('prove_owner', { proof: { kind: 'totp', code: await codeOf(secret) } })
      await customer.call('change_email', { email })
      await sendLetters(customer)
      const confirmation_token = await tokenIn(email, 'confirm_new_email')
      return (await someone()('confirm_new_email', { confirmation_token })).waits_until
    }
    expect(await change(`young.${customer.email}`)).not.toBeNull()
    await customer.call('cancel_email_change', {})
    later(73 * 60)
    expect(await change(`old.${customer.email}`)).toBeNull()
    expect(await emailOf(customer)).toBe(`old.${customer.email}`)
  })

  it('that belongs to another account gets the same answer, and no letter', async () => {
    const customer = await confirmed()
    const other = await shop.customer()
    expect(await customer.call('change_email', { email: other.email.toUpperCase() })).toBe(true)
    await sendLetters(customer)
    expect(await mailTo(other.email.toUpperCase(), 'confirm_new_email')).toEqual([])
    expect((await customer.call('security', {})).pending_email?.email).toBe(other.email.toUpperCase())
    await customer.call('cancel_email_change', {})
    const accountId = BigInt(await accountIdOf(customer))
    expect(await pendingEmail(shop.database.db, accountId, shop.clock.now)).toBeNull()
  })

  it('is not confirmed after 48 hours, after a newer request, or when another account has it by then', async () => {
    const customer = await confirmed()
    const confirm = async (token: string) =>
      (await refusalOf(someone()('confirm_new_email', { confirmation_token: token }))).code
    await customer.call('change_email', { email: `first.${customer.email}` })
    await sendLetters(customer)
    const first = await tokenIn(`first.${customer.email}`, 'confirm_new_email')
    await customer.call('change_email', { email: `second.${customer.email}` })
    await sendLetters(customer)
    expect(await confirm(first)).toBe('invalid_confirmation_token')
    const second = await tokenIn(`second.${customer.email}`, 'confirm_new_email')
    const taken = { username: 'early_bird', email: `second.${customer.email}`, password: 'worms at dawn 77' }
    await someone()('signup', taken)
    expect(await confirm(second)).toBe('invalid_confirmation_token')
    await customer.call('prove_owner', { proof: { kind: 'password', password: customer.password } })
    await customer.call('change_email', { email: `third.${customer.email}` })
    await sendLetters(customer)
    later(48 * 60)
    expect(await confirm(await tokenIn(`third.${customer.email}`, 'confirm_new_email'))).toBe(
      'invalid_confirmation_token',
    )
  })
})

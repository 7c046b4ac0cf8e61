import { Logger } from 'graphile-worker'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followAlerts, groupState, type Need, noteTopic, sendTest, topicThread } from '#staff-alerts'
import { botJobs, type TelegramBot } from '#bot'
import type { AlertKind } from '#contract/desk/alerts'
import type { Role } from '#contract/desk/roles'
import { brandOfLetters } from '#content'
import { type Jobs, runJobs } from '#db/jobs/run'
import { mailJobs, mailTransport } from '#mail/jobs'
import { app, type App, refusalOf } from '#test/app'
import { testBot } from '#test/bot'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { type SmtpSink, startSmtp } from '#test/smtp'
import { until } from '#test/stack'
import { type FakeTelegram, fakeTelegram } from '#test/telegram'
import type { TelegramGroup } from '#test/telegram.groups'

const deskUrl = new URL('https://desk.shop.example.net')
const minuteMs = 60_000
const waitMs = 60_000

let telegram: FakeTelegram
let sink: SmtpSink
let shop: App
let office: Desk
let owner: StaffMember
let bot: TelegramBot
let jobs: Jobs
let db: App['database']['db']
/** The time of the next check. */
let now: Date
let updates = 0

beforeAll(async () => {
  ;[telegram, sink] = await Promise.all([fakeTelegram(), startSmtp()])
  shop = await app({
    env: {
      DEMO: '0',
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.apiRoot,
      TELEGRAM_BOT_NAME: telegram.botName,
    },
  })
  db = shop.database.db
  office = await desk(shop)
  owner = await office.staff('owner')
  bot = testBot(shop.services, telegram, { now: () => shop.clock.now })
  jobs = await startJobs()
})
afterAll(async () => {
  await jobs.stop()
  await office.close()
  await shop.close()
  await Promise.all([telegram.close(), sink.close()])
})
beforeEach(async () => {
  // Deleting a job that runs would leave its queue locked.
  await sent()
  now = new Date('2026-11-23T12:00:00Z')
  for (const table of [
    'alert',
    'alert_group',
    'alert_topic',
    'alert_group_code',
    'alert_group_try',
    'alert_message',
  ])
    await sql`delete from ${sql.table(table)}`.execute(db)
  for (const table of ['staff_address', 'staff_alert', 'staff_alert_choice', 'mail'])
    await sql`delete from ${sql.table(table)}`.execute(db)
  await sql`
    update alert_settings set language = 'en', quiet_from_minute = null, quiet_until_minute = null,
      digest_minute = null, digest_day = null, group_off = '{}'`.execute(db)
  sink.received.splice(0)
  sink.refusals.splice(0)
})
afterEach(() => void telegram.errors.splice(0))

const tell = { deskUrl, hasBot: true }

/** Only the jobs that send: the tests run the checks themselves. */
function startJobs(): Promise<Jobs> {
  const { services } = shop
  const { settings, secrets } = services
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, auth: null, requireTls: false }
  return runJobs(shop.database, {
    concurrency: 3,
    logger: new Logger(() => () => undefined),
    report: () => undefined,
    tasks: {
      ...botJobs(
        { database: shop.database, tell, publicUrl: new URL('https://shop.example.net') },
        { token: telegram.token, apiRoot: telegram.apiRoot },
      ),
      ...mailJobs({
        db,
        secrets,
        transport: mailTransport({ smtp, outboxDir: '/nonexistent' }),
        from: { name: null, address: 'no-reply@shop.example.net' },
        publicUrl: settings.publicUrl,
        brand: () => brandOfLetters(db),
        documentOf: async () => null,
        noteFailure: () => undefined,
        now: () => new Date(),
      }),
    },
  })
}

const needOf = (kind: AlertKind, ...names: string[]): Need => ({
  kind,
  count: Math.max(1, names.length),
  subjects: names.length === 0 ? [{ key: '', label: '' }] : names.map((name) => ({ key: name, label: name })),
})
const figures = async () => ({
  sold_micros: '1234560000',
  sold_bytes: '350000000000',
  used_bytes: '12340000000',
  new_customers: 7,
})
/** A check of all conditions by one of the workers. */
const look = (...needs: Need[]) => followAlerts(db, { ...tell, zone: 'Europe/Moscow', figures }, needs, now)
const later = (minutes: number) => void (now = new Date(now.getTime() + minutes * minuteMs))
/** The message in the group, once all that is queued has been sent. */
const sent = async () => {
  await until(async () => (await waiting()) === 0, waitMs, 'the messages to be sent')
}
const waiting = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from graphile_worker._private_jobs where attempts < max_attempts`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
const say = (group: TelegramGroup, text: string, from?: { id: number; first_name: string }) => {
  group.say(text, from)
  return deliver()
}
/** Hands the updates that Telegram has over to the bot. */
async function deliver() {
  for (;;) {
    const answer = await fetch(`${telegram.apiRoot}/bot${telegram.token}/getUpdates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ offset: updates, timeout: 0 }),
    })
    const { result } = (await answer.json()) as { result: { update_id: number }[] }
    if (result.length === 0) return
    for (const update of result) {
      updates = update.update_id + 1
      await bot.handle(update as never)
    }
  }
}
async function code(): Promise<string> {
  await office.stepUp(owner)
  return (await owner.call('make_alert_code', {})).code
}
/** A linked group, after its confirmation message. */
async function linked(facts: { isForum?: boolean } = {}): Promise<TelegramGroup> {
  const group = telegram.group(facts)
  await say(group, `/staff ${await code()}`)
  await sent()
  expect(group.heard()).toMatchObject([{ text: expect.stringContaining('The group is linked'), topic: null }])
  return group
}
const saidIn = (group: TelegramGroup) =>
  group
    .heard()
    .slice(1)
    .map(({ text, topic }) => ({ text: text.split('\n')[0], topic }))

/** The code of the letter to an address, which is taken from the letters that have arrived. */
async function codeTo(address: string): Promise<string> {
  await sent()
  const index = sink.received.findIndex(({ to }) => to.includes(address))
  const [letter] = index < 0 ? [] : sink.received.splice(index, 1)
  return /[0-9]{8}/.exec(letter?.mail.text ?? '')?.[0] ?? 'none'
}

async function member(
  role: Role,
  kinds: AlertKind[] | 'usual',
  email = `${role}@example.com`,
): Promise<StaffMember> {
  const person = await office.staff(role)
  const { kinds: usual } = await person.call('my_alerts', {})
  await office.stepUp(person)
  await person.call('set_my_alerts', { email, language: 'en', kinds: kinds === 'usual' ? usual : kinds })
  await person.call('confirm_alert_address', { code: await codeTo(email) })
  return person
}
const mailTo = (address: string) =>
  sink.received
    .filter(({ to }) => to.includes(address))
    .map(({ mail }) => mail.subject?.replace(/ — .*$/, ''))

describe('a condition', () => {
  it('is reported once when it begins and once when it ends, despite restarts and repetitions', async () => {
    const group = await linked()
    const down = needOf('exit_down', 'impulse')
    expect(await look(down)).toBe(1)
    for (let index = 0; index < 3; index++) {
      later(1)
      expect(await look(down)).toBe(0)
    }
    await sent()
    expect(saidIn(group)).toEqual([{ text: 'An exit does not answer: impulse', topic: null }])
    expect(group.heard().at(-1)?.url).toBe('https://desk.shop.example.net/exits')
    later(1)
    expect(await look()).toBe(0)
    later(5)
    expect([await look(), await look()]).toEqual([1, 0])
    await sent()
    expect(saidIn(group).slice(1)).toEqual([{ text: 'Over: An exit does not answer: impulse', topic: null }])
    later(1)
    expect(await look(down)).toBe(1)
  })

  it('links to its subject’s page, and several subjects to the list', async () => {
    const group = await linked()
    const ofInvoice = (number: string) => ({ key: number, label: number, page: `/invoices/${number}` })
    const one = ofInvoice('1001')
    await look({ kind: 'wrong_amount', count: 1, subjects: [one] })
    await sent()
    expect(group.heard().at(-1)?.url).toBe('https://desk.shop.example.net/invoices/1001')
    later(1)
    const below: Need = { ...needOf('below_cost', 'SPRING'), page: '/promo-codes' }
    await look({ kind: 'wrong_amount', count: 1, subjects: [one] }, below)
    await sent()
    expect(group.heard().at(-1)?.url).toBe('https://desk.shop.example.net/promo-codes')
    later(1)
    const more = [one, ...['1002', '1003'].map(ofInvoice)]
    await look({ kind: 'wrong_amount', count: 3, subjects: more }, below)
    await sent()
    expect(group.heard().at(-1)?.url).toBe('https://desk.shop.example.net/invoices?state=underpaid')
  })

  it('that ends and recurs within minutes is one alert', async () => {
    const group = await linked()
    const down = needOf('exit_down', 'impulse')
    for (let index = 0; index < 10; index++) {
      await look(...(index % 2 === 0 ? [down] : []))
      later(2)
    }
    await sent()
    expect(saidIn(group)).toHaveLength(1)
  })

  it('is reported once by concurrent workers', async () => {
    const group = await linked()
    const told = await Promise.all(
      Array.from({ length: 5 }, () => look(needOf('wrong_amount', 'A1'), needOf('pool_down', 'mobile'))),
    )
    expect(told.reduce((sum, count) => sum + count)).toBe(2)
    await sent()
    expect(
      saidIn(group)
        .map(({ text }) => text)
        .toSorted((one, other) => ((one ?? '') < (other ?? '') ? -1 : 1)),
    ).toEqual(['No exit of the pool answers: mobile', 'The wrong amount was paid: A1'])
  })

  it('with many subjects is one message, and no subject ends while unnamed ones remain', async () => {
    const group = await linked()
    const numbers = Array.from({ length: 12 }, (_, index) => `A${index}`)
    expect(await look(needOf('wrong_amount', ...numbers))).toBe(12)
    await sent()
    expect(saidIn(group)).toEqual([
      { text: `The wrong amount was paid: ${numbers.slice(0, 10).join(', ')} and 2 more`, topic: null },
    ])
    later(10)
    await look({ ...needOf('wrong_amount', 'A0'), count: 400 })
    later(10)
    expect(await look({ ...needOf('wrong_amount', 'A0'), count: 400 })).toBe(0)
  })
})

describe('quiet hours', () => {
  beforeEach(
    () =>
      void sql`update alert_settings set quiet_from_minute = ${23 * 60}, quiet_until_minute = ${8 * 60}`.execute(
        db,
      ),
  )

  it('delay all but urgent alerts, and end with one message', async () => {
    const group = await linked()
    now = new Date('2026-11-23T22:00:00+03:00')
    await look()
    now = new Date('2026-11-23T23:30:00+03:00')
    const stock = needOf('stock_low', 'impulse')
    expect(await look(stock, needOf('pool_down', 'mobile'))).toBe(1)
    now = new Date('2026-11-24T00:10:00+03:00')
    expect(await look(stock, needOf('pool_down', 'mobile'), needOf('erasure', '#7'))).toBe(0)
    later(1)
    await look(needOf('pool_down', 'mobile'), needOf('erasure', '#7'))
    later(10)
    await look(needOf('pool_down', 'mobile'), needOf('erasure', '#7'))
    await sent()
    expect(saidIn(group)).toEqual([{ text: 'No exit of the pool answers: mobile', topic: null }])
    now = new Date('2026-11-24T08:00:00+03:00')
    expect(
      await look(needOf('pool_down', 'mobile'), needOf('erasure', '#7'), needOf('below_cost', 'mobile')),
    ).toBe(3)
    await sent()
    expect(group.heard().at(-2)?.text.split('\n')).toEqual([
      'During the quiet hours',
      'Over: The stock at the seller is low: impulse',
      'A customer asks to have their data erased: #7',
    ])
    expect(saidIn(group).at(-1)).toEqual({ text: 'Sold below cost: mobile', topic: null })
    expect(
      await look(needOf('pool_down', 'mobile'), needOf('erasure', '#7'), needOf('below_cost', 'mobile')),
    ).toBe(0)
  })

  it('delay letters too, except urgent ones', async () => {
    await member('owner', 'usual')
    now = new Date('2026-11-23T23:30:00+03:00')
    await look(needOf('rate_old', 'RUB'), needOf('dispute_due', 'A9'))
    await sent()
    expect(mailTo('owner@example.com')).toEqual(['A dispute is to be answered within three days: A9'])
    now = new Date('2026-11-24T08:01:00+03:00')
    await look(needOf('rate_old', 'RUB'), needOf('dispute_due', 'A9'))
    await sent()
    expect(mailTo('owner@example.com')[1]).toBe('During the quiet hours')
  })
})

it('the daily message has the day’s figures and the open alerts, and is sent once', async () => {
  const group = await linked()
  await sql`update alert_settings set digest_minute = ${9 * 60}, digest_day = '2026-11-22'`.execute(db)
  now = new Date('2026-11-23T08:59:00+03:00')
  await look(needOf('rate_old', 'RUB'))
  later(1)
  await Promise.all([look(needOf('rate_old', 'RUB')), look(needOf('rate_old', 'RUB'))])
  later(1)
  await look(needOf('rate_old', 'RUB'))
  await sent()
  expect(group.heard()[2]?.text.split('\n')).toEqual([
    'The last 24 hours, 23 November',
    'Sold: $1,234.56, 350.00\u00a0GB',
    'Used: 12.34\u00a0GB',
    'New customers: 7',
    'Needs attention:',
    '• The exchange rate is old: RUB',
  ])
  expect(group.heard()).toHaveLength(3)
})

describe('the group', () => {
  it('is linked once by a code of the desk; a stranger gets five answers to wrong codes', async () => {
    const group = telegram.group()
    const stranger = { id: 5150, first_name: 'Stranger' }
    for (let index = 0; index < 8; index++) await say(group, '/staff ABCDEFGH', stranger)
    expect(group.heard().filter(({ text }) => text.startsWith('The code is not valid'))).toHaveLength(5)
    const right = await code()
    await say(group, `/staff ${right}`, stranger)
    expect(await groupState(db)).toBeNull()
    await say(group, `/staff@someone_else_bot ${right}`)
    expect(await groupState(db)).toBeNull()
    await say(group, `/staff@${telegram.botName} ${right.toLowerCase()}`)
    expect(await groupState(db)).toMatchObject({ title: 'The staff', linkedBy: 'Member', brokenAt: null })
    const other = telegram.group({ title: 'Strangers' })
    await say(other, `/staff ${right}`, { id: 5151, first_name: 'Second' })
    expect(await groupState(db)).toMatchObject({ title: 'The staff' })
    expect(await owner.call('alert_settings', {})).toMatchObject({
      group: { title: 'The staff' },
      has_bot: true,
    })
    const { rows } = await owner.call('audit', { action: 'link_alert_group' })
    expect(rows[0]).toMatchObject({
      actor: { name: owner.name },
      after: { title: 'The staff', given_by: 'Member' },
    })
  })

  it('is not linked by a code after ten minutes, nor by one of a member who is blocked since', async () => {
    const group = telegram.group()
    const late = await code()
    shop.clock.now = new Date(shop.clock.now.getTime() + 10 * minuteMs + 1)
    await say(group, `/staff ${late}`)
    expect(await groupState(db)).toBeNull()
    const operator = await office.staff('operator')
    await office.stepUp(operator)
    const { code: blocked } = await operator.call('make_alert_code', {})
    await sql`update staff set blocked_at = now() where id = ${operator.id}`.execute(db)
    await say(group, `/staff ${blocked}`)
    expect(await groupState(db)).toBeNull()
    expect((await refusalOf((await office.staff('support')).call('make_alert_code', {}))).code).toBe(
      'no_permission',
    )
  })

  it('gets no answer to other messages', async () => {
    const group = telegram.group()
    for (const text of ['/staff', '/start', 'hello', '/staff a b', '/staffing ABCDEFGH'])
      await say(group, text)
    expect(group.heard()).toEqual([])
  })

  it('gets a topic for each subject area, created once and recreated after deletion', async () => {
    const group = await linked({ isForum: true })
    await look(needOf('wrong_amount', 'A1'), needOf('exit_down', 'impulse'))
    await sent()
    await look(needOf('wrong_amount', 'A1', 'A2'), needOf('exit_down', 'impulse'))
    await sent()
    expect(saidIn(group).map(({ topic }) => topic)).toEqual(['Payments', 'Network', 'Payments'])
    expect(group.topics()).toEqual(['Payments', 'Network'])
    group.deleteTopic('Payments')
    await look(needOf('wrong_amount', 'A1', 'A2', 'A3'), needOf('exit_down', 'impulse'))
    await sent()
    expect(saidIn(group).at(-1)).toEqual({ text: 'The wrong amount was paid: A3', topic: 'Payments' })
    expect(group.topics()).toEqual(['Network', 'Payments'])
  })

  it('does not get the topic that was created in another group meanwhile', async () => {
    const former = await linked({ isForum: true })
    const group = await linked({ isForum: true })
    await noteTopic(db, { chatId: BigInt(former.id), topic: 'payments' }, 7)
    expect(await topicThread(db, 'payments')).toBeNull()
    await noteTopic(db, { chatId: BigInt(group.id), topic: 'payments' }, 8)
    await noteTopic(db, { chatId: BigInt(former.id), topic: 'payments' }, null)
    expect(await topicThread(db, 'payments')).toBe(8)
    await noteTopic(db, { chatId: BigInt(group.id), topic: 'payments' }, null)
    expect(await topicThread(db, 'payments')).toBeNull()
  })

  it('gets all messages in the general topic while the bot may not create topics', async () => {
    const group = await linked({ isForum: true })
    group.letMakeTopics(false)
    await look(needOf('wrong_amount', 'A1'))
    await sent()
    group.letMakeTopics(true)
    await look(needOf('wrong_amount', 'A1', 'A2'))
    await sent()
    expect(saidIn(group).map(({ topic }) => topic)).toEqual([null, 'Payments'])
  })

  it('that Telegram has migrated is addressed by its new id', async () => {
    const group = await linked()
    group.migrate(-1_009_999_999_999)
    await look(needOf('wrong_amount', 'A1'))
    await sent()
    expect(saidIn(group)).toHaveLength(1)
    expect((await groupState(db))?.chatId).toBe(-1_009_999_999_999n)
  })

  it('gets messages delayed by an outage or a rate limit of Telegram once', async () => {
    const group = await linked()
    telegram.failNext('sendMessage', 'cut')
    telegram.failNext('sendMessage', { status: 502, description: 'Bad Gateway' })
    telegram.failNext('sendMessage', {
      status: 429,
      description: 'Too Many Requests: retry after 6',
      retryAfter: 6,
    })
    await look(needOf('wrong_amount', 'A1'))
    await sent()
    expect(saidIn(group)).toEqual([{ text: 'The wrong amount was paid: A1', topic: null }])
  })

  it('that has removed the bot is reported as lost, and owners get letters instead', async () => {
    await member('owner', ['dispute'])
    await member('operator', 'usual', 'operator@example.com')
    const group = await linked()
    group.kick()
    await look(needOf('wrong_amount', 'A1'))
    await sent()
    expect(mailTo('owner@example.com')).toEqual(['The wrong amount was paid: A1'])
    expect(mailTo('operator@example.com')).toEqual([])
    expect((await owner.call('alert_settings', {})).group).toMatchObject({
      broken_reason: 'Forbidden: bot was kicked from the supergroup chat',
    })
    const needs = (await owner.call('today', {})).needs_you
    expect(needs).toContainEqual({ kind: 'group_lost', count: 1, href: '/settings?tab=alerts', examples: [] })
    await look(needOf('wrong_amount', 'A1', 'A2'))
    await sent()
    expect(mailTo('owner@example.com')).toHaveLength(2)
    expect(group.heard()).toHaveLength(1)
    await linked()
    expect((await groupState(db))?.brokenAt).toBeNull()
  })

  it('gets no messages of kinds that are switched off for it', async () => {
    const group = await linked()
    await office.stepUp(owner)
    const settings = { language: 'ru', quiet: null, digest: null, group_off: ['wrong_amount'] } as const
    await owner.call('set_alert_settings', { ...settings, group_off: ['wrong_amount'] })
    await look(needOf('wrong_amount', 'A1'), needOf('erasure', '#5'))
    await sent()
    expect(saidIn(group)).toEqual([{ text: 'Клиент просит удалить данные: #5', topic: null }])
    const same = { ...settings, group_off: [], quiet: { from: '08:00', until: '08:00' } }
    expect((await refusalOf(owner.call('set_alert_settings', same))).code).toBe('same_quiet_hours')
  })
})

describe('letters', () => {
  it('go to members with the right, of the kinds that they have chosen', async () => {
    await member('owner', 'usual')
    const accountant = await member('accountant', ['wrong_amount', 'exit_down'])
    await member('support', ['wrong_amount'])
    expect((await accountant.call('my_alerts', {})).kinds).toEqual(['wrong_amount'])
    await look(needOf('wrong_amount', 'A1'), needOf('exit_down', 'impulse'))
    await sent()
    expect(mailTo('owner@example.com')).toEqual(['Several events'])
    expect(mailTo('accountant@example.com')).toEqual(['The wrong amount was paid: A1'])
    expect(mailTo('support@example.com')).toEqual([])
    expect(sink.received[0]?.mail.text).toContain('https://desk.shop.example.net/')
  })

  it('go to a new address once its code is entered, and to the previous one until then', async () => {
    const person = await member('owner', 'usual', 'old@example.com')
    const own = { language: 'en', kinds: ['wrong_amount'] } as const
    await office.stepUp(person)
    await person.call('set_my_alerts', { ...own, email: 'new@example.com', kinds: [...own.kinds] })
    expect(await person.call('my_alerts', {})).toMatchObject({
      email: 'old@example.com',
      pending: { email: 'new@example.com' },
    })
    const code = await codeTo('new@example.com')
    await look(needOf('wrong_amount', 'A1'))
    await sent()
    expect(mailTo('old@example.com')).toEqual(['The wrong amount was paid: A1'])
    expect(mailTo('new@example.com')).toEqual([])
    // Another member’s session cannot use it.
    const other = await member('accountant', [])
    expect((await refusalOf(other.call('confirm_alert_address', { code }))).code).toBe('wrong_code')
    await person.call('confirm_alert_address', { code })
    expect(await person.call('my_alerts', {})).toMatchObject({ email: 'new@example.com', pending: null })
    expect((await refusalOf(person.call('confirm_alert_address', { code }))).code).toBe('wrong_code')
  })

  it('have a code that ends after five wrong attempts or ten minutes, and is rate-limited', async () => {
    const person = await office.staff('owner')
    const ask = async () => {
      await office.stepUp(person)
      await person.call('set_my_alerts', { email: 'me@example.com', language: 'en', kinds: [] })
      return codeTo('me@example.com')
    }
    const give = (code: string) => person.call('confirm_alert_address', { code })
    const first = await ask()
    await office.stepUp(person)
    const again = { email: 'me@example.com', language: 'en', kinds: [] } as const
    expect((await refusalOf(person.call('set_my_alerts', { ...again, kinds: [] }))).code).toBe(
      'code_sent_already',
    )
    const wrong = first === '00000000' ? '00000001' : '00000000'
    const tries = await Promise.all(Array.from({ length: 5 }, () => refusalOf(give(wrong))))
    expect(new Set(tries.map(({ code }) => code))).toEqual(new Set(['wrong_code']))
    expect((await refusalOf(give(first))).code).toBe('wrong_code')
    const wait = (minutes: number) =>
      void (shop.clock.now = new Date(shop.clock.now.getTime() + minutes * minuteMs))
    wait(2)
    const second = await ask()
    wait(11)
    expect((await refusalOf(give(second))).code).toBe('wrong_code')
  })

  it('stop when the role is taken away or the member is blocked, and a new member gets none', async () => {
    const operator = await member('operator', ['wrong_amount'])
    expect((await (await office.staff('operator')).call('my_alerts', {})).kinds).toEqual([])
    await sql`update staff set role = 'support' where id = ${operator.id}`.execute(db)
    await look(needOf('wrong_amount', 'A1'))
    await sql`update staff set role = 'operator', blocked_at = now() where id = ${operator.id}`.execute(db)
    await look(needOf('wrong_amount', 'A1', 'A2'))
    await sent()
    expect(sink.received).toEqual([])
  })

  it('survive a mail server that refuses for a while', async () => {
    await member('owner', 'usual')
    sink.refusals.push({ at: 'rcpt', code: 451 })
    await look(needOf('wrong_amount', 'A1'))
    await sent()
    expect(mailTo('owner@example.com')).toEqual(['The wrong amount was paid: A1'])
  })

  it('and the group get a test message', async () => {
    await member('owner', 'usual')
    const group = await linked()
    await owner.call('test_alert', {})
    await sent()
    expect(saidIn(group)).toEqual([{ text: 'A test message', topic: null }])
    expect(mailTo('owner@example.com')).toEqual(['A test message'])
    await expect(
      sendTest(db, tell, { kind: 'system', staffId: null, name: 'root', ip: null, requestId: null }, now),
    ).resolves.toBeUndefined()
  })
})

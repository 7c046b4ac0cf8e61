import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Logger, type Runner, run } from 'graphile-worker'
import { sql } from 'kysely'
import { simpleParser } from 'mailparser'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { letterTemplates } from '#contract/desk/choices'
import { type Database, transaction } from '#db'
import { secretsOf } from '#lib/secret'
import { forgetOldMail, type Mail, sealToken, sendMail } from '#mail'
import { mailJobs, type MailTransport, mailTransport } from '#mail/jobs'
import type { LetterBrand } from './brand.ts'
import type { Letters } from './kinds.ts'
import { isTemplate } from './letters.ts'
import { testDatabase } from '#test/database'
import { ownPoolsEnded } from '#test/own.pools'
import { linkIn, type SmtpSink, startSmtp } from '#test/smtp'
import { until } from '#test/stack'

const secrets = secretsOf('a test key of more than thirty-two characters')
const silent = new Logger(() => () => undefined)

let database: Database
let sink: SmtpSink
let outboxDir: string
const failures: { id: string; reason: string }[] = []
const clock = { now: new Date() }
let brand: LetterBrand

beforeAll(async () => {
  database = await testDatabase()
  sink = await startSmtp()
  outboxDir = await mkdtemp(path.join(tmpdir(), 'turnpike-outbox-'))
})
afterAll(async () => {
  await sink.close()
  await ownPoolsEnded(database)
  await database.close()
  await rm(outboxDir, { recursive: true, force: true })
})

let runner: Runner | undefined
beforeEach(() => {
  brand = {
    name: 'Прокси & Ко',
    logoText: 'Прокси & Ко',
    accent: { light: '#0a5cff', dark: '#6ea0ff' },
    logo: null,
    logoDark: null,
  }
})
afterEach(async () => {
  await runner?.stop()
  runner = undefined
  sink.refusals.length = 0
  failures.length = 0
  await sql`delete from graphile_worker._private_jobs`.execute(database.db)
  // A runner that stops may leave the queue of a sent letter locked.
  await sql`delete from graphile_worker._private_job_queues`.execute(database.db)
})

/** The invoice that has a document. */
const documented = '9f3c1a0d5e7b2468ace0'

const toSink = () => mailTransport({ smtp: server(sink.port), outboxDir })
const server = (port: number) => ({
  host: '127.0.0.1',
  port,
  secure: false,
  auth: null,
  requireTls: false,
})

async function work(transport: MailTransport): Promise<void> {
  const from = { name: null, address: 'no-reply@shop.example.net' }
  runner = await run({
    connectionString: database.url,
    noHandleSignals: true,
    logger: silent,
    pollInterval: 100,
    taskList: mailJobs({
      db: database.db,
      secrets,
      transport,
      from,
      publicUrl: new URL('https://shop.example.net'),
      brand: async () => brand,
      documentOf: async (number, kind) =>
        number === documented
          ? { name: `${kind}-000001.pdf`, bytes: Buffer.from('%PDF'), contentType: 'application/pdf' }
          : null,
      noteFailure: (id, reason) => void failures.push({ id, reason }),
      now: () => clock.now,
    }),
  })
}

const confirmation = (to: string, language: 'ru' | 'en' = 'ru', username: string | null = 'roadrunner') =>
  ({
    template: 'confirm_email',
    to,
    language,
    data: { username, sealed_token: sealToken(secrets, `token of ${to}`, to) },
  }) satisfies Mail

const send = (mail: Mail) => transaction(database.db, (tx) => sendMail(tx, mail))

const rowOf = (to: string) =>
  database.db.selectFrom('mail').selectAll().where('recipient', '=', to).executeTakeFirstOrThrow()

const settled = (to: string) =>
  until(
    async () => {
      const { sent_at, failed_at } = await rowOf(to)
      return sent_at !== null || failed_at !== null
    },
    60_000,
    `the letter to ${to} to be sent or given up`,
  )

/** Makes a job that waits for its next attempt due immediately. */
const hurry = () => sql`update graphile_worker._private_jobs set run_at = now()`.execute(database.db)

const jobs = async () => {
  const { rows } = await sql<{ attempts: number; last_error: string | null }>`
    select attempts, last_error from graphile_worker.jobs`.execute(database.db)
  return rows
}

describe('a letter', () => {
  it('of each template has data, and a name at the desk', () => {
    expectTypeOf<keyof Letters>().toEqualTypeOf<(typeof letterTemplates)[number]>()
    expect(letterTemplates.filter((name) => !isTemplate(name))).toEqual([])
  })

  it('has the brand’s colours, its logo as an attachment, and its name as escaped text', async () => {
    const bytes = Buffer.from('a picture')
    const logo = { bytes, contentType: 'image/png', width: 60, height: 20 }
    brand = {
      ...brand,
      name: '<img src=x onerror=alert(1)>',
      logo,
      logoDark: { ...logo, contentType: 'image/svg+xml' },
    }
    await work(toSink())
    await send(confirmation('logo@example.com', 'en'))
    const { mail } = await sink.letterTo('logo@example.com')
    const html = mail.html === false ? '' : mail.html
    expect(mail.attachments).toMatchObject([{ cid: 'logo@letter', contentType: 'image/png', content: bytes }])
    // Formats that mail programs do not show are not attached.
    expect(html).not.toContain('logo-dark@letter')
    expect(html).not.toMatch(/src="http|<img src="?x/)
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).toContain('background:#0a5cff')
    expect(html).toContain('color:#ffffff')
    expect(mail.subject).toContain('<img src=x onerror=alert(1)>')
    brand = { ...brand, name: 'Northway', logoText: '' }
    await send(confirmation('alone@example.com', 'en'))
    const alone = (await sink.letterTo('alone@example.com')).mail
    expect(alone.html).toMatch(/<img[^>]*alt="Northway"/)
    expect(alone.text?.split('\n')).toContain('Northway')
  })

  it('about a payment has the invoice attached, and mentions it, if there is one', async () => {
    await work(toSink())
    const paid = (to: string, invoice: string) =>
      ({
        template: 'payment_received',
        to,
        language: 'ru',
        data: {
          invoice,
          short_number: '2026-000123',
          pool: 'mobile',
          received_micros: '7900000',
          credited_bytes: '1000000000',
          is_full: true,
        },
      }) satisfies Mail
    await send(paid('with@example.com', documented))
    await send(paid('without@example.com', 'another'))
    const { mail } = await sink.letterTo('with@example.com')
    expect(mail.attachments).toMatchObject([
      {
        filename: 'invoice-000001.pdf',
        contentType: 'application/pdf',
        contentDisposition: 'attachment',
        content: Buffer.from('%PDF'),
      },
    ])
    expect(mail.text).toContain('Счёт приложен к этому письму.')
    const { mail: bare } = await sink.letterTo('without@example.com')
    expect([bare.attachments, bare.text?.includes('приложен')]).toEqual([[], false])
  })

  it('about a refund has the credit note attached, in the language of the order', async () => {
    await work(toSink())
    const refunded = (to: string, invoice: string, toBalance: boolean) =>
      ({
        template: 'payment_refunded',
        to,
        language: 'en',
        data: {
          invoice,
          short_number: '2026-000123',
          pool: 'mobile',
          refunded_micros: '7900000',
          taken_back_bytes: '1000000000',
          to_balance: toBalance,
        },
      }) satisfies Mail
    await send(refunded('refunded@example.com', documented, false))
    await send(refunded('balance@example.com', 'another', true))
    const { mail } = await sink.letterTo('refunded@example.com')
    expect(mail.attachments).toMatchObject([{ filename: 'credit_note-000001.pdf' }])
    expect(mail.subject).toContain('Refund for invoice 2026-000123')
    expect(mail.text).toContain('The credit note is attached to this e-mail.')
    expect(mail.text).toContain('$7.90')
    const { mail: bare } = await sink.letterTo('balance@example.com')
    expect(bare.attachments).toEqual([])
    expect(bare.text).toContain('The money is back on your referral balance.')
  })

  it('arrives as HTML and text, in Russian, with the link', async () => {
    await work(toSink())
    await send(confirmation('ivan@example.com'))
    const { mail, from, to, raw } = await sink.letterTo('ivan@example.com')
    expect({ from, to }).toEqual({ from: 'no-reply@shop.example.net', to: ['ivan@example.com'] })
    expect(mail.subject).toBe('Подтвердите почту — Прокси & Ко')
    expect(mail.from?.value).toEqual([{ address: 'no-reply@shop.example.net', name: 'Прокси & Ко' }])
    const link = linkIn({ mail, from, to, raw }, '/confirm_email')
    expect(link.href).toBe(
      'https://shop.example.net/confirm_email?confirmation_token=token+of+ivan%40example.com',
    )
    const html = mail.html === false ? '' : mail.html
    expect(html).toContain(`href="${link.href}"`)
    expect(html).toContain('lang="ru"')
    expect(html).toContain('Вы создали аккаунт roadrunner')
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail.headers.get('content-language')).toBe('ru')
    // The test's mail server has the letter shortly before its row is marked as sent.
    await settled('ivan@example.com')
    expect(await rowOf('ivan@example.com')).toMatchObject({ data: null, failed_at: null })
  })

  it('is in English for English accounts, and escapes their names', async () => {
    await work(toSink())
    await send(confirmation('mallory@example.com', 'en', '<b>mal"lory</b>'))
    const { mail } = await sink.letterTo('mallory@example.com')
    expect(mail.subject).toBe('Confirm your e-mail — Прокси & Ко')
    const html = mail.html === false ? '' : mail.html
    expect(html).toContain('Прокси &amp; Ко')
    expect(html).toContain('·b·mal·lory·b·')
    expect(html).not.toContain('<b>mal')
  })

  it('prints no name as a link, also for old accounts', async () => {
    await work(toSink())
    await send(confirmation('victim@example.com', 'en', 'https://evil.example/win'))
    const { mail } = await sink.letterTo('victim@example.com')
    for (const text of [mail.text ?? '', mail.html === false ? '' : mail.html]) {
      expect(text).toContain('https·evil·example·win')
      expect(text).not.toContain('evil.example')
    }
  })

  it('states a payment in the reader’s number format', async () => {
    await work(toSink())
    const data = {
      invoice: '00ff00ff00ff00ff00ff',
      short_number: '2026-000123',
      pool: 'residential_premium',
      received_micros: '1234560000',
      credited_bytes: '66666666667',
      is_full: false,
      bill: { line: '12', hour: '2026-11-23T21:00Z', charged_bytes: '12345', head: 'f'.repeat(64) },
    } as const
    await send({ template: 'payment_received', to: 'r@example.com', language: 'ru', data })
    await send({ template: 'payment_received', to: 'e@example.com', language: 'en', data })
    const russian = (await sink.letterTo('r@example.com')).mail
    const english = (await sink.letterTo('e@example.com')).mail
    expect(russian.subject).toContain('Оплата получена не полностью')
    expect(russian.text?.replaceAll('\u00a0', ' ')).toContain(
      'Получено: 1 234,56 $\nПул: Резидентский премиум',
    )
    expect(russian.text).toContain('Начислено: 66,66\u00a0ГБ')
    expect(english.text).toContain('Received: $1,234.56\nPool: Residential Premium\nCredited: 66.66\u00a0GB')
    for (const letter of [russian, english])
      for (const part of ['12345', '2026-11-23T21:00Z', 'f'.repeat(64)]) expect(letter.text).toContain(part)
    expect(english.text).toContain('https://shop.example.net/account')
  })

  it('states the remaining traffic, how long it lasts, and where to buy more', async () => {
    await work(toSink())
    const low = { pool: 'mobile', share: 'fifth', left_bytes: '200000000', hours_left: 50 } as const
    await send({ template: 'traffic_low', to: 'low@example.com', language: 'ru', data: low })
    const out = { ...low, share: 'out', left_bytes: '0', hours_left: 0 } as const
    await send({ template: 'traffic_low', to: 'out@example.com', language: 'en', data: out })
    const cap = { pool: 'mobile', window: 'day', cap_bytes: '2000000000' } as const
    await send({ template: 'cap_reached', to: 'cap@example.com', language: 'en', data: cap })
    const { text, subject } = (await sink.letterTo('low@example.com')).mail
    expect(subject).toContain('Осталась пятая часть трафика: Мобильный')
    expect(text?.replaceAll('\u00a0', ' ')).toContain('Остаток: 200,00 МБ\nХватит примерно на: 2 дня')
    expect(text).toContain('https://shop.example.net/purchase?pool=mobile')
    const nothing = (await sink.letterTo('out@example.com')).mail
    expect(nothing.subject).toContain('Your traffic has run out: Mobile')
    expect(nothing.text).not.toContain('Will last about')
    const reached = (await sink.letterTo('cap@example.com')).mail
    expect(reached.text?.replaceAll('\u00a0', ' ')).toContain('limited this pool to 2.00 GB per day (UTC)')
  })

  it('exists only if its transaction commits', async () => {
    const given = transaction(database.db, async (tx) => {
      await sendMail(tx, confirmation('never@example.com'))
      throw new Error('rolled back')
    })
    await expect(given).rejects.toThrow('rolled back')
    expect(await jobs()).toEqual([])
    const rows = await database.db
      .selectFrom('mail')
      .select('id')
      .where('recipient', '=', 'never@example.com')
      .execute()
    expect(rows).toEqual([])
  })

  it('is stored with its token sealed', async () => {
    await send(confirmation('sealed@example.com'))
    const { rows } = await sql<{ text: string }>`
      select mail::text || (select string_agg(payload::text, '') from graphile_worker._private_jobs) as text
      from mail where recipient = 'sealed@example.com'`.execute(database.db)
    expect(rows[0]?.text).not.toContain('token of')
  })

  it.each(['o’neill+shop@example.com', "o'neill@пример.рф"])('is sent to %s', async (to) => {
    await work(toSink())
    await send(confirmation(to))
    await settled(to)
    expect(await rowOf(to)).toMatchObject({ failed_at: null })
  })

  it.each([
    '"a, b"@example.com',
    'a,b@example.com',
    'x;b@example.com',
    'a<b@example.com>@example.com',
    'a>\r\nRCPT TO:<b@example.com',
    'group:b@example.com',
    '(comment)b@example.com',
  ])('is never sent to a part of %j', async (to) => {
    await work(toSink())
    await send(confirmation(to))
    await settled(to)
    expect(await rowOf(to)).toMatchObject({ sent_at: null, failure: expect.stringContaining('address') })
    expect(sink.received.flatMap((letter) => letter.to)).not.toContain('b@example.com')
  })
})

describe('a mail server’s refusal', () => {
  it.each(['mail', 'rcpt', 'data'] as const)(
    'that is temporary, at %s, is followed by a retry with the same Message-ID',
    async (at) => {
      const to = `later-${at}@example.com`
      sink.refusals.push({ at, code: 451 })
      await work(toSink())
      await send(confirmation(to))
      await until(async () => (await jobs())[0]?.last_error !== null, 60_000, 'the first try to fail')
      expect(await rowOf(to)).toMatchObject({ sent_at: null, failed_at: null })
      await hurry()
      const { mail } = await sink.letterTo(to)
      const { id } = await rowOf(to)
      expect(mail.messageId).toBe(`<${id}@shop.example.net>`)
      expect(failures).toEqual([])
    },
  )

  it.each(['rcpt', 'data'] as const)('that is permanent, at %s, ends the attempts', async (at) => {
    const to = `never-${at}@example.com`
    sink.refusals.push({ at, code: 550 })
    await work(toSink())
    await send(confirmation(to))
    await settled(to)
    await until(async () => (await jobs()).length === 0, 60_000, 'the job to end')
    expect(await rowOf(to)).toMatchObject({
      sent_at: null,
      data: null,
      failure: expect.stringContaining('550'),
    })
    expect(failures).toHaveLength(1)
  })

  it('of the sender has to be corrected by the operator: the letter waits', async () => {
    const to = 'patient@example.com'
    sink.refusals.push({ at: 'mail', code: 553 })
    await work(toSink())
    await send(confirmation(to))
    await until(async () => (await jobs())[0]?.last_error !== null, 60_000, 'the first try to fail')
    await hurry()
    await sink.letterTo(to)
  })

  it('that lasts until the last attempt ends them', async () => {
    const to = 'last@example.com'
    sink.refusals.push({ at: 'rcpt', code: 451 })
    await send(confirmation(to))
    await sql`update graphile_worker._private_jobs set max_attempts = 1`.execute(database.db)
    await work(toSink())
    await settled(to)
    expect(await rowOf(to)).toMatchObject({ data: null, failure: expect.stringContaining('451') })
  })
})

describe('an unreachable mail server', () => {
  it('is retried', async () => {
    const closed = createServer()
    const port = await new Promise<number>((resolve) => {
      closed.listen(0, '127.0.0.1', () => {
        const address = closed.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
    await new Promise((resolve) => closed.close(resolve))
    await work(mailTransport({ smtp: server(port), outboxDir }))
    await send(confirmation('nobody-home@example.com'))
    await until(async () => (await jobs())[0]?.last_error !== null, 60_000, 'the first try to fail')
    expect(await rowOf('nobody-home@example.com')).toMatchObject({ sent_at: null, failed_at: null })
  })
})

describe('a letter whose link has expired', () => {
  it('is not sent', async () => {
    await send({ ...confirmation('tardy@example.com'), expiresAt: new Date(clock.now.getTime() - 1000) })
    await work(toSink())
    await settled('tardy@example.com')
    expect(await rowOf('tardy@example.com')).toMatchObject({
      sent_at: null,
      failure: expect.stringContaining('expired'),
    })
  })
})

describe('without a mail server', () => {
  it('letters are files in the outbox, complete ones only', async () => {
    await work(mailTransport({ smtp: null, outboxDir }))
    await send(confirmation('file@example.com'))
    await settled('file@example.com')
    const names = await readdir(outboxDir)
    const { id } = await rowOf('file@example.com')
    expect(names).toEqual([expect.stringMatching(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d-]+Z-${id}\\.eml$`))])
    const mail = await simpleParser(await readFile(path.join(outboxDir, names[0] ?? '')))
    expect(mail.subject).toContain('Подтвердите почту')
    expect(mail.messageId).toBe(`<${id}@shop.example.net>`)
    expect(mail.text).toContain('https://shop.example.net/confirm_email')
  })
})

describe('old letters', () => {
  it('are deleted after the configured number of days', async () => {
    const { count: before } = await countMail()
    expect(before).toBeGreaterThan(0n)
    await forgetOldMail(database.db, { now: new Date(Date.now() + 29 * 24 * 60 * 60_000), keptDays: 30 })
    expect(await countMail()).toEqual({ count: before })
    await forgetOldMail(database.db, { now: new Date(Date.now() + 31 * 24 * 60 * 60_000), keptDays: 30 })
    expect(await countMail()).toEqual({ count: 0n })
  })
})

const countMail = () =>
  database.db
    .selectFrom('mail')
    .select((all) => all.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()

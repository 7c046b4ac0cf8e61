/** `turnpike doctor` on a shop with one problem after another, and on machines of other roles. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { removePrice, setPrice } from '#catalog'
import { writePart } from '#content'
import type { Part } from '#contract/desk/content'
import { legalPages } from '#contract/legal/pages'
import { noteBackup, transaction } from '#db'
import { addCost, addExit, changeExit, decimalGb, listExits, seedDemoExits } from '#exits'
import { encode } from '#feed/frames'
import { secretsOf } from '#lib/secret'
import { PaymentMethods } from '#payments'
import { setRate } from '#rates'
import { storeVariables } from '#settings'
import { type App, app, testSecretKey } from '#test/app'
import { testDatabase } from '#test/database'
import { startSmtp } from '#test/smtp'
import { readSettings } from '../../settings/settings.ts'
import { type Check, type Role } from './check.ts'
import { doctor } from './doctor.ts'
import { diskCheck } from './machine.ts'
import { backupCheck, paymentChecks, receiptChecks, stockChecks } from './shop.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-doctor-'))
let shop: App

beforeAll(async () => {
  shop = await app()
  await seedDemoExits(shop.database.db)
  await setSeller(seller)
  await writeIn('legal', { ru: ownPages, en: ownPages })
  await writeIn('links', { support: 'https://help.example.net/' })
  await sql`
    with owner as (insert into staff (name, name_key, role) values ('owner', 'owner', 'owner') returning id)
    insert into staff_alert (staff_id, email, language) select id, 'owner@example.net', 'en' from owner`.execute(
    db(),
  )
})
afterAll(async () => {
  await shop.close()
  rmSync(dataDir, { recursive: true })
})

const db = () => shop.database.db
const seller = {
  name: 'Northwind',
  address: 'Tallinn',
  tax_ids: 'EE1',
  bank: null,
  contacts: null,
  tax_note: null,
}
const writeIn = (part: Part, change: object) =>
  transaction(db(), (tx) => writePart(tx, part, change, { by: 'test', at: new Date() }))
const setSeller = (en: object | null) => writeIn('seller', { ru: null, en })
const noPages = { terms: null, privacy: null }
const ownPages = Object.fromEntries(legalPages.map((page) => [page, { title: page, text: 'Ours.' }]))
const envOf = (more: Record<string, string>) => ({
  DATABASE_URL: shop.database.url,
  SECRET_KEY: testSecretKey,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'silent',
  // No program listens there.
  PORT: '1',
  CRYPTOPAY_TOKEN: '1:of_no_account_at_all_whatever',
  ...more,
})

interface DoctorReport {
  role: Role
  severity: string
  checks: Check[]
}

async function look(
  more: Record<string, string> = {},
  role?: Role,
): Promise<DoctorReport & { code: number }> {
  let said = ''
  const settings = readSettings(envOf(more), dataDir)
  const code = await doctor(settings, { ...(role === undefined ? {} : { role }), json: true }, (text) => {
    said += text
  })
  return { ...(JSON.parse(said) as DoctorReport), code }
}

/** The checks that are not in order. */
const findings = async (more: Record<string, string> = {}, role?: Role) =>
  (await look(more, role)).checks.filter(({ severity }) => severity !== 'ok')

describe('doctor on a shop', () => {
  it('exits with 0 when all is in order, 1 for a warning, 2 for trouble', async () => {
    const { code, role, severity, checks } = await look()
    expect({ code, role, severity, bad: checks.filter((check) => check.severity !== 'ok') }).toEqual({
      code: 0,
      role: 'shop',
      severity: 'ok',
      bad: [],
    })
    expect(await look({ GATEWAY_HOSTS: 'eur=127.0.0.1' })).toMatchObject({ code: 1, severity: 'warning' })
    expect(await look({ SECRET_KEY: 'another key than that of the database' })).toMatchObject({ code: 2 })
  })

  it('knows the settings of the desk, and names those that this machine overrules', async () => {
    // Settings of the desk are laid over those of the source in use.
    for (const [name, value] of Object.entries(envOf({ CRYPTOPAY_TOKEN: '' }))) vi.stubEnv(name, value)
    const store = (values: Record<string, string | null>) =>
      transaction(db(), (tx) =>
        storeVariables(tx, shop.services.secrets, { values, by: 'owner', reason: 'a test' }, new Date()),
      )
    try {
      const without = await findings({ CRYPTOPAY_TOKEN: '' })
      expect(without).toMatchObject([{ name: 'payments', severity: 'trouble' }])
      await store({ CRYPTOPAY_TOKEN: '2:of_the_desk_of_the_shop_whatever' })
      expect(await findings({ CRYPTOPAY_TOKEN: '' })).toEqual([])
      vi.stubEnv('CRYPTOPAY_TOKEN', '1:of_no_account_at_all_whatever')
      const overruled = await findings()
      expect(overruled).toMatchObject([{ name: 'settings', severity: 'warning' }])
      expect(overruled[0]?.sentence).toContain('The desk has set cryptobot')
    } finally {
      vi.unstubAllEnvs()
      await store({ CRYPTOPAY_TOKEN: null })
    }
  })

  it('prints sentences without --json', async () => {
    let said = ''
    await doctor(readSettings(envOf({}), dataDir), { json: false }, (text) => {
      said += `${text}\n`
    })
    expect(said).toMatch(/^ok {7}database: It answers and is up to date\.$/m)
  })

  it('finds that nothing is sold, and pools that are sold without an exit', async () => {
    await db().updateTable('exit').set({ enabled: false }).where('pool', '=', 'mobile').execute()
    await setPrice(db(), 'mobile', 1_000_000n)
    const [lacking, ...others] = await findings()
    expect(others).toEqual([])
    expect(lacking).toMatchObject({ name: 'exits', severity: 'trouble' })
    expect(lacking?.sentence).toContain('Mobile is sold and has no exit')
    for (const pool of ['mobile', 'residential', 'residential_premium', 'datacenter'] as const)
      await removePrice(db(), pool)
    expect(await findings()).toMatchObject([{ name: 'prices', severity: 'trouble' }])
    await setPrice(db(), 'residential', 3_500_000n)
    const unpriced = await findings()
    expect(unpriced.map(({ name, severity }) => [name, severity])).toEqual([
      ['prices', 'warning'],
      ['prices', 'warning'],
    ])
    expect(unpriced[0]?.sentence).toContain('Residential Premium has an exit and no price')
    const prices = (await look()).checks.find(({ name }) => name === 'prices')
    expect(prices?.sentence).toContain(
      'On sale: Residential. Without a price, and so on no page: Residential Premium',
    )
    await db().updateTable('exit').set({ enabled: false }).where('pool', '<>', 'residential').execute()
    expect(await findings()).toEqual([])
  })

  it('finds what the legal pages lack for a processor’s reviewer', async () => {
    const { refund, abuse, ...others } = ownPages
    const told = async () => (await findings()).map(({ name, sentence }) => [name, sentence] as const)
    await writeIn('legal', { ru: others, en: { ...others, refund } })
    const [draft, language, ...more] = await told()
    expect(more).toEqual([])
    expect(draft?.[1]).toContain('Visitors see a draft of: Report abuse.')
    expect(language?.[1]).toContain('Written in one language only: Refunds.')
    await writeIn('links', { support: null })
    const support = ['contacts', expect.stringContaining('no link to support')]
    expect(await told()).toEqual([
      support,
      draft,
      language,
      ['legal', expect.stringContaining('where to report abuse')],
    ])
    await setSeller({ ...seller, contacts: 'desk@example.net' })
    expect(await told()).toEqual([support, draft, language])
    await writeIn('legal', {
      ru: ownPages,
      en: { ...ownPages, abuse },
      without: ['terms', 'acceptable_use'],
    })
    expect(await told()).toEqual([
      support,
      ['legal', expect.stringContaining('does without: Terms of service.')],
    ])
    await writeIn('legal', { ru: noPages, en: noPages, without: [] })
    expect((await told())[1]?.[1]).toContain('Terms of service, Privacy policy')
    await writeIn('legal', { ru: ownPages, en: ownPages })
    await writeIn('links', { support: 'https://help.example.net/' })
    await setSeller(seller)
    expect(await findings()).toEqual([])
  })

  it('finds exits that cannot be unsealed, which serve no customer', async () => {
    const made = { pool: 'residential', name: 'sealed away', kind: 'http' } as const
    const id = await addExit(db(), secretsOf('another key, also long enough to be one'), {
      ...made,
      host: 'proxy.example.net',
      port: 8080,
      credentials: { username: 'me', password: 'x' },
      places: null,
    })
    const [found, ...others] = await findings()
    expect(others).toEqual([])
    expect(found).toMatchObject({ name: 'key', severity: 'trouble' })
    expect(found?.sentence).toContain('sealed away of residential')
    await db().updateTable('exit').set({ enabled: false }).where('name', '=', 'demo').execute()
    expect((await findings()).map(({ name }) => name)).toEqual(['key', 'exits'])
    await changeExit(db(), secretsOf(testSecretKey), id, { password: 'anew' })
    expect(await findings()).toEqual([])
  })

  it('finds a wrong key and continues, and an old key that is still needed, or not any more', async () => {
    const wrong = await look({ SECRET_KEY: 'another key than that of the database' })
    expect(wrong.checks).toContainEqual(
      expect.objectContaining({
        name: 'key',
        sentence: expect.stringMatching(/^This database is sealed with/),
      }),
    )
    expect(wrong.checks.map(({ name }) => name)).toContain('prices')
    const keys = { SECRET_KEY: 'the next key, long enough to be one', SECRET_KEY_OLD: testSecretKey }
    expect(await findings(keys)).toMatchObject([{ name: 'key', severity: 'warning' }])
    expect((await findings({ SECRET_KEY_OLD: 'the key before, also long enough' }))[0]?.sentence).toContain(
      'Remove SECRET_KEY_OLD',
    )
  })

  it('finds that the seller is not named', async () => {
    await setSeller(null)
    expect(await findings()).toMatchObject([{ name: 'seller', severity: 'warning' }])
    await setSeller(seller)
    expect(await findings()).toEqual([])
  })

  it('finds dead letters', async () => {
    const report = { gateway: 'gw1', boot: 'b1', sequence: 1, lines: [] }
    mkdirSync(path.join(dataDir, 'gateway'))
    writeFileSync(
      path.join(dataDir, 'gateway/gw1.refused'),
      `${encode({ refused: '2026-01-01T00:00:00.000Z', reason: 'the test', report })}\n`,
    )
    expect(await findings()).toMatchObject([{ name: 'reports', severity: 'trouble' }])
    expect(await findings({}, 'worker')).toEqual([])
    rmSync(path.join(dataDir, 'gateway'), { recursive: true })
  })

  it('finds host names that do not resolve, and regions without one', async () => {
    const found = await findings({ GATEWAY_HOSTS: 'eur=eu.turnpike.invalid,usa=127.0.0.1' })
    expect(found).toMatchObject([
      { name: 'hosts of lines', severity: 'trouble' },
      { name: 'hosts of lines', severity: 'warning' },
    ])
    expect(found[0]?.sentence).toContain('eu.turnpike.invalid (eur)')
    expect(found[1]?.sentence).toContain('none for jpn, aus, bra, sgp')
  })

  it('connects to the mail server', async () => {
    const mail = {
      PUBLIC_URL: 'https://shop.example.net',
      GATEWAY_HOST: '127.0.0.1',
      MAIL_FROM: 'us@example.net',
    }
    // Nobody is notified of what needs attention either.
    expect(await findings({ ...mail })).toMatchObject([
      { name: 'alerts', severity: 'warning' },
      { name: 'mail', severity: 'warning' },
    ])
    const smtp = await startSmtp({ onAuth: (_auth, _session, done) => done(new Error('no such user')) })
    const at = `127.0.0.1:${smtp.port}`
    expect(await findings({ ...mail, SMTP_URL: `smtp://${at}` })).toEqual([])
    const refused = await findings({ ...mail, SMTP_URL: `smtp://me:wrong@${at}` })
    expect(refused).toMatchObject([{ name: 'mail', severity: 'trouble' }])
    expect(smtp.received).toEqual([])
    await smtp.close()
    expect(await findings({ ...mail, SMTP_URL: `smtp://${at}` })).toMatchObject([
      { name: 'mail', severity: 'trouble' },
    ])
  })
})

describe('doctor on other machines', () => {
  it('leaves out the checks of other roles', async () => {
    for (const pool of ['residential'] as const) await removePrice(db(), pool)
    const namesOf = async (role: Role) => (await look({}, role)).checks.map(({ name }) => name)
    expect(await namesOf('worker')).toEqual([
      'data directory',
      'database',
      'clock',
      'key',
      'history',
      'ledger',
      'partitions',
      'mail',
    ])
    expect(await namesOf('gateway')).toEqual([
      'data directory',
      'database',
      'clock',
      'key',
      'history',
      'reports',
      'ports',
      'upgrades',
      'aborted transfers',
    ])
    await setPrice(db(), 'residential', 3_500_000n)
  })

  it('reports what is wrong with a database that does not answer', async () => {
    const found = await findings({ DATABASE_URL: 'postgresql://turnpike@127.0.0.1:1/turnpike' })
    expect(found).toMatchObject([{ name: 'database', severity: 'trouble' }])
  })
})

describe('single checks of doctor', () => {
  it('checks the free space on the disk', () => {
    const severities = [9e8, 4e9, 6e9].map((bytes) => diskCheck('/data', bytes).severity)
    expect(severities).toEqual(['trouble', 'warning', 'ok'])
  })

  it('finds that the last backup is old, or that there is none', async () => {
    const database = await testDatabase()
    const inDays = (days: number) => new Date(database.clock.now().getTime() + days * 24 * 60 * 60_000)
    expect(await backupCheck(database.db, inDays(0))).toMatchObject({ severity: 'warning' })
    await noteBackup(database.db, 1)
    expect(await backupCheck(database.db, inDays(6))).toMatchObject({ severity: 'ok' })
    expect((await backupCheck(database.db, inDays(8.5))).sentence).toContain('8 days ago')
    await database.close()
  })

  it('finds sales below the cost of the dearest exit', async () => {
    const now = shop.database.clock.now()
    const secrets = secretsOf(testSecretKey)
    const checks = () => stockChecks(db(), secrets, now)
    expect(await checks()).toMatchObject([{ name: 'stock', severity: 'ok' }])
    const exit = (await listExits(db(), secrets)).find(({ pool }) => pool === 'residential')
    const exitId = BigInt(exit?.id ?? 0)
    const perGb = (perGbMicros: bigint) => ({
      fromDay: '2020-01-01',
      perGbMicros,
      monthMicros: 0n,
      gbBytes: decimalGb,
      rounding: 'none' as const,
    })
    await addCost(db(), exitId, perGb(1_000_000n), now)
    expect(await checks()).toMatchObject([{ severity: 'ok' }])
    await addCost(db(), exitId, perGb(3_500_001n), now)
    expect(await checks()).toMatchObject([
      { severity: 'warning', sentence: expect.stringContaining('residential 1 GB') },
    ])
    await addCost(db(), exitId, perGb(0n), now)
  })

  it('finds rates that are old or missing, and a shop without a payment method', async () => {
    const yookassa = { name: 'yookassa', currency: 'RUB' } as never
    const methods = new PaymentMethods([yookassa])
    const now = shop.database.clock.now()
    expect(await paymentChecks(db(), new PaymentMethods([]), now)).toMatchObject([{ severity: 'trouble' }])
    expect(await paymentChecks(db(), methods, now)).toMatchObject([{ severity: 'trouble' }])
    const ago = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60_000)
    await setRate(db(), { currency: 'RUB', perUsdMicros: 90_000_000n, setAt: ago(8) })
    expect(await paymentChecks(db(), methods, now)).toMatchObject([{ severity: 'trouble' }])
    await setRate(db(), { currency: 'RUB', perUsdMicros: 90_500_000n, setAt: ago(4) })
    expect(await paymentChecks(db(), methods, now)).toMatchObject([{ severity: 'warning' }])
    await setRate(db(), { currency: 'RUB', perUsdMicros: 91_000_000n, setAt: ago(1) })
    expect(await paymentChecks(db(), methods, now)).toMatchObject([{ severity: 'ok' }])
  })

  it('hints at receipts where YooKassa takes roubles without them, and at the key of a test shop', () => {
    const keys = { YOOKASSA_SHOP_ID: '424242', YOOKASSA_SECRET_KEY: 'live_fakeSecretKey' }
    const check = (env: Record<string, string>) => receiptChecks(readSettings(env, '/nonexistent'))
    expect(check({})).toEqual([])
    expect(check(keys)).toMatchObject([{ name: 'receipts', severity: 'warning' }])
    const registering = { ...keys, RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1' }
    expect(check(registering)).toMatchObject([{ severity: 'ok', sentence: 'Registered: yookassa.' }])
    expect(check({ ...registering, YOOKASSA_SECRET_KEY: 'test_fakeSecretKey' })).toMatchObject([
      { severity: 'warning', sentence: expect.stringContaining('test shop') },
    ])
    expect(check({ RECEIPTS: 'manual' })).toMatchObject([{ severity: 'ok' }])
  })
})

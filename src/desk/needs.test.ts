import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { machineNeeds, noteFindings } from '#staff-alerts'
import { setRate } from '#rates'
import { belowCostNow, findNeeds } from '#desk'
import { sendMail } from '#mail'
import { app, type App } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember
let db: App['database']['db']

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  db = shop.database.db
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const needs = async () => {
  const deps = {
    secrets: shop.services.secrets,
    pinned: {},
    hasOwnDatabase: true,
    collecting: [{ name: 'yookassa', currency: 'RUB' }],
  }
  const found = await findNeeds(shop.database, deps, { now: shop.clock.now, most: 9 })
  return new Map(
    found.map(({ kind, count, subjects }) => [kind, { count, labels: subjects.map(({ label }) => label) }]),
  )
}
const shownToday = async () => (await owner.call('today', {})).needs_you.map(({ kind }) => kind)

it('a fault that a machine finds in itself is a need on Today until the machine no longer finds it', async () => {
  const disk = { kind: 'disk_low', label: '/data' } as const
  const certificate = { kind: 'certificate', label: '/etc/tls.pem' } as const
  await noteFindings(db, 'web-1', [disk, certificate, disk], shop.clock.now)
  await noteFindings(db, 'web-2', [disk], shop.clock.now)
  expect((await needs()).get('disk_low')).toEqual({ count: 2, labels: ['web-1: /data', 'web-2: /data'] })
  expect(await shownToday()).toEqual(expect.arrayContaining(['disk_low', 'certificate']))
  await noteFindings(db, 'web-1', [], shop.clock.now)
  expect((await needs()).get('certificate')).toBeUndefined()
  // A report of a machine that stopped reporting is kept for a day.
  const later = (hours: number) => new Date(shop.clock.now.getTime() + hours * 3_600_000)
  expect(await machineNeeds(db, later(23))).toHaveLength(1)
  expect(await machineNeeds(db, later(25))).toEqual([])
})

it('a pool whose price is below the cost of its exits is a need', async () => {
  expect((await needs()).get('below_cost')).toBeUndefined()
  const { rows } = await sql<{ id: bigint }>`
    insert into exit (pool, name, kind, everywhere) values ('datacenter', 'dear', 'direct', true) returning id`.execute(
    db,
  )
  const [day] = shop.clock.now.toISOString().split('T')
  await office.stepUp(owner)
  await owner.call('set_exit_cost', {
    id: String(rows[0]?.id),
    from: day ?? '',
    per_gb_micros: '900000000',
    month_micros: '0',
    binary_gb: false,
    rounding: 'none',
    reason: 'the contract',
  })
  expect((await needs()).get('below_cost')).toEqual({ count: 1, labels: ['datacenter 1 GB'] })

  // An old code of these terms is found however many codes are newer.
  const made = (code: string, discount: number, pools: string, count: number) =>
    sql`insert into promocode (code, code_key, kind, discount_ppm, min_gb, pools)
      select ${code} || n, lower(${code} || n), 'discount', ${discount}, 1, array[${pools}]
      from generate_series(1, ${count}) n`.execute(db)
  await made('OLD-', 500_000, 'datacenter', 25)
  await made('NEW-', 1000, 'mobile', 1100)
  const newest = Array.from({ length: 20 }, (_, index) => `OLD-${25 - index}`)
  expect((await needs()).get('below_cost')).toMatchObject({ count: 21 })
  expect((await belowCostNow(db, shop.clock.now)).codes).toEqual(newest)
})

it('letters that were given up are a need when they are more than single addresses', async () => {
  for (let index = 0; index < 3; index++) {
    await sendMail(db, {
      template: 'from_staff',
      to: `a${index}@example.com`,
      language: 'en',
      data: { subject: 's', text: 't' },
    })
    expect((await needs()).get('letters_failed')).toBeUndefined()
    await sql`update mail set failed_at = ${shop.clock.now}, failure = 'no such mailbox', data = null where failed_at is null`.execute(
      db,
    )
  }
  expect((await needs()).get('letters_failed')).toEqual({ count: 3, labels: [''] })
})

it('doctor warns when nobody would be notified, and does not when an owner has an address', async () => {
  const findings = async () => (await owner.call('today', {})).before_you_open.map(({ name }) => name)
  expect(await findings()).toContain('alerts')
  await office.stepUp(owner)
  const email = 'owner@example.com'
  await owner.call('set_my_alerts', { email, language: 'en', kinds: [] })
  // The address of the owner is not confirmed yet.
  expect(await findings()).toContain('alerts')
  await owner.call('confirm_alert_address', { code: await office.codeFor(email) })
  expect(await findings()).not.toContain('alerts')
})

it('an old rate of a currency in use is reported once, and again when it is no longer used', async () => {
  const at = (days: number) => new Date(shop.clock.now.getTime() - days * 24 * 3_600_000)
  const told = async () => {
    const found = await needs()
    return ['rate_old', 'rate_closed'].map((kind) => found.get(kind as 'rate_old')?.labels ?? [])
  }
  await setRate(db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: at(2.9) })
  await setRate(db, { currency: 'EUR', perUsdMicros: 920_000n, setAt: at(8) })
  expect(await told()).toEqual([[], []])
  await owner.call('set_display_currency', { currency: 'EUR', shown: true })
  expect(await told()).toEqual([[], ['EUR']])
  await setRate(db, { currency: 'EUR', perUsdMicros: 930_000n, setAt: at(4) })
  expect(await told()).toEqual([['EUR'], []])
  // The rate of a currency matters while a method that collects it is offered.
  const set = (name: 'offer_yookassa' | 'rate_old_days', value: string | null) =>
    owner.call('change_setting', { name, value, reason: 'the processor is away' })
  await office.stepUp(owner)
  await set('rate_old_days', '2')
  expect(await told()).toEqual([['EUR', 'RUB'], []])
  await set('offer_yookassa', '0')
  expect(await told()).toEqual([['EUR'], []])
  await set('offer_yookassa', null)
  await set('rate_old_days', null)
  expect(await shownToday()).toContain('rate_old')
  await owner.call('set_rate', { currency: 'EUR', per_usd: '0.94' })
  expect(await told()).toEqual([[], []])
})

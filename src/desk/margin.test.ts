import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { marginDivisions } from '#contract/desk/choices'
import { noteAnswers } from '#exits'
import { answerClasses } from '#feed/exit.answers'
import { countMargin } from '#margin'
import { lease, settle } from '#traffic'
import { accountIdOf, app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { line, newBoot } from '#test/traffic'

const gb = 1_000_000_000n
const hourMs = 3_600_000
const dayMs = 24 * hourMs

let shop: App
let office: Desk
let owner: StaffMember
let exits: string[]
let day: string

const terms = {
  per_gb_micros: '1000000',
  month_micros: '0',
  binary_gb: false,
  rounding: 'none',
} as const

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  // Noon of yesterday by the database's clock, so that the hours before it are over and have their partition.
  shop.clock.now = new Date(Math.floor(shop.clock.now.getTime() / dayMs) * dayMs - dayMs / 2)
  day = shop.clock.now.toISOString().slice(0, 10)
  office = await desk(shop)
  owner = await office.staff('owner')
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere, weight) values ('mobile', 'cheap', 'direct', true, 3),
       ('mobile', 'dear', 'direct', true, 1), ('mobile', 'free', 'direct', false, 1) returning id`,
  )
  exits = rows.map(({ id }) => String(id))
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const preview = async (perGb: string, member = owner) =>
  member.call('preview_prices', {
    prices: [{ pool: 'mobile', per_gb_micros: perGb }],
    tiers: [{ from_gb: 100, discount_ppm: 500_000 }],
  })

describe('margin at the desk', () => {
  it('is not shown for a shop without a cost', async () => {
    expect((await owner.call('today', {})).margin_micros).toBeNull()
    expect((await preview('3000000')).find(({ pool }) => pool === 'mobile')).toMatchObject({
      cost_per_gb_micros: null,
      margin_per_gb_micros: null,
    })
  })

  it('shows what each tier leaves, by the exits’ prices and weights until a GB was used', async () => {
    await owner.call('set_exit_cost', { id: exits[0] ?? '', from: '2026-01-01', ...terms })
    await owner.call('set_exit_cost', {
      id: exits[1] ?? '',
      from: '2026-01-01',
      ...terms,
      per_gb_micros: '2000000',
    })
    const rows = (await preview('3000000')).filter(({ pool }) => pool === 'mobile')
    expect(
      rows.map((row) => [
        row.gb,
        row.past_cost_per_gb_micros,
        row.cost_per_gb_micros,
        row.margin_per_gb_micros,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [1, null, '1250000', '1750000'],
        [100, null, '1250000', '250000'],
      ]),
    )
  })

  it('adds up in every division to what was earned, and is the margin of Today', async () => {
    const customer = await shop.customer()
    const accountId = BigInt(await accountIdOf(customer))
    await shop.buy(customer, { pool: 'mobile', gb: 10 })
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      'select id from access where account_id = $1',
      [accountId],
    )
    const access = rows[0]?.id ?? 0n
    const boot = newBoot()
    const { lease: held } = await lease(shop.database.db, boot, { access, want_bytes: 4n * gb })
    // 1 GB by each exit, an hour apart: 7.90 each; 1.00, 2.00, and a cost that is not known.
    for (const [index, exit] of exits.entries()) {
      const used = line(held, access, gb, { exit: BigInt(exit), relayed_bytes: gb })
      const at_ms = Date.parse(day) + (8 + index) * hourMs + 1
      await settle(shop.database.db, [boot.report([used], { at_ms })])
    }
    const sums = { charged_bytes: String(3n * gb), earned_micros: '23700000', cost_micros: '3000000' }
    for (const by of marginDivisions) {
      const { rows: report, foot, agrees } = await owner.call('margin_report', { by, from: day, until: day })
      const sum = (field: keyof (typeof report)[number]) =>
        String(report.reduce((all, row) => all + BigInt(row[field] ?? 0), 0n))
      expect(
        {
          charged_bytes: sum('charged_bytes'),
          earned_micros: sum('earned_micros'),
          cost_micros: sum('cost_micros'),
        },
        by,
      ).toEqual(sums)
      expect([sum('margin_micros'), sum('uncosted_bytes')], by).toEqual(['12800000', String(gb)])
      // The hours are not counted yet, so the ledger's 79.00 count as unused; the report shows only the usage
      // of its period.
      expect(agrees, by).toBe('equal')
      expect(foot.map((row) => [row.key, row.revenue_micros])).toEqual([
        ['total', '23700000'],
        ['earned', '0'],
        ['unused', '79000000'],
        ['other', '0'],
        ['ledger', '79000000'],
      ])
    }
    const byExit = await owner.call('margin_report', { by: 'exit', from: day, until: day })
    expect(new Map(byExit.rows.map((row) => [row.name, row.margin_micros]))).toEqual(
      new Map([
        ['cheap', '6900000'],
        ['dear', '5900000'],
        ['free', '0'],
      ]),
    )
    const { margin_micros: figure } = await owner.call('today', {})
    expect(figure?.today).toBe('12800000')
    expect(figure?.hours.slice(8, 11)).toEqual(['6900000', '5900000', '0'])
    // The hours began at 13:30, 14:30 and 15:30 of that day in India.
    const abroad = await desk(shop, { zone: 'Asia/Kolkata' })
    const manager = await abroad.staff('owner')
    const { margin_micros: there } = await manager.call('today', {})
    expect(there?.today).toBe('12800000')
    expect(there?.hours.slice(13, 16)).toEqual(['6900000', '5900000', '0'])
    await abroad.close()
    const margins = await owner.call('exit_margins', {})
    expect(margins.find(({ id }) => id === exits[1])).toMatchObject({
      cost_micros: '2000000',
      relayed_bytes: String(gb),
    })
    // The 3.00 for the 2 GB with a known cost are history; a GB sold now costs 1.25, averaged by weight.
    expect((await preview('1400000')).find(({ pool }) => pool === 'mobile')).toMatchObject({
      past_cost_per_gb_micros: '1500000',
      cost_per_gb_micros: '1250000',
      margin_per_gb_micros: '150000',
      least_margin_per_gb_micros: '-600000',
      below_cost: true,
    })
  })

  it('counts bonus traffic and monthly prices into what a GB sold now costs', async () => {
    const costOf = async () =>
      (await preview('5000000')).find(({ pool }) => pool === 'mobile')?.cost_per_gb_micros
    const before = BigInt((await costOf()) ?? 0)
    const [id = ''] = exits
    await owner.call('set_exit_cost', { id, from: day, ...terms, month_micros: '310000000' })
    expect(BigInt((await costOf()) ?? 0)).toBeGreaterThan(before)
    await owner.call('set_exit_cost', { id, from: day, ...terms })
    expect(BigInt((await costOf()) ?? 0)).toBe(before)
  })

  it('shows the cost of unused traffic at today’s prices of exits, and at the dearest exit', async () => {
    const asked = { report: 'liability', by: 'pool', from: day, until: day } as const
    const { rows, foot, agrees } = await owner.call('report', asked)
    // 7 of 10 GB are unused: on average 1.25 each by the weights of 3 and 1, and 2.00 by the dearest exit.
    const held = { bytes: String(7n * gb), cost_micros: '8750000', dearest_cost_micros: '14000000' }
    expect(rows.find(({ key }) => key === 'mobile')).toMatchObject(held)
    expect(foot[0]).toMatchObject(held)
    expect(foot[1]).toMatchObject({ cost_micros: null, dearest_cost_micros: null })
    expect(agrees).toBe('equal')
    const over = await owner.call('report', { ...asked, by: 'day' })
    expect(over.rows[0]).toMatchObject({ cost_micros: null, dearest_cost_micros: null })
  })

  it('warns of a sale that pays for its exits and not for fees, shares and monthly costs', async () => {
    const mobile = async () => (await preview('2050000')).find(({ pool }) => pool === 'mobile')
    // The dearest exit takes 2.00.
    expect(await mobile()).toMatchObject({ taken_per_gb_micros: '0', below_cost: false })
    // A fee of 3 % of the earnings leaves 1.9885 of 2.05.
    const { rows } = await shop.database.pool.query<{ id: bigint }>('select id from invoice limit 1')
    await shop.database.pool.query(
      `insert into processor_fee (method, kind, subject, invoice_id, source, currency, amount_micros, usd_micros, noted_at)
       values ('sandbox', 'payment', 'a fee', $1, 'reported', 'USD', 2370000, 2370000, $2)`,
      [rows[0]?.id, shop.clock.now],
    )
    expect(await mobile()).toMatchObject({
      taken_per_gb_micros: '61500',
      dearest_per_gb_micros: '2000000',
      below_cost: true,
    })
    // A price of 5.00 covers every exit's price per GB, but not 30 days of an exit with a monthly cost.
    const five = async () => (await preview('5000000')).find(({ pool }) => pool === 'mobile')
    expect(await five()).toMatchObject({ below_cost: false })
    const set = (month: string) =>
      owner.call('set_exit_cost', { id: exits[2] ?? '', from: '2026-01-01', ...terms, month_micros: month })
    await set('900000000')
    expect(await five()).toMatchObject({ below_cost: true })
    const { needs_you: needs } = await owner.call('today', {})
    expect(needs.find(({ kind }) => kind === 'below_cost')?.examples).toContain('mobile 1 GB')
    await set('0')
  })

  it('shows the days of stock that are left, and warns below three days', async () => {
    const [id = ''] = exits
    const stock = async () => (await owner.call('exit_stocks', {})).find((each) => each.id === id)
    expect(await stock()).toBeUndefined()
    // 1 GB was relayed since midnight, the only traffic of the week.
    await owner.call('set_exit_stock', { id, left_bytes: String(10n * gb), at: `${day}T00:00:00Z` })
    expect(await stock()).toMatchObject({ left_bytes: String(9n * gb), days_left: 63, is_low: false })
    await owner.call('set_exit_stock', { id, left_bytes: String(gb / 4n), reason: 'read at the seller’s' })
    expect(await stock()).toMatchObject({ left_bytes: String(gb / 4n), days_left: 1.75, is_low: true })
    const { needs_you: needs } = await owner.call('today', {})
    expect(needs).toContainEqual({ kind: 'stock_low', count: 1, href: '/exits', examples: ['cheap'] })
    const later = new Date(shop.clock.now.getTime() + 60_000).toISOString()
    const ahead = owner.call('set_exit_stock', { id, left_bytes: '1', at: later })
    expect((await refusalOf(ahead)).status).toBe(422)
  })

  it('shows the outcomes of exits as their gateways report them, and their share of the pool', async () => {
    const [id = ''] = exits
    const answered = Array<number>(answerClasses).fill(0)
    answered[2] = 90
    answered[8] = 10
    await noteAnswers(shop.database.db, [{ exit: BigInt(id), failed: 25, answered }], shop.clock.now)
    const figures = await owner.call('exit_figures', {})
    const answers = { answered: '100', failed: '25', p50_ms: 39, p95_ms: 450 }
    expect(figures.find((each) => each.id === id)).toMatchObject({
      share: 0.333333,
      hour: answers,
      day: answers,
    })
  })

  it('counts days in the time zone of the shop', async () => {
    const abroad = await desk(shop, { zone: 'Pacific/Kiritimati' })
    const manager = await abroad.staff('owner')
    // 14 hours before UTC: 10:00 UTC begins the next day, 08:00 and 09:00 end this one.
    const next = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)
    const { rows } = await manager.call('margin_report', { by: 'day', from: day, until: next })
    expect(rows.map((row) => [row.key, row.revenue_micros])).toEqual([
      [day, '15800000'],
      [next, '7900000'],
    ])
    await abroad.close()
  })

  it('is refused for a period that ends before it begins, and for more than 400 days', async () => {
    const refused = async (period: { from: string; until: string }) =>
      (await refusalOf(owner.call('margin_report', { by: 'day', ...period }))).status
    expect(await refused({ from: '2026-01-02', until: '2026-01-01' })).toBe(422)
    expect(await refused({ from: '2024-01-01', until: '2026-01-01' })).toBe(422)
  })

  it('follows a rise of cost at once, and keeps the average of 30 days as history', async () => {
    const [today, next] = [shop.clock.now, new Date(shop.clock.now.getTime() + dayMs)]
    const from = next.toISOString().slice(0, 10)
    for (const id of exits)
      await owner.call('set_exit_cost', { id, from, ...terms, per_gb_micros: '3300000' })
    await countMargin(shop.database.db, today)
    shop.clock.now = next
    const member = await office.staff('owner')
    const rows = await preview('3500000', member)
    expect(rows.find(({ pool, gb: size }) => pool === 'mobile' && size === 1)).toMatchObject({
      past_cost_per_gb_micros: '1333334',
      cost_per_gb_micros: '3300000',
      taken_per_gb_micros: '105000',
      margin_per_gb_micros: '95000',
      below_cost: false,
    })
    // Half off the price of 7.90 brings 3.95.
    const half = { discount_ppm: 500_000, min_gb: 1, pools: ['mobile' as const] }
    const [sale] = await member.call('preview_discount', half)
    expect(sale).toMatchObject({ below_cost: false, least_margin_per_gb_micros: '531500' })
    shop.clock.now = today
  })
})

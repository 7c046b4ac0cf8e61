/** Reports of usage whose hours are no longer kept. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addDays } from '#lib/zone'
import { addUpHours, forgetOldUsage, lease, makeUsageMonths, settle } from '#traffic'
import { accountIdOf, app, type App } from '#test/app'
import { desk, type Desk } from '#test/desk'
import { line, newBoot } from '#test/traffic'

let shop: App
let office: Desk
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

it('usage by campaign equals the ledger after the hours were deleted, or names the months that are missing', async () => {
  const { db, pool } = shop.database
  const accountant = await office.staff('accountant')
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
  const accountId = await accountIdOf(customer)
  await pool.query(`update account set admin_referral_code = 'forum' where id = $1`, [accountId])
  const { rows } = await pool.query<{ id: bigint }>('select id from access')
  const access = rows[0]?.id ?? 0n
  const holder = newBoot()
  const today = shop.clock.now.toISOString().slice(0, 10)
  const old = addDays(today, -150)
  const settled = async (at: string, bytes: bigint) => {
    const { lease: held } = await lease(db, holder, { access, want_bytes: bytes })
    await settle(db, [holder.report([line(held, access, bytes, { close: true })], { at_ms: Date.parse(at) })])
  }
  await settled(`${old}T10:00Z`, 5000n)
  await settled(`${today}T00:00Z`, 70n)
  await addUpHours(db)
  await makeUsageMonths(db)
  await forgetOldUsage(db, { hourMonths: 3, dayMonths: null })
  // A late report of a day whose hours were deleted.
  await settled(`${old}T11:00Z`, 300n)

  const asked = {
    report: 'usage',
    by: 'campaign',
    from: addDays(today, -180),
    until: addDays(today, 1),
  } as const
  const whole = await accountant.call('report', asked)
  expect(whole.rows.map(({ key, bytes, count }) => [key, bytes, count])).toEqual([['forum', '5370', '3']])
  expect([whole.agrees, whole.archived]).toEqual(['equal', []])
  // A division by pool and campaign needs no hours, one of an exit does.
  const ofPool = await accountant.call('report', { ...asked, pool: 'mobile' })
  expect([ofPool.agrees, ofPool.rows[0]?.bytes]).toEqual(['part', '5370'])
  const ofExit = await accountant.call('report', { ...asked, exit: '0' })
  expect([ofExit.agrees, ofExit.archived, ofExit.rows[0]?.bytes]).toEqual([
    'dropped',
    [old.slice(0, 7)],
    '370',
  ])
  // In another time zone the day has no whole day of UTC.
  const there = await desk(shop, { zone: 'Europe/Moscow' })
  const abroad = await there.staff('accountant')
  const begun = await abroad.call('report', { ...asked, from: old })
  expect([begun.agrees, begun.rows[0]?.bytes]).toEqual(['equal', '5370'])
  const day = await abroad.call('report', { ...asked, from: old, until: old })
  expect([day.agrees, day.archived]).toEqual(['dropped', [old.slice(0, 7)]])
  await there.close()
})

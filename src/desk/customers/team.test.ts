/** The team of a customer at the desk. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountIdOf, type App, app, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let support: StaffMember
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  support = await office.staff('support')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

it('a team is shown with masked addresses, and staff remove a member, which is in the trail', async () => {
  const [owner, member] = [await shop.customer(), await shop.customer()]
  const [id, memberId] = [await accountIdOf(owner), await accountIdOf(member)]
  const { db } = shop.database
  await db.updateTable('account').set({ email_confirmed_at: shop.clock.now }).execute()
  await db
    .insertInto('team_member')
    .values({ team_id: BigInt(id), member_id: BigInt(memberId), role: 'billing', joined_at: shop.clock.now })
    .execute()
  await member.call('act_on_account', { account: id })
  const shown = await support.call('customer', { id })
  expect(shown.members).toMatchObject([{ id: memberId, email: member.email, role: 'billing' }])
  expect((await support.call('customer', { id: memberId })).teams).toMatchObject([{ id, role: 'billing' }])
  const viewer = await office.staff('viewer')
  const masked = await viewer.call('customer', { id })
  expect(masked.members[0]?.email).not.toBe(member.email)
  const order = { id, member_id: memberId, reason: 'asked by the owner' }
  expect((await refusalOf(viewer.call('remove_team_member', order))).code).toBe('no_permission')
  expect(await support.call('remove_team_member', order)).toEqual({ changed: true })
  expect(await support.call('remove_team_member', order)).toEqual({ changed: false })
  expect((await member.call('my_teams', {})).teams).toEqual([])
  const trail = await (await office.staff('owner')).call('audit', { action: 'remove_team_member' })
  expect(trail.rows).toMatchObject([{ customer_id: id, reason: order.reason }])
})

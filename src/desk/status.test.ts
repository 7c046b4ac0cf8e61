import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DeskInput } from '#contract/desk/contract'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const order: DeskInput<'open_incident'> = {
  title: { ru: 'Сбой у продавца', en: 'A seller fails' },
  pools: ['residential', 'mobile'],
  state: 'investigating',
  text: { ru: 'Выясняем.', en: 'We investigate.' },
}
const later = (minutes: number) => (shop.clock.now = new Date(shop.clock.now.getTime() + minutes * 60_000))
const english = async () => (await shop.client(null, 'en')('get_status', {})).incidents

it('an incident is published in both languages until its resolution, and may be reopened', async () => {
  const { id } = await owner.call('open_incident', order)
  later(5)
  const text = { ru: 'Починили.', en: 'Repaired.' }
  await owner.call('update_incident', { id, state: 'resolved', text })
  expect((await english())[0]).toMatchObject({
    title: 'A seller fails',
    pools: ['residential', 'mobile'],
    state: 'resolved',
    resolved_at: shop.clock.now.toISOString(),
    updates: [{ state: 'resolved', text: 'Repaired.' }, { state: 'investigating' }],
  })
  await owner.call('update_incident', { id, state: 'monitoring', text })
  expect((await english())[0]).toMatchObject({ state: 'monitoring', resolved_at: null })
  const { rows } = await owner.call('audit', {})
  expect(rows[0]).toMatchObject({ action: 'update_incident', subject_id: id })
})

it('a correction changes texts and not times, and none of another incident', async () => {
  const { id } = await owner.call('open_incident', order)
  const { id: other } = await owner.call('open_incident', order)
  const row = async (which: string) =>
    (await owner.call('incidents', {})).rows.find((incident) => incident.id === which)
  const before = await row(id)
  const update = before?.updates[0]?.id ?? ''
  later(5)
  const text = { ru: 'Выясняем причину.', en: 'We look for the cause.' }
  const corrected = { title: { ru: 'Сбой', en: 'A failure' }, pools: [], updates: [{ id: update, text }] }
  const refused = owner.call('correct_incident', { id: other, ...corrected })
  expect(await refusalOf(refused)).toMatchObject({ code: 'incident_not_found' })
  expect((await row(other))?.title).toEqual(order.title)
  await owner.call('correct_incident', { id, ...corrected })
  const after = await row(id)
  expect(after?.updates).toEqual([{ ...before?.updates[0], text }])
  expect([after?.title.en, after?.opened_at]).toEqual(['A failure', before?.opened_at])
})

it('only members with the permission write; an incident needs both languages', async () => {
  const viewer = await office.staff('viewer')
  expect((await viewer.call('incidents', {})).url).toMatch(/\/status$/)
  for (const role of ['viewer', 'support', 'accountant'] as const) {
    const member = await office.staff(role)
    expect(await refusalOf(member.call('open_incident', order))).toMatchObject({ code: 'no_permission' })
  }
  const operator = await office.staff('operator')
  const half = operator.call('open_incident', { ...order, title: { ru: 'Сбой', en: ' ' } })
  expect((await refusalOf(half)).status).toBe(422)
  const twice = operator.call('open_incident', { ...order, pools: ['mobile', 'mobile'] })
  expect((await refusalOf(twice)).status).toBe(422)
  const missing = operator.call('update_incident', { id: '999', state: 'resolved', text: order.text })
  expect(await refusalOf(missing)).toMatchObject({ code: 'incident_not_found' })
})

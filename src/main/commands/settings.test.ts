import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { accountIdOf, type App, app, refusalOf } from '#test/app'
import { desk, type Desk, type StaffMember } from '#test/desk'
import { openTerminal, type Terminal } from '#test/terminal'
import { settingsCommands } from './settings.ts'

let shop: App
let office: Desk
let owner: StaffMember
let terminal: Terminal

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  terminal = openTerminal(shop.database, [settingsCommands])
})
afterAll(async () => {
  terminal.close()
  await office.close()
  await shop.close()
})
afterEach(() => vi.stubEnv('DESK_SUPPORT_GB', undefined))

const set = (name: string, value: string) =>
  terminal.run('settings', 'set', name, value, '--reason', 'a test')
const known = async (name: string) =>
  ((await terminal.data('settings', 'list')) as { name: string }[]).find((each) => each.name === name)

describe('a setting', () => {
  it('changed at the command line is in force at the desk at once, and is in history and audit', async () => {
    expect((await owner.call('session', {})).limits.support_bytes_per_day).toBe('5000000000')
    await set('support_gb_per_day', '7')
    expect((await owner.call('session', {})).limits.support_bytes_per_day).toBe('7000000000')
    expect(await known('support_gb_per_day')).toMatchObject({ value: '7', unit: 'gb', source: 'changed' })
    const { rows } = await owner.call('setting_changes', { name: 'support_gb_per_day' })
    expect(rows[0]).toMatchObject({ before: '5', after: '7', reason: 'a test' })
    const trail = await owner.call('audit', { action: 'change_setting' })
    expect(trail.rows[0]).toMatchObject({
      actor: { kind: 'system' },
      subject_kind: 'setting',
      subject_id: 'support_gb_per_day',
      before: { value: '5' },
      after: { value: '7' },
    })
    await set('support_gb_per_day', 'default')
    expect(await known('support_gb_per_day')).toMatchObject({ value: '5', source: 'default' })
  })

  it('limits what support can credit from then on', async () => {
    const support = await office.staff('support')
    const customer = await shop.customer()
    const id = await accountIdOf(customer)
    const give = () =>
      support.call('give_traffic', {
        id,
        pool: 'residential',
        bytes: '2000000000',
        reason: 'a gesture',
        key: crypto.randomUUID(),
      })
    await set('support_gb_per_day', '1')
    expect((await refusalOf(give())).code).toBe('daily_limit')
    await set('support_gb_per_day', '2')
    await give()
    await set('support_gb_per_day', 'default')
  })

  it('that the environment sets is shown as such, and cannot be changed', async () => {
    vi.stubEnv('DESK_SUPPORT_GB', '3')
    expect(await known('support_gb_per_day')).toMatchObject({ value: '3', source: 'environment' })
    await expect(set('support_gb_per_day', '9')).rejects.toMatchObject({ code: 'setting_pinned' })
  })

  it('accepts only values that its rule allows, also at the desk', async () => {
    await expect(set('connection_log_days', '6')).rejects.toThrow('7 to 3650')
    await expect(set('connection_log_days', '1.5')).rejects.toThrow('7 to 3650')
    await office.stepUp(owner)
    const change = (name: 'connection_log_days' | 'step_up_micros', value: string) =>
      owner.call('change_setting', { name, value, reason: 'a test' })
    expect(await refusalOf(change('connection_log_days', '6'))).toMatchObject({
      code: 'invalid_setting',
      details: { least: '7', most: '3650' },
    })
    expect((await refusalOf(change('step_up_micros', '-1'))).code).toBe('invalid_setting')
    expect(await change('step_up_micros', '1500000')).toEqual({ changed: true })
    expect(await change('step_up_micros', '1500000')).toEqual({ changed: false })
    expect(await known('step_up_micros')).toMatchObject({ value: '1.5' })
  })

  it('keeps its history, which cannot be changed', async () => {
    for (const value of ['8', '9', '10']) await set('letters_days', value)
    const first = await owner.call('setting_changes', { name: 'letters_days', limit: 2 })
    expect(first.rows.map(({ before, after }) => [before, after])).toEqual([
      ['9', '10'],
      ['8', '9'],
    ])
    const rest = await owner.call('setting_changes', { name: 'letters_days', after: first.next ?? '' })
    expect(rest.rows).toMatchObject([{ before: '30', after: '8' }])
    for (const statement of [
      'update shop_setting set value = 1',
      'delete from shop_setting',
      'truncate shop_setting',
    ])
      await expect(shop.database.pool.query(statement)).rejects.toThrow('append-only')
  })

  it('needs a fresh second factor at the desk', async () => {
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    const change = owner.call('change_setting', { name: 'letters_days', value: '20', reason: 'a test' })
    expect((await refusalOf(change)).code).toBe('step_up_needed')
  })
})

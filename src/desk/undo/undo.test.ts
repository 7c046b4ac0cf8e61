/** Acts of staff are undone by their entries in the audit trail. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeskOutput } from '#contract/desk/contract'
import { undoableActs } from '#contract/desk/undoable'
import { accountIdOf, app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { holdAudit, oneWaitsForLock, someWaitForLock } from '#test/waiting.statement'
import { inverseOf } from './inverses.ts'

let shop: App
let office: Desk
let owner: StaffMember
let support: StaffMember
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  support = await office.staff('support')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const reason = 'a mistake'
const newest = async () =>
  (await owner.call('audit', { limit: 1 })).rows[0] as DeskOutput<'audit'>['rows'][number]
const undo = async (by = owner) => by.call('undo_act', { entry: (await newest()).id })
const customerId = async () => accountIdOf(await shop.customer())

/** What an act changes, with the calls that show it. Each act is tried once. */
const acts: Record<string, () => Promise<{ look: () => Promise<unknown>; act: () => Promise<unknown> }>> = {
  block_customer: async () => {
    const id = await customerId()
    return { look: () => stateOf(id), act: () => owner.call('block_customer', { id, reason, tell: false }) }
  },
  unblock_customer: async () => {
    const id = await customerId()
    const until = new Date(shop.clock.now.getTime() + 3_600_000).toISOString()
    await owner.call('block_customer', { id, reason: 'spam', tell: true, until })
    return { look: () => stateOf(id), act: () => owner.call('unblock_customer', { id }) }
  },
  set_tags: async () => {
    const id = await customerId()
    await owner.call('set_tags', { id, tags: ['old', 'good'] })
    return { look: () => stateOf(id), act: () => owner.call('set_tags', { id, tags: ['new'] }) }
  },
  set_customer_limits: async () => {
    const customer = await shop.customer()
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    const id = await accountIdOf(customer)
    const limit = (change: object) =>
      owner.call('set_customer_limits', { id, pool: 'residential', reason, ...change })
    await limit({ day_bytes: '7000', allowed_hosts: ['example.org'] })
    return {
      look: () => owner.call('customer_limits', { id }),
      act: () => limit({ day_bytes: null, connections: 4, allowed_hosts: [] }),
    }
  },
  set_api_pace: async () => {
    const id = await customerId()
    return {
      look: async () => (await owner.call('customer_api', { id })).times,
      act: () => owner.call('set_api_pace', { id, times: 3, reason }),
    }
  },
  assign_price_list: async () => {
    const id = await customerId()
    const list = await owner.call('create_price_list', {
      name: 'Wholesale',
      prices: [{ pool: 'mobile', off_ppm: 250_000 }],
      tiers: null,
      reason,
    })
    await owner.call('assign_price_list', { id, list_id: list.id, reason })
    return {
      look: () => stateOf(id),
      act: () => owner.call('assign_price_list', { id, list_id: null, reason }),
    }
  },
  set_exit: async () => {
    const { rows } = await shop.database.pool.query<{ id: string }>(
      `insert into exit (pool, name, kind, everywhere) values ('mobile', 'Seller-1', 'direct', true) returning id`,
    )
    const id = String(rows[0]?.id)
    return {
      look: async () => {
        const exit = (await owner.call('exits', {})).find((each) => each.id === id)
        return [exit?.weight, exit?.enabled, exit?.max_connections]
      },
      act: () => owner.call('set_exit', { id, weight: 0, enabled: false, max_connections: 5, reason }),
    }
  },
  drain_gateway: async () => {
    const name = await gateway('gw-1')
    return { look: () => isDrained(name), act: () => owner.call('drain_gateway', { name }) }
  },
  undrain_gateway: async () => {
    const name = await gateway('gw-2')
    await owner.call('drain_gateway', { name })
    return { look: () => isDrained(name), act: () => owner.call('undrain_gateway', { name }) }
  },
  change_prices: async () => {
    const seen = await owner.call('prices', {})
    const tiers = [{ from_gb: 7, discount_ppm: 70_000 }]
    return {
      look: () => owner.call('prices', {}),
      act: () => owner.call('change_prices', { prices: seen.prices.slice(1), tiers, seen, reason }),
    }
  },
  set_display_currency: async () => {
    await owner.call('set_rate', { currency: 'EUR', rate: '0.9', reason } as never).catch(() => undefined)
    return {
      look: async () => (await owner.call('currencies', {})) as unknown,
      act: () => owner.call('set_display_currency', { currency: 'EUR', shown: true }),
    }
  },
  change_promo_code: async () => {
    await owner.call('create_promo_codes', {
      codes: { kind: 'one', code: 'AUTUMN' },
      grant: { kind: 'discount', discount_ppm: 50_000, min_gb: 1, first_purchase: true, pools: ['mobile'] },
      max_uses: 9,
      expires_at: '2027-01-31T00:00:00.000Z',
      key: crypto.randomUUID(),
    })
    return {
      look: async () => {
        const { rows } = await owner.call('promo_codes', {})
        return rows.find(({ code }) => code === 'AUTUMN')
      },
      act: () =>
        owner.call('change_promo_code', {
          code: 'AUTUMN',
          max_uses: null,
          uses_per_person: 2,
          first_purchase: false,
          pools: null,
          expires_at: null,
        }),
    }
  },
  set_referral_share: async () => ({
    look: () => owner.call('referral_share', {}),
    act: () => owner.call('set_referral_share', { share_ppm: 123_456, reason }),
  }),
  change_setting: async () => {
    await office.stepUp(owner)
    const set = (value: string) => owner.call('change_setting', { name: 'step_up_micros', value, reason })
    await set('12500000')
    return {
      look: async () =>
        (await owner.call('settings', {})).changeable.find(({ name }) => name === 'step_up_micros')?.value,
      act: () => set('99000000'),
    }
  },
  set_staff_role: async () => {
    const { id } = await office.staff('viewer')
    await office.stepUp(owner)
    return {
      look: () => member(id),
      act: () => owner.call('set_staff_role', { id: String(id), role: 'operator' }),
    }
  },
  block_staff: async () => {
    const { id } = await office.staff('viewer')
    await office.stepUp(owner)
    return { look: () => member(id), act: () => owner.call('block_staff', { id: String(id) }) }
  },
  unblock_staff: async () => {
    const { id } = await office.staff('viewer')
    await office.stepUp(owner)
    await owner.call('block_staff', { id: String(id) })
    return { look: () => member(id), act: () => owner.call('unblock_staff', { id: String(id) }) }
  },
}

async function stateOf(id: string) {
  const {
    tags,
    blocked,
    price_list: list,
  } = (await owner.call('customer', { id })) as Record<string, unknown>
  return { tags, blocked, list }
}
async function member(id: bigint) {
  const found = (await owner.call('staff', {})).find((each) => each.id === String(id))
  return [found?.role, found?.state]
}
async function gateway(name: string) {
  await shop.database.pool.query(
    `insert into gateway (name, version, address, workers, state, started_at)
     values ($1, '1', 'here:1', 1, 'running', now())`,
    [name],
  )
  return name
}
async function isDrained(name: string) {
  const { rows } = await shop.database.pool.query<{ drained: boolean }>(
    `select drain_asked_at is not null as drained from gateway where name = $1`,
    [name],
  )
  return rows[0]?.drained
}

describe('an act', () => {
  it.each(undoableActs)('%s is undone: what it changed is restored', async (name) => {
    const { look, act } = await (acts[name] ?? (() => Promise.reject(new Error('no case'))))()
    const before = await look()
    await act()
    const changed = await look()
    expect(changed).not.toEqual(before)
    expect((await newest()).action).toBe(name)
    expect(await owner.call('undoable_acts', {})).toEqual([{ entry: (await newest()).id, action: name }])
    await undo()
    expect(await look()).toEqual(before)
    // The inverse is an act with an entry of its own, which can be undone too.
    await undo()
    expect(await look()).toEqual(changed)
    // Of two who undo it at the same time, the second is refused.
    const { id: entry } = await newest()
    const letEntriesIn = await holdAudit(shop.database)
    const first = owner.call('undo_act', { entry })
    await oneWaitsForLock(shop.database.db)
    const second = refusalOf(owner.call('undo_act', { entry }))
    await someWaitForLock(shop.database.db, 2)
    await letEntriesIn()
    await first
    expect((await second).code).toBe(name === 'change_prices' ? 'prices_changed' : 'act_overtaken')
    expect(await look()).toEqual(before)
  })

  it('is not undone when another member changes the same meanwhile', async () => {
    const id = await customerId()
    const tag = (tags: string[], by = owner) => by.call('set_tags', { id, tags })
    await tag(['old'])
    await tag(['wrong'])
    const { id: entry } = await newest()
    const letEntriesIn = await holdAudit(shop.database)
    const change = tag(['right'], support)
    await oneWaitsForLock(shop.database.db)
    const undoing = refusalOf(owner.call('undo_act', { entry }))
    await someWaitForLock(shop.database.db, 2)
    await letEntriesIn()
    await change
    expect(await undoing).toMatchObject({ code: 'act_overtaken', details: { by: support.name } })
    expect(await stateOf(id)).toMatchObject({ tags: ['right'] })
  })

  it('is undone once; then it is superseded, and who undid it is named only to those who may make the same change', async () => {
    const id = await customerId()
    await owner.call('block_customer', { id, reason, tell: false })
    const entry = (await newest()).id
    await support.call('undo_act', { entry })
    expect(await refusalOf(owner.call('undo_act', { entry }))).toMatchObject({
      code: 'act_overtaken',
      details: { by: support.name },
    })
    expect(await owner.call('undoable_acts', { entries: [entry] })).toEqual([])
    const prices = await owner.call('prices', {})
    await owner.call('change_prices', { ...prices, tiers: [], seen: prices, reason })
    const first = (await newest()).id
    await undo()
    expect(await refusalOf(support.call('undo_act', { entry: first }))).toMatchObject({
      code: 'no_permission',
    })
    expect(await support.call('undoable_acts', { entries: [first] })).toEqual([])
  })

  it('is undone with the reason given, or names the entry that it undoes', async () => {
    const id = await customerId()
    await owner.call('block_customer', { id, reason, tell: false })
    const { id: entry } = await newest()
    await owner.call('undo_act', { entry })
    expect(await newest()).toMatchObject({ action: 'unblock_customer', reason: `Undoes entry ${entry}` })
    await owner.call('block_customer', { id, reason, tell: false })
    await owner.call('undo_act', { entry: (await newest()).id, reason: 'the wrong person' })
    expect(await newest()).toMatchObject({ action: 'unblock_customer', reason: 'the wrong person' })
  })

  it('needs the second factor that its inverse needs', async () => {
    const { id } = await office.staff('viewer')
    await office.stepUp(owner)
    await owner.call('set_staff_role', { id: String(id), role: 'support' })
    const entry = (await newest()).id
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    expect(await refusalOf(owner.call('undo_act', { entry }))).toMatchObject({ code: 'step_up_needed' })
    expect(await member(id)).toEqual(['support', 'active'])
    await office.stepUp(owner)
    await owner.call('undo_act', { entry })
    expect(await member(id)).toEqual(['viewer', 'active'])
  })

  it('is refused when it moved money, is unknown or older than a week', async () => {
    const id = await customerId()
    const key = crypto.randomUUID()
    await owner.call('give_traffic', { id, pool: 'residential', bytes: '1000', reason, key })
    expect(await refusalOf(undo())).toMatchObject({ code: 'act_not_undoable' })
    expect(await owner.call('undoable_acts', {})).toEqual([])
    expect(await refusalOf(owner.call('undo_act', { entry: '999999999' }))).toMatchObject({
      code: 'entry_not_found',
    })
    await owner.call('block_customer', { id, reason, tell: false })
    const entry = (await newest()).id
    shop.clock.now = new Date(shop.clock.now.getTime() + 8 * 24 * 3_600_000)
    const later = await office.staff('owner')
    expect(await refusalOf(later.call('undo_act', { entry }))).toMatchObject({ code: 'act_not_undoable' })
  })

  it('is not undone by an entry that differs from what the act records', () => {
    const entry = { action: 'set_tags', subjectId: '5', before: null, after: null, reason: null }
    expect(inverseOf(entry, { previous: null, reason })).toBeNull()
    expect(inverseOf({ ...entry, action: 'sign_in' }, { previous: null, reason })).toBeNull()
    const unblocked = { ...entry, action: 'unblock_customer' }
    expect(inverseOf(unblocked, { previous: null, reason })).toBeNull()
  })
})

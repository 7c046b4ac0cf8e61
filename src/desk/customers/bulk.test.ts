import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accountIdOf, app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { holdAudit, oneWaitsForLock, someWaitForLock } from '#test/waiting.statement'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0', DESK_STEP_UP_GB: '50' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})
beforeEach(async () => void (await owner.call('session', {})))

const newcomers = async (count: number) => {
  const ids: string[] = []
  for (let each = 0; each < count; each += 1) ids.push(await accountIdOf(await shop.customer()))
  return ids
}
const gb = 1_000_000_000n

describe('a dry run', () => {
  it('reports how many customers an act would change, and changes none', async () => {
    const ids = await newcomers(4)
    const [first = '', second = ''] = ids
    await owner.call('block_customer', { id: first, reason: 'spam', tell: false })
    await owner.call('add_tag', { id: second, tag: 'vip' })
    await shop.database.pool.query('update account set email = null, email_key = null where id = $1', [
      second,
    ])
    const all = [...ids, '999999', first]
    expect(await owner.call('try_bulk', { act: 'block', ids: all })).toMatchObject({
      will: 3,
      unchanged: 1,
      unknown: 1,
      people: [
        { id: first, outcome: 'unchanged', name: expect.any(String) as string },
        ...ids.slice(1).map((id) => ({ id, outcome: 'will' })),
        { id: '999999', outcome: 'unknown', name: null },
      ],
    })
    expect(await owner.call('try_bulk', { act: 'tag', tag: 'vip', ids })).toMatchObject({
      will: 3,
      unchanged: 1,
    })
    expect(await owner.call('try_bulk', { act: 'letter', ids })).toMatchObject({ will: 3, unchanged: 1 })
    expect(await owner.call('try_bulk', { act: 'credit', ids })).toMatchObject({ will: 4, unchanged: 0 })
    expect((await owner.call('customers', { tag: 'vip' })).rows).toHaveLength(1)
  })
})

describe('acts on many', () => {
  it('add a tag once, beside those that a customer has', async () => {
    const [id = ''] = await newcomers(1)
    await owner.call('set_tags', { id, tags: ['early'] })
    const answers = await Promise.all(['a', 'a', 'b'].map((tag) => owner.call('add_tag', { id, tag })))
    expect(answers.filter(({ changed }) => changed)).toHaveLength(2)
    expect((await owner.call('customer', { id })).tags).toEqual(['a', 'b', 'early'])
    expect((await owner.call('audit', { action: 'add_tag', customer_id: id })).rows).toHaveLength(2)
  })

  it('replace the tags that another member sets at the same time', async () => {
    const [id = ''] = await newcomers(1)
    const tag = (tags: string[]) => owner.call('set_tags', { id, tags })
    await tag(['old'])
    const letEntriesIn = await holdAudit(shop.database)
    const first = tag(['one', 'both'])
    await oneWaitsForLock(shop.database.db)
    const second = tag(['both', 'two'])
    await someWaitForLock(shop.database.db, 2)
    await letEntriesIn()
    await Promise.all([first, second])
    expect((await owner.call('customer', { id })).tags).toEqual(['both', 'two'])
    const { rows } = await owner.call('audit', { action: 'set_tags', customer_id: id })
    expect(rows[0]).toMatchObject({ before: { tags: ['both', 'one'] }, after: { tags: ['both', 'two'] } })
  })

  it('send a letter once per key, as it was written', async () => {
    const [id = ''] = await newcomers(1)
    const letter = { id, subject: 'Maintenance tonight', text: 'First.\n\nSecond.', key: randomUUID() }
    await Promise.all([1, 2, 3].map(() => owner.call('send_letter', letter)))
    const { rows } = await owner.call('customer_letters', { id })
    expect(rows.filter(({ template }) => template === 'from_staff')).toHaveLength(1)
    expect((await refusalOf(owner.call('send_letter', { ...letter, text: 'Other.' }))).code).toBe(
      'act_key_reused',
    )
    const smuggled = { ...letter, key: randomUUID(), subject: 'x\r\nBcc: everybody@example.com' }
    expect((await refusalOf(owner.call('send_letter', smuggled))).code).toBe('invalid_subject')
    await shop.database.pool.query('update account set email = null, email_key = null where id = $1', [id])
    expect((await refusalOf(owner.call('send_letter', { ...letter, key: randomUUID() }))).code).toBe(
      'no_email',
    )
  })

  it('send fifty letters a day at most in the name of support', async () => {
    const support = await office.staff('support')
    const [id = ''] = await newcomers(1)
    const send = () =>
      support.call('send_letter', { id, subject: 'Hello', text: 'Hello.', key: randomUUID() })
    const answers = []
    for (let each = 0; each < 6; each += 1)
      answers.push(...(await Promise.allSettled(Array.from({ length: 9 }, send))))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    expect((await refusalOf(send())).code).toBe('daily_letter_limit')
  })

  it('require the second factor for many small gifts too', async () => {
    const operator = await office.staff('operator')
    const ids = await newcomers(3)
    const give = (id: string) =>
      operator.call('give_traffic', {
        id,
        pool: 'mobile',
        bytes: String(20n * gb),
        reason: 'a campaign',
        key: randomUUID(),
      })
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    await give(ids[0] ?? '')
    await give(ids[1] ?? '')
    expect((await refusalOf(give(ids[2] ?? ''))).code).toBe('step_up_needed')
    await office.stepUp(operator)
    await give(ids[2] ?? '')
  })
})

describe('saved views', () => {
  it('are a member’s own, named once, and some dozens at most', async () => {
    const [one, other] = [await office.staff('viewer'), await office.staff('viewer')]
    const view = { page: 'customers', name: 'Blocked', query: 'state=blocked&sort=spent' }
    const { id } = await one.call('save_view', view)
    expect(await one.call('my_views', { page: 'customers' })).toEqual([
      { id, name: view.name, query: view.query },
    ])
    await one.call('save_view', { ...view, query: 'state=blocked' })
    expect(await one.call('my_views', { page: 'customers' })).toMatchObject([{ id, query: 'state=blocked' }])
    expect(await one.call('my_views', { page: 'invoices' })).toEqual([])
    expect(await other.call('my_views', { page: 'customers' })).toEqual([])
    expect((await refusalOf(other.call('remove_view', { id }))).code).toBe('view_not_found')
    await Promise.allSettled(
      Array.from({ length: 35 }, (_, each) => one.call('save_view', { ...view, name: `view ${each}` })),
    )
    expect(await one.call('my_views', { page: 'customers' })).toHaveLength(30)
    expect((await refusalOf(one.call('save_view', { ...view, name: 'one more' }))).code).toBe(
      'too_many_views',
    )
    await one.call('remove_view', { id })
    expect(await one.call('my_views', { page: 'customers' })).toHaveLength(29)
  })
})

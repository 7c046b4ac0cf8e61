import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountCalled, blockAccount, searchAccounts, setPersPercent, unblockAccount } from '#accounts'
import { feedChannel } from '#feed/announcement'
import { type App, app, refusalOf } from '#test/app'
import { until } from '#test/stack'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const idOf = async (name: string) => (await accountCalled(shop.database.db, name))?.id ?? 0n

/** The announcements that gateways receive while `work` runs. */
async function announced(work: () => Promise<unknown>, count: number): Promise<unknown[]> {
  const heard: unknown[] = []
  const end = await shop.database.listen(feedChannel, (payload) => void heard.push(JSON.parse(payload)))
  await work()
  await until(() => heard.length >= count, 60_000, 'the gateways to be told')
  await end()
  return heard
}

describe('blocking an account', () => {
  it('ends its sessions and notifies the gateways; unblocking notifies them too', async () => {
    const { db } = shop.database
    const customer = await shop.customer()
    const { username, password, call } = customer
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    const id = await idOf(username)
    const { login } = await db
      .selectFrom('proxy_login')
      .select('login')
      .where('account_id', '=', id)
      .executeTakeFirstOrThrow()
    const change = { type: 'account_changed', login }

    expect(
      await announced(
        async () => expect(await blockAccount(db, { accountId: id }, new Date())).toBe(true),
        1,
      ),
    ).toEqual([change])
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ code: 'unauthorized', status: 401 })
    const refusal = await refusalOf(shop.anyone('signin', { username, password }))
    expect(refusal).toMatchObject({ code: 'account_blocked', status: 403 })
    expect(await blockAccount(db, { accountId: id }, new Date())).toBe(false)

    expect(await announced(() => unblockAccount(db, id, new Date()), 1)).toEqual([change])
    expect(await shop.anyone('signin', { username, password })).toMatch(/^[\w-]{43}$/)
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ status: 401 })
    expect(await unblockAccount(db, id, new Date())).toBe(false)
  })

  it('leaves no session to a concurrent sign-in', async () => {
    const { db } = shop.database
    const { username, password } = await shop.customer()
    const id = await idOf(username)
    const signIns = Array.from({ length: 6 }, () => shop.anyone('signin', { username, password }))
    await blockAccount(db, { accountId: id }, new Date())
    const tokens = (await Promise.allSettled(signIns)).flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    )
    for (const token of tokens) {
      expect(await refusalOf(shop.client(token)('legacy_profile', {}))).toMatchObject({ status: 401 })
    }
  })
})

describe('looking accounts up', () => {
  it('finds by part of a name or an e-mail, the newest first', async () => {
    for (const name of ['lookup-one', 'lookup-two', 'other-person']) await shop.customer(name)
    const names = async (text: string, limit = 10) =>
      (await searchAccounts(shop.database.db, { text, limit })).map(({ username }) => username)
    expect(await names('LOOKUP')).toEqual(['lookup-two', 'lookup-one'])
    expect(await names('other-person@example')).toEqual(['other-person'])
    expect(await names('lookup', 1)).toEqual(['lookup-two'])
    expect(await names('look%one')).toEqual([])
    expect(await names('lookup_one')).toEqual([])
    expect((await names('')).length).toBeGreaterThanOrEqual(3)
  })

  it('finds one by name, e-mail or number', async () => {
    const { username, email } = await shop.customer()
    const id = await idOf(username)
    for (const name of [username.toUpperCase(), email, String(id)]) expect(await idOf(name)).toBe(id)
    expect(await accountCalled(shop.database.db, 'nobody-at-all')).toBeNull()
    expect(await accountCalled(shop.database.db, '999999999')).toBeNull()
  })
})

describe('an account’s own share', () => {
  it('shows in the profile', async () => {
    const { username, call } = await shop.customer()
    await setPersPercent(shop.database.db, await idOf(username), 125_000, new Date())
    expect(await call('legacy_profile', {})).toMatchObject([{ pers_percent: '0.125' }])
  })
})

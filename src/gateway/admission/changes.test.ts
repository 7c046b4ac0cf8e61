import { expect, it } from 'vitest'
import type { FeedAccount } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { Accounts, subjectsOf } from './accounts.ts'
import { Changes } from './changes.ts'

const pool = 'residential'
const users = ['ubbbbbbbbbbb', 'uccccccccccc']

/** A feed that counts the look-ups of each login, with an account, two proxy users of it, and another customer. */
class CountingFeed extends MemoryFeed {
  readonly asked: string[] = []

  override account(key: { login: string; pool: string }): Promise<FeedAccount | null> {
    this.asked.push(key.login)
    return super.account(key)
  }
}

async function known() {
  const feed = new CountingFeed()
  feed.addAccount('reseller', 'x', 1n)
  feed.addAccount('another', 'x', 1n)
  const user = { frozen: false, expires_ms: null, allowed_hosts: [], countries: [], addresses: [] }
  for (const login of users) feed.addAccount(login, 'x', 1n).user = { ...user, parent: 'reseller' }
  const accounts = new Accounts({ feed })
  const look = async () => {
    const logins = ['reseller', 'another', ...users]
    const found = await Promise.all(logins.map((login) => accounts.find({ login, pool })))
    return found.map((account) => account as FeedAccount)
  }
  const found = await look()
  feed.asked.length = 0
  return { feed, accounts, look, found }
}

it('a change of a proxy user concerns it alone', async () => {
  const { feed, accounts, look, found } = await known()
  const since = accounts.changes.now
  accounts.forget(users[0] ?? '')
  await look()
  expect(feed.asked).toEqual([users[0]])
  const unchanged = found.map((one) => accounts.changes.isUnchanged(since, subjectsOf(one, '192.0.2.1')))
  expect(unchanged).toEqual([true, true, false, true])
})

it('a change of an account concerns its proxy users, and no other customer', async () => {
  const { feed, accounts, look, found } = await known()
  const since = accounts.changes.now
  accounts.forget('reseller')
  await look()
  expect(feed.asked.toSorted()).toEqual(['reseller', ...users].toSorted())
  const unchanged = found.map((one) => accounts.changes.isUnchanged(since, subjectsOf(one, '192.0.2.1')))
  expect(unchanged).toEqual([false, true, false, false])
})

it('lines of slots and listed addresses concern the account and none of its proxy users', async () => {
  for (const change of ['slots', 'address']) {
    const { feed, accounts, look, found } = await known()
    const since = accounts.changes.now
    if (change === 'slots') accounts.forgetSlots('reseller')
    else accounts.forgetAddress({ pool, address: '192.0.2.9', login: 'reseller' })
    await look()
    expect(feed.asked).toEqual(change === 'slots' ? [] : ['reseller'])
    const unchanged = found.map((one) => accounts.changes.isUnchanged(since, subjectsOf(one, '192.0.2.1')))
    expect(unchanged).toEqual([false, true, true, true])
  }
})

it('an answer that was under way while its account changed is not used', async () => {
  const { feed, accounts } = await known()
  accounts.forgetAll()
  const login = users[1] ?? ''
  const finding = accounts.find({ login, pool })
  await Promise.resolve()
  accounts.forget('reseller')
  await finding
  expect(feed.asked).toEqual([login, login])
})

it('a decision made before the oldest remembered change counts as outdated', () => {
  const changes = new Changes()
  const since = changes.now
  changes.note('first')
  expect(changes.isUnchanged(since, ['another'])).toBe(true)
  for (let index = 0; index < 50_000; index++) changes.note(`subject ${index}`)
  expect(changes.isUnchanged(since, ['another'])).toBe(false)
  expect(changes.isUnchanged(changes.now, ['first'])).toBe(true)
})

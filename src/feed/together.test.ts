import { expect, it } from 'vitest'
import type { FeedAccount } from './feed.ts'
import { MemoryFeed } from './testing.ts'
import { askTogether } from './together.ts'
import { proxyUserId } from './user.ids.ts'

const holder = { gateway: 'g1', boot: 'b1' }
const letters = 'bcdfghjkmn'
/** A login of a proxy user for each number. */
const loginOf = (index: number) =>
  `u${[...String(index).padStart(11, '0')].map((digit) => letters[Number(digit)]).join('')}`

/** A feed that counts the calls about proxy users, and how many were under way at a time. */
class CountingFeed extends MemoryFeed {
  readonly sizes: number[] = []
  mostAtOnce = 0
  #atOnce = 0

  async #count<T>(size: number, run: () => Promise<T>): Promise<T> {
    this.sizes.push(size)
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce)
    try {
      return await run()
    } finally {
      this.#atOnce--
    }
  }

  override users(keys: { login: string; pool: string }[]): Promise<(FeedAccount | null)[]> {
    return this.#count(keys.length, () => super.users(keys))
  }

  override leasesOfUsers(...args: Parameters<MemoryFeed['leasesOfUsers']>) {
    return this.#count(args[1].length, () => super.leasesOfUsers(...args))
  }
}

it('ten thousand proxy users that return at once are looked up and leased by a few calls', async () => {
  const feed = new CountingFeed()
  const together = askTogether(feed)
  for (let index = 0; index < 10_000; index++) feed.addAccount(loginOf(index), 'x', 0n)
  const found = await Promise.all(
    Array.from({ length: 10_000 }, (_, index) =>
      together.account({ login: loginOf(index), pool: 'residential' }),
    ),
  )
  expect(found.map((account) => account?.login)).toEqual(found.map((_, index) => loginOf(index)))
  expect(feed.sizes).toHaveLength(40)
  feed.sizes.length = 0
  const ids = Array.from({ length: 10_000 }, (_, index) => proxyUserId(7n, BigInt(index + 1)))
  for (const id of ids) feed.balances.set(id, id)
  const grants = await Promise.all(ids.map((access) => together.lease(holder, { access, want_bytes: 1n })))
  expect(new Set(grants.map(({ lease }) => lease)).size).toBe(10_000)
  expect(feed.sizes).toHaveLength(40)
  expect(feed.mostAtOnce).toBe(2)
})

it('a single question is one call at once, and questions about customers are not combined', async () => {
  const feed = new CountingFeed()
  const together = askTogether(feed)
  feed.addAccount('alice1', 'x', 5n)
  await together.account({ login: 'alice1', pool: 'residential' })
  await together.lease(holder, { access: 1n, want_bytes: 1n })
  expect(feed.sizes).toEqual([])
  expect(await together.account({ login: loginOf(1), pool: 'residential' })).toBeNull()
  expect(feed.sizes).toEqual([1])
})

it('proxy users of different accesses are never in one call, and a failure reaches all who asked', async () => {
  const feed = new CountingFeed()
  const together = askTogether(feed)
  const ask = (access: bigint) => together.lease(holder, { access, want_bytes: 1n })
  await Promise.all(
    [1n, 2n, 3n].flatMap((payer) => [ask(proxyUserId(payer, 1n)), ask(proxyUserId(payer, 2n))]),
  )
  expect(feed.sizes).toEqual([2, 2, 2])
  feed.away = true
  const ends = await Promise.allSettled([ask(proxyUserId(1n, 1n)), ask(proxyUserId(1n, 2n))])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

/**
 * A balance that ends under very many active proxy users: whether every byte of it is spent and none beyond,
 * and how often the gateway asks the server meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedAccount } from '#feed'
import type { Pool } from '#contract/wire'
import type { Accounts } from '../src/gateway/admission/accounts.ts'
import type { Metering } from '../src/gateway/metering/metering.ts'
import type { OpenShop } from './scale.shop.ts'

interface Ending {
  shop: OpenShop
  accounts: Accounts
  metering: Metering
  pool: Pool
  /** The logins of the proxy users that spend. */
  logins: readonly string[]
  /** The bytes that all of them share. */
  balance: bigint
  chunkBytes: number
  /** Returns how many calls of the feed were made so far. */
  calls: () => number
  miss: (what: string) => void
}

/** A pause of a proxy user between two chunks. */
const pauseMs = 500
/** The maximum number of calls in a second; more are reported as a missed goal. */
const mostCalls = 2000

/** Lets all proxy users spend until each is refused; returns the sentence of the report. */
export async function spendAll(ending: Ending): Promise<string> {
  const { accounts, metering, pool, logins, chunkBytes, balance, miss } = ending
  const [began, before] = [performance.now(), ending.calls()]
  let spent = 0n
  const one = async (login: string) => {
    const account = (await accounts.find({ login, pool })) as FeedAccount
    const lease = metering.hold(account.access)
    for (;;) {
      const bytes = lease.reserve(chunkBytes, 1)
      lease.settle(bytes)
      spent += BigInt(bytes)
      if (bytes < chunkBytes && !(await lease.more(1))) break
      await sleep(pauseMs * (0.5 + Math.random()))
    }
    lease.holders--
  }
  const counting = countPerSecond(ending.calls)
  await Promise.all(logins.map(one))
  const perSecond = counting.stop()
  const seconds = (performance.now() - began) / 1000
  const most = Math.max(...perSecond)
  if (spent !== balance) miss(`${spent} bytes were spent of a balance of ${balance}.`)
  if (most > mostCalls) miss(`The gateway asked the server ${most} times in a second.`)
  const last = perSecond.slice(-3).join(', ')
  return `${logins.length} active proxy users spent a balance of ${balance} bytes to the last byte and none beyond (${spent}) in ${seconds.toFixed(1)} s, with ${ending.calls() - before} calls of the feed: at most ${most} in a second, ${last} in the last ones.`
}

/** Counts how much a number grows each second. */
function countPerSecond(read: () => number): { stop: () => number[] } {
  const counts: number[] = []
  let last = read()
  const note = () => {
    const now = read()
    counts.push(now - last)
    last = now
  }
  const timer = setInterval(note, 1000)
  return {
    stop: () => {
      clearInterval(timer)
      note()
      return counts
    },
  }
}

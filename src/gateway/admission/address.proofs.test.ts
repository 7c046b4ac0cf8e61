import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AddressProof, FeedAccount } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { AddressProofs } from './address.proofs.ts'

let sent: AddressProof[][]
let faults: unknown[]
let isAway: boolean
let proofs: AddressProofs
const account: FeedAccount = new MemoryFeed().addAccount('alice1', 'secret', 1n)
const claiming = (...to_prove: string[]): FeedAccount => ({ ...account, to_prove })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  sent = []
  faults = []
  isAway = false
  const prove = async (batch: AddressProof[]) => {
    await turn()
    if (isAway) throw new Error('the feed is unreachable')
    sent.push(batch)
  }
  proofs = new AddressProofs({ feed: { prove }, onFault: (fault) => faults.push(fault) })
})
afterEach(() => vi.useRealTimers())

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  for (let time = 0; time < 5; time++) await turn()
}

it('proofs of addresses are not sent for an account without unproven addresses, or with others only', async () => {
  proofs.connected(account, '192.0.2.1')
  proofs.connected(claiming('192.0.2.2'), '192.0.2.1')
  await pass(10_000)
  await proofs.stop({ isAway: false })
  expect(sent).toEqual([])
})

it('proofs of addresses are sent in one batch, each once', async () => {
  const many = claiming('192.0.2.1', '192.0.2.2')
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) proofs.connected(many, address)
  await pass(1000)
  proofs.connected(many, '192.0.2.1')
  await pass(1000)
  const proof = (address: string) => ({ access: account.access, address })
  expect(sent).toEqual([[proof('192.0.2.1'), proof('192.0.2.2')]])
})

it('proofs of addresses are sent again for an address that was removed and added: the earlier answer was about another entry', async () => {
  proofs.connected(claiming('192.0.2.1'), '192.0.2.1')
  await pass(1000)
  proofs.listed()
  proofs.connected(claiming('192.0.2.1'), '192.0.2.1')
  await pass(1000)
  expect(sent).toHaveLength(2)
})

it('proofs of addresses are sent again until the server answers, together with newer ones', async () => {
  isAway = true
  proofs.connected(claiming('192.0.2.1'), '192.0.2.1')
  await pass(5000)
  expect(faults.length).toBeGreaterThan(1)
  proofs.connected(claiming('192.0.2.2'), '192.0.2.2')
  isAway = false
  await pass(5000)
  expect(sent.flat().map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2'])
})

it('proofs of addresses are at most ten thousand while the server is unreachable, and five hundred in a batch', async () => {
  isAway = true
  const addresses = Array.from({ length: 10_100 }, (_, index) => `a${index}`)
  for (const address of addresses) proofs.connected(claiming(address), address)
  isAway = false
  for (let time = 0; time < 40; time++) await pass(100)
  expect(sent.flat()).toHaveLength(10_000)
  expect(Math.max(...sent.map((batch) => batch.length))).toBe(500)
})

it('proofs of addresses are lost with a gateway that stops while the server is unreachable', async () => {
  isAway = true
  proofs.connected(claiming('192.0.2.1'), '192.0.2.1')
  await proofs.stop({ isAway: true })
  await pass(10_000)
  expect(faults).toEqual([])
})

import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  areLargeReadsAllowed,
  bulkBytesNow,
  countCopied,
  countInBulk,
  countInLoop,
  socketsInBulk,
  turnLength,
  waitForTurn,
} from './bulk.ts'

const MIB = 1024 * 1024

let order: string[] = []

/** A socket that waits for its turn when it has read this much beyond the others. */
function waiting(name: string, bytes: number) {
  const reader = { bulkBytes: bulkBytesNow() + bytes, startTurn: () => order.push(name) }
  waitForTurn(reader)
  return reader
}

const loopTurn = () => new Promise((resolve) => setImmediate(resolve))

function setBulk(sockets: number): void {
  while (socketsInBulk() < sockets) countInBulk(1)
  while (socketsInBulk() > sockets) countInBulk(-1)
}

beforeEach(() => {
  order = []
})
afterEach(() => setBulk(0))

it('the scheduler of bulk reads gives the next turns to the sockets that have read least, two in each turn of the event loop', async () => {
  setBulk(5)
  const [a, b, c, d, e] = [5, 1, 4, 2, 3].map((mib, index) => waiting('abcde'[index] ?? '', mib * MIB))
  const start = bulkBytesNow()
  await loopTurn()
  expect(order.toSorted()).toEqual(['b', 'd'])
  expect(bulkBytesNow()).toBe(start + 2 * MIB)
  for (const reader of [b, d])
    if (reader !== undefined) waitForTurn(Object.assign(reader, { bulkBytes: start + 9 * MIB }))
  await loopTurn()
  expect(order.slice(2).toSorted()).toEqual(['c', 'e'])
  await loopTurn()
  await loopTurn()
  expect(order.slice(4)).toEqual(['a', 'b', 'd'])
  expect([a, c, e].map((reader) => (reader?.bulkBytes ?? 0) - start)).toEqual([5 * MIB, 4 * MIB, 3 * MIB])
})

it('the scheduler of bulk reads lets a socket that is behind catch up 16 MiB, and no more', async () => {
  setBulk(3)
  waiting('ahead', 100 * MIB)
  await loopTurn()
  const now = bulkBytesNow()
  expect(waiting('near', -3 * MIB).bulkBytes).toBe(now - 3 * MIB)
  expect(waiting('far', -90 * MIB).bulkBytes).toBe(now - 16 * MIB)
  await loopTurn()
  expect(order).toEqual(['ahead', 'near', 'far'])
})

it('reports that all together have read 8 MiB, until the next turn of the event loop', async () => {
  expect([4, 3, 1, 1].map((mib) => countInLoop(mib * MIB))).toEqual([false, false, true, true])
  await loopTurn()
  expect([4, 3].map((mib) => countInLoop(mib * MIB))).toEqual([false, false])
  await loopTurn()
  expect(countInLoop(7 * MIB)).toBe(false)
  await loopTurn()
})

it('the scheduler of bulk reads shortens the turns of many sockets, and then their reads', () => {
  const found = [1, 64, 65, 256, 257, 5000].map((sockets) => {
    setBulk(sockets)
    return [turnLength(), areLargeReadsAllowed()]
  })
  expect(found).toEqual([
    [4 * MIB, true],
    [4 * MIB, true],
    [(256 * MIB) / 65, true],
    [MIB, true],
    [(256 * MIB) / 257, false],
    [MIB / 4, false],
  ])
})

it('the scheduler of bulk reads allows large reads while there is memory for copies of them', () => {
  expect(areLargeReadsAllowed()).toBe(true)
  countCopied(64 * MIB)
  expect(areLargeReadsAllowed()).toBe(false)
  countCopied(-1)
  expect(areLargeReadsAllowed()).toBe(true)
  countCopied(1 - 64 * MIB)
})

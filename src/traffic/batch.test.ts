import { expect, it } from 'vitest'
import { Batcher } from './batch.ts'

it('the batcher processes items that arrived while it was busy as one batch, in order', async () => {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const batcher = new Batcher<number>({
    work: (items) => {
      batches.push(items)
      return new Promise((resolve) => gates.push(resolve))
    },
    culprits: () => [],
    mayBeOne: () => false,
    most: 3,
    everyMs: 0,
    isUrgent: () => false,
  })
  const all = Promise.all([1, 2, 3, 4, 5, 6].map((item) => batcher.add(item)))
  for (let opened = 0; opened < 2; opened++) {
    await expect.poll(() => gates.length).toBe(opened + 1)
    gates[opened]?.()
  }
  await all
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ])
  await batcher.idle()
})

it('the batcher rejects only the item at fault, and all of them when none is', async () => {
  const done: number[] = []
  const batcher = new Batcher<number>({
    work: (items) => {
      const bad = items.find((item) => item < 0)
      if (bad !== undefined) return Promise.reject(new Error(`bad ${bad}`))
      if (items.includes(0)) return Promise.reject(new Error('the database is away'))
      done.push(...items)
      return Promise.resolve()
    },
    culprits: (fault) =>
      fault instanceof Error && fault.message.startsWith('bad') ? [Number(fault.message.slice(4))] : [],
    mayBeOne: () => false,
    most: 10,
    everyMs: 0,
    isUrgent: () => false,
  })
  const outcomes = await Promise.allSettled([1, -2, 3, -4, 5].map((item) => batcher.add(item)))
  expect(outcomes.map((outcome) => outcome.status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(done).toEqual([1, 3, 5])
  const away = await Promise.allSettled([7, 0, 8].map((item) => batcher.add(item)))
  expect(away.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected'])
})

it('the batcher processes items that are added while a batch is being resolved', async () => {
  let done = 0
  const batcher = new Batcher<number>({
    work: (items) => {
      done += items.length
      return Promise.resolve()
    },
    culprits: () => [],
    mayBeOne: () => false,
    most: 10,
    everyMs: 0,
    isUrgent: () => false,
  })
  for (let item = 0; item < 50; item++) await batcher.add(item)
  expect(done).toBe(50)
})

it('the batcher delays items that can wait, until there are enough, an urgent one arrives or it ends', async () => {
  const batches: number[][] = []
  const batcher = new Batcher<number>({
    work: (items) => {
      batches.push(items)
      return Promise.resolve()
    },
    culprits: () => [],
    mayBeOne: () => false,
    most: 3,
    everyMs: 60_000,
    isUrgent: (item) => item < 0,
  })
  await batcher.add(1)
  void batcher.add(2)
  await Promise.all([batcher.add(-3), batcher.add(4)])
  expect(batches).toEqual([[1], [2, -3, 4]])
  await Promise.all([5, 6, 7].map((item) => batcher.add(item)))
  const last = batcher.add(8)
  await batcher.idle()
  await last
  expect(batches.slice(2)).toEqual([[5, 6, 7], [8]])
})

it('the batcher finds the item that fails the batch when the error does not name it', async () => {
  let tries = 0
  const batcher = new Batcher<number>({
    work: (items) => {
      tries += 1
      return items.includes(13) ? Promise.reject(new Error('out of range')) : Promise.resolve()
    },
    culprits: () => [],
    mayBeOne: () => true,
    most: 64,
    everyMs: 0,
    isUrgent: () => false,
  })
  const numbers = Array.from({ length: 64 }, (_, index) => index)
  const outcomes = await Promise.allSettled(numbers.map((number) => batcher.add(number)))
  expect(numbers.filter((number) => outcomes[number]?.status === 'rejected')).toEqual([13])
  expect(tries).toBeLessThan(15)
})

import { getHeapStatistics } from 'node:v8'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { releaseMemory } from './memory.ts'

/** Makes objects of which none is kept. */
function makeGarbage(): number {
  let length = 0
  const made: object[] = []
  for (let count = 0; count < 500_000; count++) made.push({ count, text: `an object ${count}` })
  length += made.length
  return length
}

test('the memory of garbage is given back to the system', () => {
  makeGarbage()
  const before = getHeapStatistics().total_heap_size
  releaseMemory()
  expect(before - getHeapStatistics().total_heap_size).toBeGreaterThan(10_000_000)
})

test('code that was compiled before is accepted afterwards', () => {
  const source = '(() => 1 + 1)()'
  const cachedData = new Script(source).createCachedData()
  releaseMemory()
  expect(new Script(source, { cachedData }).cachedDataRejected).toBe(false)
})

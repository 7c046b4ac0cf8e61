import { duplexPair } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { encode, type Frame, readFrames } from './frames.ts'
import { mostCallsAtOnce, serveFeed } from './server.ts'
import { MemoryFeed } from './testing.ts'

it('a gateway that waits for no answer has a bounded number of calls under way', async () => {
  const memory = new MemoryFeed()
  let [begun, waiting] = [0, 0]
  const release: (() => void)[] = []
  memory.exits = () => {
    begun++
    waiting++
    expect(waiting).toBeLessThanOrEqual(mostCallsAtOnce)
    return new Promise((resolve) =>
      release.push(() => {
        waiting--
        resolve([])
      }),
    )
  }
  const [near, far] = duplexPair()
  serveFeed(memory, far)
  const answered: number[] = []
  readFrames(near, (frame: Frame) => {
    if ('ok' in frame) answered.push(frame.id)
  })
  const calls = 5000
  const frames = Array.from({ length: calls }, (_, id) => `${encode({ id, call: 'exits', args: [] })}\n`)
  // The pieces are cut within frames.
  const text = frames.join('')
  for (let at = 0; at < text.length; at += 30_001) near.write(text.slice(at, at + 30_001))
  await eventually(() => begun >= mostCallsAtOnce, 'the calls')
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  expect(begun).toBe(mostCallsAtOnce)
  while (answered.length < calls) {
    for (const one of release.splice(0, 300)) one()
    await setImmediate()
  }
  expect(answered).toEqual(Array.from({ length: calls }, (_, id) => id))
  expect(begun).toBe(calls)
})

import { describe, expect, it } from 'vitest'
import { askProcessors } from './asking.ts'
import { ProcessorFault } from './ask.ts'

interface Item {
  method: string
  n: number
}

const items = (method: string, count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ method, n: index + 1 }))
const silent = () => new ProcessorFault('unknown', 'no answer')
const refused = (status = 404) => new ProcessorFault('refused', 'there is no such payment', status)

/** The items asked for, the faults, and what was left. */
async function asked(given: Item[], ask: (item: Item) => Promise<void>, limits: { endsAt?: number } = {}) {
  const faults: number[] = []
  const begun: number[] = []
  const left = await askProcessors(
    given,
    async (item) => {
      begun.push(item.n)
      await ask(item)
    },
    { ...limits, noteFault: () => undefined, onFault: async ({ n }) => void faults.push(n) },
  )
  return { begun, faults, left: left.map(({ n }) => n) }
}

describe('work at several processors', () => {
  it('is done at one while another does not answer', async () => {
    const slow = Promise.withResolvers<void>()
    const done: string[] = []
    const all = askProcessors(
      [...items('slow', 2), ...items('quick', 2)],
      async ({ method, n }) => {
        if (method === 'slow') await slow.promise
        done.push(`${method} ${n}`)
        // Would never happen if the second waited for the first.
        if (done.length === 2) slow.resolve()
      },
      { noteFault: () => undefined },
    )
    expect(await all).toEqual([])
    expect(done).toEqual(['quick 1', 'quick 2', 'slow 1', 'slow 2'])
  })

  it('leaves the rest of a processor after three consecutive faults', async () => {
    const given = await asked(items('card', 8), async ({ n }) => {
      if (n !== 2) throw silent()
    })
    expect(given).toEqual({ begun: [1, 2, 3, 4, 5], faults: [1, 3, 4, 5], left: [6, 7, 8] })
  })

  it('goes on after refusals of single items, but not with a wrong key', async () => {
    const each = async () => {
      throw refused()
    }
    expect((await asked(items('card', 5), each)).left).toEqual([])
    const denied = async () => {
      throw refused(401)
    }
    expect((await asked(items('card', 5), denied)).left).toEqual([4, 5])
  })

  it('begins nothing after its time', async () => {
    expect(await asked(items('card', 2), async () => undefined, { endsAt: 0 })).toEqual({
      begun: [],
      faults: [],
      left: [1, 2],
    })
  })

  it('throws any other error, after the other processors have ended', async () => {
    const done: number[] = []
    const all = askProcessors(
      [...items('broken', 2), ...items('card', 3)],
      async ({ method, n }) => {
        if (method === 'broken') throw new Error('a bug')
        await Promise.resolve()
        done.push(n)
      },
      { noteFault: () => undefined },
    )
    await expect(all).rejects.toThrow('a bug')
    expect(done).toEqual([1, 2, 3])
  })
})

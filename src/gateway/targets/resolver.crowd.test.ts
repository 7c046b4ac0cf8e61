import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import type { NameServer } from '../testing/name.server.ts'
import { found, start, times, undo, usual, V4, V6_TEXT } from '../testing/names.ts'

afterEach(undo)

const BOTH = `${V6_TEXT} ${V4}`

/** The number of names with this ending that were looked up. */
const countOf = ({ asked }: NameServer, ending: string) =>
  new Set(asked.filter(({ name }) => name.endsWith(ending)).map(({ name }) => name)).size

const ended = (codes: string[]) => Object.groupBy(codes, (code) => code)

describe('many concurrent names', () => {
  it('are all answered, few at a time, with one question each', async () => {
    const { ask, server, resolver } = await start(() => ({ ...found, delayMs: 30 }))
    const answers = await Promise.all(
      times(400, (index) => ask(`n${index}.example`, { account: BigInt(index % 8) })),
    )
    expect(new Set(answers)).toEqual(new Set([BOTH]))
    // c-ares repeats a question after a second without an answer, as on a busy machine.
    expect(new Set(server.asked.map(({ name, type }) => `${type} ${name}`)).size).toBe(800)
    expect(server.mostOutstanding).toBeGreaterThan(48)
    expect(server.mostOutstanding).toBeLessThanOrEqual(384)
    expect(resolver.figures()).toMatchObject({
      total: { asked: 400 },
      outstanding: 0,
      queued: 0,
      entries: 800,
    })
  })

  it('of one account take turns with those of others', async () => {
    const { ask, server } = await start(() => ({ ...found, delayMs: 10 }))
    const greedy = times(200, (index) => ask(`g${index}.greedy`, { account: 1n }))
    const modest = times(10, (index) => ask(`m${index}.modest`, { account: 2n }))
    await Promise.all(modest)
    expect(countOf(server, '.greedy')).toBeLessThan(100)
    expect(new Set(await Promise.all(greedy))).toEqual(new Set([BOTH]))
  })
})

describe('names that are never answered', () => {
  it('of one customer delay no other', async () => {
    const { ask, server } = await start(usual, { lookupsPerAccount: 1000 })
    let isAnyOver = false
    for (let index = 0; index < 600; index++) void ask(`d${index}.dead`).finally(() => (isAnyOver = true))
    for (let round = 0; round < 10; round++) {
      const names = times(10, (index) => ask(`n${round}-${index}.example`, { account: 2n }))
      expect(new Set(await Promise.all(names))).toEqual(new Set([BOTH]))
    }
    expect(isAnyOver).toBe(false)
    expect(countOf(server, '.dead')).toBe(32)
  })

  it('of several customers leave room for one more', async () => {
    const { ask, resolver } = await start()
    for (let account = 0n; account < 8n; account++)
      for (let index = 0; index < 40; index++) void ask(`d${account}-${index}.dead`, { account })
    expect(resolver.figures().outstanding).toBeGreaterThan(300)
    expect(await ask('a.example', { account: 100n })).toBe(BOTH)
  })

  it('of very many customers leave room for the operator', async () => {
    const { ask, resolver } = await start()
    for (let account = 0n; account < 100n; account++)
      for (let index = 0; index < 40; index++) void ask(`d${account}-${index}.dead`, { account })
    expect(resolver.figures()).toMatchObject({ outstanding: 384 - 16 })
    expect(resolver.figures().errors['queue_full']).toBeGreaterThan(0)
    expect(await ask('exit.example', { account: null })).toBe(BOTH)
  })

  it('still count for their account when no lookup waits for them any longer', async () => {
    const { ask, server } = await start()
    for (let round = 0; round < 10; round++) {
      const gone = new AbortController()
      const dead = times(40, (index) => ask(`d${round}-${index}.dead`, { signal: gone.signal }))
      gone.abort()
      expect(new Set(await Promise.all(dead))).toEqual(new Set(['aborted']))
    }
    expect(await ask('a.example', { account: 2n })).toBe(BOTH)
    expect(countOf(server, '.dead')).toBe(32)
  })

  it('are limited per account; other accounts are served', async () => {
    const { ask, resolver } = await start(usual, { deadlineMs: 500 })
    const codes = ended(await Promise.all(times(300, (index) => ask(`d${index}.dead`))))
    expect(codes['too_many_lookups']).toHaveLength(300 - 256)
    expect(codes['timed_out']).toHaveLength(256)
    expect(resolver.figures()).toMatchObject({
      total: { refused: 44, asked: 256 },
      errors: { too_many_lookups: 44, timed_out: 256 },
      queued: 0,
    })
    expect(await ask('a.example', { account: 2n })).toBe(BOTH)
  })

  it('are limited in total; accounts with few of them are served', async () => {
    const { ask, resolver } = await start(usual, { mostWaiting: 40 })
    const dead = times(100, (index) => ask(`d${index}.dead`))
    await Promise.resolve()
    expect(resolver.figures()).toMatchObject({ outstanding: 64, queued: 20, errors: { queue_full: 58 } })
    expect(await ask('a.example', { account: 2n })).toBe(BOTH)
    resolver.close()
    expect(ended(await Promise.all(dead))['closed']).toHaveLength(42)
  })
})

describe('an aborted lookup', () => {
  it('frees a place for another lookup of the account', async () => {
    const { ask } = await start(usual, { lookupsPerAccount: 2 })
    const gone = new AbortController()
    const first = ask('a.dead', { signal: gone.signal })
    const second = ask('b.dead', { signal: gone.signal })
    expect(await ask('a.example')).toBe('too_many_lookups')
    gone.abort()
    expect(await Promise.all([first, second])).toEqual(['aborted', 'aborted'])
    expect(await ask('a.example')).toBe(BOTH)
  })

  it('does not cancel the answer for others', async () => {
    const { ask, server } = await start(() => ({ ...found, delayMs: 50 }))
    const gone = new AbortController()
    const [first, second] = [ask('a.example', { signal: gone.signal }), ask('a.example', { account: 2n })]
    const third = ask('b.example', { signal: gone.signal })
    gone.abort()
    expect(await first).toBe('aborted')
    expect(await third).toBe('aborted')
    expect(await ask('b.example')).toBe(BOTH)
    expect(await second).toBe(BOTH)
    expect(server.asked).toHaveLength(4)
    expect(await ask('c.example', { signal: AbortSignal.abort() })).toBe('aborted')
  })

  it('no longer listens after its answer', async () => {
    const { ask } = await start()
    const listeners = new Set<() => void>()
    const signal = {
      aborted: false,
      addEventListener: (_event: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_event: 'abort', listener: () => void) => void listeners.delete(listener),
    }
    const answer = ask('a.example', { signal })
    expect(listeners.size).toBe(1)
    expect(await answer).toBe(BOTH)
    expect(listeners.size).toBe(0)
  })

  it('leaves no question behind when its turn has not come', async () => {
    const { ask, server, resolver } = await start()
    const gone = new AbortController()
    const all = times(100, (index) => ask(`d${index}.dead`, { signal: gone.signal }))
    const shared = ask('d99.dead', { account: 2n })
    expect(resolver.figures()).toMatchObject({ outstanding: 66, queued: 134 })
    gone.abort()
    await Promise.all(all)
    expect(resolver.figures()).toMatchObject({ outstanding: 66, queued: 0 })
    await eventually(() => countOf(server, '.dead') >= 33, 'the questions that were sent')
    await wait(20)
    expect(countOf(server, '.dead')).toBe(33)
    resolver.close()
    expect(await shared).toBe('closed')
  })
})

describe('answers of many records', () => {
  it('count longer for the account that looked them up', async () => {
    const { ask, resolver } = await start(({ name }) => ({
      addresses: name.endsWith('.huge') ? times(100, (index) => `10.0.0.${index}`) : [V4],
      truncated: name.endsWith('.huge'),
    }))
    const four = { families: [4] } as const
    expect(new Set(await Promise.all(times(64, (index) => ask(`h${index}.huge`, four)))).size).toBe(1)
    let isOver = false
    const next = ask('a.example', four).finally(() => (isOver = true))
    expect(resolver.figures()).toMatchObject({ outstanding: 0, queued: 1 })
    expect(await ask('b.example', { ...four, account: 2n })).toBe(V4)
    expect(isOver).toBe(false)
    expect(await next).toBe(V4)
  })
})

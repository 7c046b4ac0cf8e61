import { describe, expect, it } from 'vitest'
import { type Answer, NameCache } from './name.cache.ts'

const found: Answer = { outcome: 'addresses', ips: [{ family: 4, value: 1n }], ttlSeconds: 300, records: 1 }

describe('the cache of names', () => {
  it('is bounded, and names looked up once evict none that are looked up again', () => {
    const cache = new NameCache({ family: 4, entries: 1000, now: () => 0 })
    for (let index = 0; index < 400; index++) cache.store(`used${index}`, found)
    for (let index = 0; index < 400; index++) cache.use(`used${index}`)
    for (let index = 0; index < 100_000; index++) cache.store(`once${index}`, found)
    expect(cache.size).toBe(900)
    for (let index = 0; index < 400; index++) expect(cache.use(`used${index}`)?.outcome).toBe('addresses')
    expect(cache.use('once0')).toBeNull()
    expect(cache.use('once99999')).not.toBeNull()
  })

  it('keeps the names that were used last', () => {
    const cache = new NameCache({ family: 4, entries: 20, now: () => 0 })
    for (let index = 0; index < 100; index++) {
      cache.store(`n${index}`, found)
      cache.use(`n${index}`)
    }
    expect(cache.size).toBe(20)
    for (let index = 80; index < 100; index++) expect(cache.use(`n${index}`), `n${index}`).not.toBeNull()
  })

  it('holds one record per name, in either half', () => {
    const cache = new NameCache({ family: 4, entries: 10, now: () => 0 })
    cache.store('a', found)
    cache.use('a')
    cache.store('a', { outcome: 'not_found' })
    expect(cache.size).toBe(1)
    expect(cache.use('a')?.outcome).toBe('not_found')
  })
})

import { describe, expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { parseUsername } from '#proxies/grammar'
import { staticNames } from '../testing/names.ts'
import { candidateOf, exitServes, rendezvous, stickyKey } from './choice.ts'
import { Exits } from './exits.ts'

describe('the exits', () => {
  const targeting = (text: string) => parseUsername(`alice1${text}`).targeting
  const place = { country: 'us', state: 'us_ca', city: 'us_ca_los_angeles', zip: '90001', asn: 7018 }
  const exit = (parts: Partial<FeedExit>) => new MemoryFeed().addExit('residential', parts)
  const countryOf = (of: FeedExit, line: string) => candidateOf(of, targeting(line), 'a key')?.country

  it('serve a line that matches one of their places', () => {
    const some = exit({
      places: [place, { ...place, country: 'de', state: null, city: null, zip: null, asn: 3320 }],
    })
    for (const yes of [
      '',
      '-cc-us',
      '-cc-fr.de',
      '-st-us_ca',
      '-city-us_ca_los_angeles',
      '-asn-7018',
      '-xasn-7018',
      '-sid-x',
    ]) {
      expect(exitServes(some, targeting(yes)), yes).toBe(true)
    }
    for (const no of ['-cc-fr', '-asn-1', '-xasn-7018.3320', '-cc-de-asn-7018', '-st-us_ny']) {
      expect(exitServes(some, targeting(no)), no).toBe(false)
    }
    expect(exitServes(exit({ places: null }), targeting('-cc-fr-asn-1'))).toBe(true)
    expect(exitServes(exit({ places: [] }), targeting(''))).toBe(false)
    expect(countryOf(some, '-cc-de')).toBe('de')
    expect(countryOf(some, '')).toBeNull()
    expect(countryOf(exit({ places: null }), '-cc-de')).toBeNull()
  })

  it('keep a session where it is, and move only what was on an exit that went away', () => {
    const exits = Array.from({ length: 5 }, (_item, index) =>
      exit({ id: BigInt(index + 1), weight: index + 1 }),
    )
    const keys = Array.from({ length: 3000 }, (_item, index) => `1|residential|sid|${index}`)
    const before = keys.map((each) => rendezvous(exits, each)[0]?.id)
    const counts = exits.map(({ id }) => before.filter((chosen) => chosen === id).length)
    for (const [index, count] of counts.entries()) {
      const expected = (3000 * (index + 1)) / 15
      expect(Math.abs(count - expected)).toBeLessThan(expected * 0.3 + 30)
    }
    const fewer = exits.filter(({ id }) => id !== 3n)
    const after = keys.map((each) => rendezvous(fewer.toReversed(), each)[0]?.id)
    for (const [index, id] of before.entries()) if (id !== 3n) expect(after[index]).toBe(id)
    expect(rendezvous([], 'x')).toEqual([])
    expect(rendezvous([exit({ weight: 0 })], 'x')).toEqual([])
  })

  describe('are chosen', () => {
    const minute = 60_000
    const who = { access: 1n, pool: 'residential' }
    const start = Date.UTC(2026, 0, 1)
    /** The minutes at which the key differs from the minute before. */
    const changes = (line: string, minutes: number, whose = who) =>
      Array.from({ length: minutes }, (_, index) => start + (index + 1) * minute).filter(
        (at) => stickyKey(whose, targeting(line), at) !== stickyKey(whose, targeting(line), at - minute),
      )

    it('anew per connection without a session or an interval', () => {
      expect(stickyKey(who, targeting(''), start)).not.toBe(stickyKey(who, targeting(''), start))
    })

    it.each([
      ['-sid-a', 10],
      ['-sid-a-ttl-30', 30],
      ['-ttl-5', 5],
      ['-sid-a-ttl-1', 1],
    ])('for "%s" every %i minutes, and never between', (line, ttl) => {
      const moments = changes(line, 60 * ttl)
      expect(moments).toHaveLength(60)
      expect(moments.slice(1).every((at, index) => at - (moments[index] ?? 0) === ttl * minute)).toBe(true)
    })

    it('at moments of their own, so that not all sessions move at once', () => {
      const firsts = Array.from({ length: 200 }, (_, sid) => changes(`-sid-s${sid}-ttl-10`, 10)[0])
      expect(new Set(firsts).size).toBe(10)
    })

    it('alike by all gateways with the same exits and the same time', async () => {
      const feed = new MemoryFeed()
      for (let nr = 0; nr < 50; nr++) feed.addExit()
      let now = start
      const gateways = [1, 2, 3].map(
        () => new Exits({ feed, names: staticNames(() => undefined), onFault() {}, clock: () => now }),
      )
      await Promise.all(gateways.map((exits) => exits.refresh()))
      const seen = new Set<bigint>()
      for (let index = 0; index < 100; index++, now += minute) {
        const ids = gateways.map(
          (exits) => [...exits.candidates(who, targeting('-sid-a-ttl-10'))][0]?.exit.id,
        )
        expect(new Set(ids).size).toBe(1)
        seen.add(ids[0] ?? 0n)
      }
      // Ten or eleven periods over fifty exits.
      expect(seen.size).toBeGreaterThan(5)
      for (const exits of gateways) exits.stop()
    })
  })

  it('stay as they were while the feed is away', async () => {
    const feed = new MemoryFeed()
    feed.addExit()
    feed.addExit('mobile')
    const faults: unknown[] = []
    const exits = new Exits({
      feed,
      names: staticNames(() => undefined),
      onFault: (fault) => faults.push(fault),
    })
    await exits.refresh()
    feed.away = true
    await exits.refresh()
    expect(faults).toHaveLength(1)
    const first = (pool: string) => [...exits.candidates({ access: 1n, pool }, targeting(''))][0]
    expect(first('residential')?.exit.id).toBe(1n)
    expect(first('datacenter')).toBeUndefined()
    exits.stop()
  })
})

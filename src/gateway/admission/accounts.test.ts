import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseUsername } from '#proxies/grammar'
import { eventually } from '#test/eventually'
import { Accounts } from './accounts.ts'
import { LoginThrottle } from './login.throttle.ts'
import { credentialsOf, digestOf, parseBasic, passwordMatches } from './credentials.ts'
import { countryOf, exitServes, rendezvous, stickyKey } from '../exits/choice.ts'
import { Exits } from '../exits/exits.ts'
import type { FeedAccount, FeedExit } from '#feed'
import { staticNames } from '../testing/names.ts'
import { MemoryFeed } from '#feed/testing'

const key = { login: 'alice1', pool: 'residential' }

describe('the accounts', () => {
  it('are looked up once while fresh, and once for concurrent requests', async () => {
    const feed = new MemoryFeed()
    feed.addAccount('alice1', 'secret', 1n)
    let asked = 0
    let now = 0
    const accounts = new Accounts({
      feed: {
        account: (of) => (asked++, feed.account(of)),
        whitelisted: (of) => feed.whitelisted(of),
        slot: (of) => feed.slot(of),
      },
      now: () => now,
    })
    await Promise.all([accounts.find(key), accounts.find(key), accounts.find(key)])
    now = 59_999
    await accounts.find(key)
    expect(asked).toBe(1)
    now = 60_000
    await accounts.find(key)
    expect(asked).toBe(2)
    const nobody = { login: 'nobody', pool: 'residential' }
    expect(await accounts.find(nobody)).toBeNull()
    now += 1999
    await accounts.find(nobody)
    expect(asked).toBe(3)
    now += 1
    await accounts.find(nobody)
    expect(asked).toBe(4)
    accounts.forget('nobody')
    await accounts.find(nobody)
    accounts.forgetAll()
    await accounts.find(key)
    expect(asked).toBe(6)
  })

  it('discard an answer that was under way when the account changed', async () => {
    const answers: ((account: FeedAccount | null) => void)[] = []
    const accounts = new Accounts({
      feed: {
        account: () => new Promise((resolve) => answers.push(resolve)),
        whitelisted: () => Promise.resolve(null),
        slot: () => Promise.resolve(null),
      },
    })
    const found = accounts.find(key)
    await eventually(() => answers.length === 1, 'the question')
    accounts.forget('alice1')
    answers[0]?.({ subuser: 1n, owner: 1001n, ...key, password_sha256: 'old', blocked: false, limits: null })
    await eventually(() => answers.length === 2, 'the second question')
    answers[1]?.({ subuser: 1n, owner: 1001n, ...key, password_sha256: 'new', blocked: false, limits: null })
    expect((await found)?.password_sha256).toBe('new')
    expect((await accounts.find(key))?.password_sha256).toBe('new')
  })

  it('are not cached when the feed fails', async () => {
    const feed = new MemoryFeed()
    feed.addAccount('alice1', 'secret', 1n)
    const accounts = new Accounts({ feed })
    feed.away = true
    await expect(accounts.find(key)).rejects.toThrow('away')
    feed.away = false
    expect((await accounts.find(key))?.login).toBe('alice1')
  })
})

describe('credentials', () => {
  it('are read from Basic in any case of its name, and from nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (username, password) => {
        if (username.includes(':')) return
        const text = Buffer.from(`${username}:${password}`).toString('base64')
        expect(parseBasic(`bAsIc ${text}`)).toEqual(
          credentialsOf(Buffer.from(username), Buffer.from(password)),
        )
      }),
    )
    for (const bad of [
      '',
      'Basic',
      'Basic ',
      'Basic !!',
      'Bearer YTpi',
      'Basic YWI=',
      'Basic YTpi YTpi',
      'BasicYTpi',
    ]) {
      expect(parseBasic(bad), bad).toBeNull()
    }
  })

  it('match an account that exists, and never one that does not', () => {
    const account = new MemoryFeed().addAccount('alice1', 'secret', 1n)
    expect(passwordMatches(account, digestOf(Buffer.from('secret')))).toBe(true)
    expect(passwordMatches(account, digestOf(Buffer.from('Secret')))).toBe(false)
    expect(passwordMatches(null, Buffer.alloc(32))).toBe(false)
    expect(passwordMatches({ ...account, password_sha256: '' }, digestOf(Buffer.from('')))).toBe(false)
  })

  it('that are wrong throttle their address, but no other address and no credentials that were right from there before', () => {
    let now = 0
    const throttle = new LoginThrottle({ now: () => now })
    const right = credentialsOf(Buffer.from('alice1'), Buffer.from('secret'))
    const wrong = credentialsOf(Buffer.from('alice1'), Buffer.from('wrong'))
    throttle.succeeded('192.0.2.1', right)
    for (let at = 0; at < 30; at++) {
      expect(throttle.waitSeconds('192.0.2.1', wrong)).toBe(0)
      throttle.failed('192.0.2.1', wrong)
    }
    now = 10_500
    expect(throttle.waitSeconds('192.0.2.1', wrong)).toBe(50)
    expect(throttle.waitSeconds('192.0.2.1', right)).toBe(0)
    expect(throttle.waitSeconds('192.0.2.2', wrong)).toBe(0)
    now = 60_000
    expect(throttle.waitSeconds('192.0.2.1', wrong)).toBe(0)
  })

  it('that are right stay known after the same password was used with another login', () => {
    const throttle = new LoginThrottle({ now: () => 0 })
    const of = (username: string, password = 'secret') =>
      credentialsOf(Buffer.from(username), Buffer.from(password))
    throttle.succeeded('192.0.2.1', of('alice1-cc-us'))
    throttle.failed('192.0.2.1', of('alice2'))
    for (let at = 0; at < 40; at++) throttle.failed('192.0.2.1', of('alice1', `wrong${at}`))
    // All lines of the login count as right with its password; other logins do not.
    expect(throttle.waitSeconds('192.0.2.1', of('alice1'))).toBe(0)
    expect(throttle.waitSeconds('192.0.2.1', of('alice1-cc-de-sid-x'))).toBe(0)
    expect(throttle.waitSeconds('192.0.2.1', of('alice2'))).toBe(60)
    throttle.failed('192.0.2.1', of('alice1'))
    expect(throttle.waitSeconds('192.0.2.1', of('alice1-cc-us'))).toBe(60)
  })

  it('that are wrong count for their whole IPv6 network', () => {
    const throttle = new LoginThrottle({ now: () => 0 })
    const wrong = credentialsOf(Buffer.from('alice1'), Buffer.from('wrong'))
    for (let at = 1; at <= 30; at++) throttle.failed(`2001:db8:7:7::${at}`, wrong)
    expect(throttle.waitSeconds('2001:db8:7:7:aaaa::1', wrong)).toBe(60)
    expect(throttle.waitSeconds('2001:db8:7:8::1', wrong)).toBe(0)
  })
})

describe('the exits', () => {
  const targeting = (text: string) => parseUsername(`alice1${text}`).targeting
  const place = { country: 'us', state: 'us_ca', city: 'us_ca_los_angeles', zip: '90001', asn: 7018 }
  const exit = (parts: Partial<FeedExit>) => new MemoryFeed().addExit('residential', parts)

  it('serve targetings that one of their places fits', () => {
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
    expect(countryOf(some, targeting('-cc-de'))).toBe('de')
    expect(countryOf(some, targeting(''))).toBeNull()
    expect(countryOf(exit({ places: null }), targeting('-cc-de'))).toBeNull()
  })

  it('keep their sessions; only sessions of a removed exit move', () => {
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
    const who = { subuser: 1n, pool: 'residential' }
    const start = Date.UTC(2026, 0, 1)
    /** The minutes at which the key differs from the minute before. */
    const changes = (line: string, minutes: number, whose = who) =>
      Array.from({ length: minutes }, (_, index) => start + (index + 1) * minute).filter(
        (at) => stickyKey(whose, targeting(line), at) !== stickyKey(whose, targeting(line), at - minute),
      )

    it('per connection without a session or an interval', () => {
      expect(stickyKey(who, targeting(''), start)).not.toBe(stickyKey(who, targeting(''), start))
    })

    it.each([
      ['-sid-a', 10],
      ['-sid-a-ttl-30', 30],
      ['-ttl-5', 5],
      ['-sid-a-ttl-1', 1],
    ])('for "%s" every %i minutes, and never in between', (line, ttl) => {
      const moments = changes(line, 60 * ttl)
      expect(moments).toHaveLength(60)
      expect(moments.slice(1).every((at, index) => at - (moments[index] ?? 0) === ttl * minute)).toBe(true)
    })

    it('at different times for different keys, so that not all sessions move together', () => {
      const firsts = Array.from({ length: 200 }, (_, sid) => changes(`-sid-s${sid}-ttl-10`, 10)[0])
      expect(new Set(firsts).size).toBe(10)
    })

    it('identically by every gateway with the same exits and time', async () => {
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

  it('do not change while the feed is unreachable', async () => {
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
    const first = (pool: string) => [...exits.candidates({ subuser: 1n, pool }, targeting(''))][0]
    expect(first('residential')?.exit.id).toBe(1n)
    expect(first('datacenter')).toBeUndefined()
    exits.stop()
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { Accounts } from './accounts.ts'
import { LoginThrottle } from './login.throttle.ts'
import { credentialsOf, digestOf, pairOf, parseBasic, passwordMatches } from './credentials.ts'
import type { FeedAccount } from '#feed'
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
    answers[0]?.({ access: 1n, owner: 1001n, ...key, password_sha256: 'old', blocked: false, limits: null })
    await eventually(() => answers.length === 2, 'the second question')
    answers[1]?.({ access: 1n, owner: 1001n, ...key, password_sha256: 'new', blocked: false, limits: null })
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

  it('are served as last known while the feed fails, also after messages of it were lost', async () => {
    const feed = new MemoryFeed()
    feed.addAccount('alice1', 'secret', 1n)
    let now = 0
    const accounts = new Accounts({ feed, now: () => now })
    await accounts.find(key)
    feed.away = true
    now = 60_000
    expect((await accounts.find(key))?.login).toBe('alice1')
    accounts.forgetAll()
    expect((await accounts.find(key))?.login).toBe('alice1')
    await expect(accounts.find(key, 'sure')).rejects.toThrow('away')
    // An announced change makes the cached answer unusable.
    accounts.forget('alice1')
    await expect(accounts.find(key)).rejects.toThrow('away')
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

  it('of SOCKS5 are equal for equal bytes, and the same object while they are cached', () => {
    const bytes = fc.uint8Array({ maxLength: 255 })
    fc.assert(
      fc.property(bytes, bytes, (name, secret) => {
        const [username, password] = [Buffer.from(name), Buffer.from(secret)]
        expect(pairOf(username, password)).toEqual(credentialsOf(username, password))
        expect(pairOf(username, password)).toBe(pairOf(Buffer.from(name), Buffer.from(secret)))
      }),
    )
    // The boundary between user name and password is part of the key.
    const pair = (username: string, password: string) => pairOf(Buffer.from(username), Buffer.from(password))
    expect(pair('ab', 'c').username).toBe('ab')
    expect(pair('a', 'bc').username).toBe('a')
  })

  it('match an account that exists, and never one that does not', () => {
    const account = new MemoryFeed().addAccount('alice1', 'secret', 1n)
    expect(passwordMatches(account, digestOf(Buffer.from('secret')))).toBe(true)
    expect(passwordMatches(account, digestOf(Buffer.from('Secret')))).toBe(false)
    expect(passwordMatches(null, Buffer.alloc(32))).toBe(false)
    expect(passwordMatches({ ...account, password_sha256: '' }, digestOf(Buffer.from('')))).toBe(false)
  })

  it('that are wrong throttle their address, but no other address, and no credentials accepted from there before', () => {
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

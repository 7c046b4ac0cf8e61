import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  loadSecretKey,
  randomText,
  randomToken,
  replaceKeyFile,
  sameBytes,
  SealBroken,
  secretsOf,
  sha256,
} from './secret.ts'

const key = 'k'.repeat(32)

describe('sealed secrets', () => {
  it('opens its own output', () => {
    const secrets = secretsOf(key)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, about) => {
        expect(secrets.open(secrets.seal(text, about), about)).toBe(text)
      }),
    )
  })

  it('seals the same text to different bytes', () => {
    const secrets = secretsOf(key)
    expect(secrets.seal('same', 'a').equals(secrets.seal('same', 'a'))).toBe(false)
  })

  it('opens nothing under another key or for another owner', () => {
    const sealed = secretsOf(key).seal('secret', 'proxy-password:1:mobile')
    expect(() => secretsOf('x'.repeat(32)).open(sealed, 'proxy-password:1:mobile')).toThrow(SealBroken)
    expect(() => secretsOf(key).open(sealed, 'proxy-password:2:mobile')).toThrow(SealBroken)
  })

  it('detects every changed, missing or added byte', () => {
    const secrets = secretsOf(key)
    const sealed = secrets.seal('secret', 'about')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => secrets.open(changed, 'about')).toThrow(SealBroken)
      expect(() => secrets.open(sealed.subarray(0, at), 'about')).toThrow(SealBroken)
    }
    expect(() => secrets.open(Buffer.concat([sealed, Buffer.of(0)]), 'about')).toThrow(SealBroken)
  })

  it('refuses a key that is too short', () => {
    expect(() => secretsOf('short')).toThrow(RangeError)
  })
})

describe('the key', () => {
  it('is created once in the data directory, readable by the owner only', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-secret-'))
    try {
      const sealed = loadSecretKey({ secretKey: null, dataDir }).seal('text', 'about')
      expect(loadSecretKey({ secretKey: null, dataDir }).open(sealed, 'about')).toBe('text')
      expect(statSync(path.join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
      expect(readFileSync(path.join(dataDir, 'secret'), 'utf8').trim()).toHaveLength(43)
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })

  it('is SECRET_KEY when that is set', () => {
    const secrets = loadSecretKey({ secretKey: key, dataDir: '/nowhere' })
    expect(secretsOf(key).open(secrets.seal('text', 'about'), 'about')).toBe('text')
  })

  it('that was replaced opens what it has sealed, and seals nothing more', () => {
    const old = secretsOf('the key before it, long enough to be one')
    const both = secretsOf(key, 'the key before it, long enough to be one')
    const sealed = old.seal('text', 'about')
    expect(() => secretsOf(key).open(sealed, 'about')).toThrow(SealBroken)
    expect(both.open(sealed, 'about')).toBe('text')
    expect(() => both.open(sealed, 'another')).toThrow(SealBroken)
    expect(() => old.open(both.seal('text', 'about'), 'about')).toThrow(SealBroken)
    const anew = both.reseal(sealed, 'about')
    expect(secretsOf(key).open(anew ?? Buffer.of(), 'about')).toBe('text')
    expect(both.reseal(anew ?? Buffer.of(), 'about')).toBeNull()
    expect(() => both.reseal(sealed, 'another')).toThrow(SealBroken)
    expect(both.derive('one').equals(secretsOf(key).derive('one'))).toBe(true)
  })

  it('in the data directory is replaced by a new one, which knows the old one', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-secret-'))
    try {
      const sealed = loadSecretKey({ secretKey: null, dataDir }).seal('text', 'about')
      expect(replaceKeyFile(dataDir)).toBe(true)
      const both = loadSecretKey({ secretKey: null, dataDir })
      expect(both.reseal(sealed, 'about')).not.toBeNull()
      // A second one would lose the first.
      expect(replaceKeyFile(dataDir)).toBe(false)
      expect(loadSecretKey({ secretKey: null, dataDir }).open(sealed, 'about')).toBe('text')
      expect(statSync(path.join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
      expect(readdirSync(dataDir).toSorted()).toEqual(['secret', 'secret.old'])
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })

  it('in the data directory survives a replacement that was cut short', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-secret-'))
    try {
      const sealed = loadSecretKey({ secretKey: null, dataDir }).seal('text', 'about')
      linkSync(path.join(dataDir, 'secret'), path.join(dataDir, 'secret.old'))
      expect(loadSecretKey({ secretKey: null, dataDir }).reseal(sealed, 'about')).toBeNull()
      expect(replaceKeyFile(dataDir)).toBe(true)
      expect(loadSecretKey({ secretKey: null, dataDir }).reseal(sealed, 'about')).not.toBeNull()
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })

  it('is derived separately for every purpose', () => {
    const secrets = secretsOf(key)
    expect(secrets.derive('one').export()).toHaveLength(32)
    expect(secrets.derive('one').equals(secretsOf(key).derive('one'))).toBe(true)
    expect(secrets.derive('one').equals(secrets.derive('two'))).toBe(false)
  })
})

describe('random text', () => {
  it('has the requested length and uses exactly the letters of the alphabet', () => {
    const text = randomText(5000, 'abcde')
    expect(text).toMatch(/^[abcde]{5000}$/)
    expect(new Set(text).size).toBe(5)
    expect(randomText(0, 'ab')).toBe('')
  })

  it('makes tokens of 256 bits that differ', () => {
    expect(randomToken()).toMatch(/^[\w-]{43}$/)
    expect(randomToken()).not.toBe(randomToken())
  })
})

describe('digests', () => {
  it('are SHA-256 (FIPS 180-4, example of one block)', () => {
    expect(sha256('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  it('are the same only when every byte is', () => {
    expect(sameBytes(sha256('a'), sha256('a'))).toBe(true)
    expect(sameBytes(sha256('a'), sha256('b'))).toBe(false)
    expect(sameBytes(Buffer.of(1), Buffer.of(1, 2))).toBe(false)
  })
})

describe('signatures', () => {
  const signed = (secrets: ReturnType<typeof secretsOf>) => secrets.sign('10 GB', 'orders')

  it('are the same for the same text, and hold for that text and purpose only', () => {
    const secrets = secretsOf(key)
    const signature = signed(secrets)
    expect(signed(secretsOf(key)).equals(signature)).toBe(true)
    expect(secrets.isSigned('10 GB', signature, 'orders')).toBe(true)
    expect(secrets.isSigned('100 GB', signature, 'orders')).toBe(false)
    expect(secrets.isSigned('10 GB', signature, 'invitations')).toBe(false)
    expect(secrets.isSigned('10 GB', signature.subarray(1), 'orders')).toBe(false)
    expect(secretsOf('x'.repeat(32)).isSigned('10 GB', signature, 'orders')).toBe(false)
  })

  it('of the old key are accepted, and no longer made', () => {
    const old = signed(secretsOf(key))
    const secrets = secretsOf('x'.repeat(32), key)
    expect(secrets.isSigned('10 GB', old, 'orders')).toBe(true)
    expect(signed(secrets).equals(old)).toBe(false)
  })
})

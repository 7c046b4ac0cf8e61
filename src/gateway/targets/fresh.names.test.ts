import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { formatIp, type Ip, parseIp } from '#lib/ip'
import { folder, start, undo, V4, V6_TEXT } from '../testing/names.ts'
import type { Family } from './name.cache.ts'
import type { NameResolver } from './resolver.ts'
import { freshTarget, judgeTarget, type TargetRules } from './rules.ts'
import { parseAuthority } from './target.ts'

afterEach(undo)

const BOTH: readonly Family[] = [6, 4]
const textOf = (ips: readonly Ip[] | null) => ips?.map(formatIp).join(' ') ?? null
const freshOf = (resolver: NameResolver, name: string, families = BOTH) =>
  textOf(resolver.fresh(name, families))

describe('names whose records are fresh', () => {
  it('are returned without waiting once they were looked up, with the result that a lookup would give', async () => {
    const { ask, resolver, server } = await start()
    expect(freshOf(resolver, 'a.example')).toBeNull()
    await ask('a.example')
    expect(freshOf(resolver, 'a.example')).toBeNull()
    const again = await ask('a.example')
    expect(again).toBe(`${V6_TEXT} ${V4}`)
    expect(freshOf(resolver, 'a.example')).toBe(again)
    expect(server.count('a.example')).toBe(2)
    expect(resolver.figures().total).toMatchObject({ asked: 1, hit: 2 })
  })

  it('are known for the families they were looked up for', async () => {
    const { ask, resolver } = await start()
    for (let times = 0; times < 2; times++) await ask('a.example', { families: [4] })
    expect(freshOf(resolver, 'a.example', [4])).toBe(V4)
    expect(freshOf(resolver, 'a.example')).toBeNull()
    expect(freshOf(resolver, 'a.example', [6])).toBeNull()
    expect(freshOf(resolver, 'a.example', [4, 6])).toBeNull()
    for (let times = 0; times < 2; times++) await ask('a.example', { families: [4, 6] })
    expect(freshOf(resolver, 'a.example', [4, 6])).toBe(`${V4} ${V6_TEXT}`)
    expect(freshOf(resolver, 'a.example', [4])).toBe(V4)
  })

  it('are not known past the time to live of any of their records', async () => {
    const { ask, resolver, clock } = await start(({ type }) => ({
      addresses: type === 28 ? [] : [V4],
      ttlSeconds: 20,
    }))
    for (let times = 0; times < 2; times++) await ask('a.example')
    clock.advance(19_000)
    expect(freshOf(resolver, 'a.example')).toBe(V4)
    clock.advance(2000)
    expect(freshOf(resolver, 'a.example')).toBeNull()
  })

  it('are not known after the hosts file has changed, nor without a dot, nor when the resolver is closed', async () => {
    const hostsFile = join(folder(), 'hosts')
    writeFileSync(hostsFile, '')
    const { ask, resolver, clock } = await start(undefined, { hostsFile })
    for (let times = 0; times < 2; times++) {
      await ask('a.example')
      await ask('single', { singleLabel: true })
    }
    expect(freshOf(resolver, 'a.example')).not.toBeNull()
    expect(freshOf(resolver, 'single')).toBeNull()
    writeFileSync(hostsFile, '10.0.0.1 a.example\n')
    clock.advance(6000)
    expect(freshOf(resolver, 'a.example')).toBeNull()
    expect(await ask('a.example')).toBe('10.0.0.1')
    for (let times = 0; times < 2; times++) await ask('b.example')
    expect(freshOf(resolver, 'b.example')).not.toBeNull()
    resolver.close()
    expect(freshOf(resolver, 'b.example')).toBeNull()
  })
})

describe('the judgement of a name that is known', () => {
  const ip = (text: string): Ip => parseIp(text) as Ip
  let known: readonly Ip[] = []
  const rules: TargetRules = {
    allow: [],
    refusePorts: [25],
    names: {
      fresh: () => known,
      resolve: () => Promise.reject(new Error('the name is known')),
    },
  }

  it('is made for each new answer: a name that changes its addresses is judged by the new ones', () => {
    const target = parseAuthority('a.example:443', null)
    known = [ip('93.184.215.14')]
    expect(judgeTarget(target, rules)).toBeNull()
    expect(freshTarget(target, rules, BOTH)).toBe(known)
    // A judgement is not reused for the next lookup of the name, which may return other addresses.
    expect(judgeTarget(target, rules)).toBeNull()
    expect(freshTarget(target, rules, BOTH)).toBe(known)
    for (const forbidden of ['127.0.0.1', '169.254.169.254', 'fd00::1']) {
      known = [ip('93.184.215.14'), ip(forbidden)]
      expect(judgeTarget(target, rules)).toBeNull()
      for (let times = 0; times < 2; times++)
        expect(() => freshTarget(target, rules, BOTH), forbidden).toThrow('not on the public internet')
    }
    known = [ip('93.184.215.15')]
    expect(freshTarget(target, rules, BOTH)).toBe(known)
  })

  it('is made for each port', () => {
    known = [ip('93.184.215.14')]
    expect(freshTarget(parseAuthority('a.example:443', null), rules, BOTH)).toBe(known)
    expect(() => judgeTarget(parseAuthority('a.example:25', null), rules)).toThrow('port 25')
  })
})

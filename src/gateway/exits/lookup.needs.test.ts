import { expect, it } from 'vitest'
import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { parseIp } from '#lib/ip'
import { staticNames } from '../testing/names.ts'
import { OwnHosts } from '../targets/own.hosts.ts'
import { PoolLookupNeeds } from './lookup.needs.ts'

const names = {
  'far.test': ['93.184.215.14'],
  'near.test': ['10.0.0.9'],
  'both.test': ['93.184.215.14', '10.0.0.9'],
}

async function needsOf(parts: Partial<FeedExit>[], { local = '10.0.0.4' } = {}) {
  const feed = new MemoryFeed()
  for (const part of parts) feed.addExit('residential', part)
  feed.addExit('mobile')
  const ip = parseIp(local)
  const own = new OwnHosts({
    names: staticNames((name) => new Map(Object.entries(names)).get(name)),
    localAddresses: () => (ip === null ? [] : [ip]),
  })
  own.setExits(feed.exitList)
  const before = new PoolLookupNeeds({ all: feed.exitList }, own).of('residential')
  await own.refresh()
  return { ...new PoolLookupNeeds({ all: feed.exitList }, own).of('residential'), before }
}

const http = (host: string, more: Partial<FeedExit> = {}): Partial<FeedExit> => ({
  kind: 'http',
  host,
  port: 3128,
  ...more,
})

it('the families are those that the exits can use: of their own addresses or the machine’s, and both for other proxies', async () => {
  const four = { bind_address: '192.0.2.1' }
  const six = { bind_address: '2001:db8::1' }
  const machine = { local: '2606:2800:220:1::1' }
  expect((await needsOf([four])).families).toEqual([4])
  expect((await needsOf([four], machine)).families).toEqual([4])
  expect((await needsOf([six])).families).toEqual([6])
  expect((await needsOf([four, six])).families).toEqual([6, 4])
  expect((await needsOf([{}])).families).toEqual([4])
  expect((await needsOf([{}], machine)).families).toEqual([6, 4])
  expect((await needsOf([four, http('far.test')])).families).toEqual([6, 4])
  expect((await needsOf([])).families).toEqual([6, 4])
})

it('addresses are used for the judgement only where every exit gets names', async () => {
  const cases: [Partial<FeedExit>[], boolean][] = [
    [[http('far.test')], true],
    [[http('93.184.215.14'), http('far.test', { kind: 'socks5' })], true],
    [[http('far.test'), {}], false],
    [[http('far.test'), http('near.test')], false],
    [[http('both.test')], false],
    [[http('nowhere.test')], false],
    [[http('far.test', { names: 'gateway' })], false],
    [[http('far.test', { names: 'exit' })], true],
    [[http('near.test', { names: 'exit' })], false],
    [[http('127.0.0.1')], false],
    [[], false],
  ]
  for (const [parts, forJudgement] of cases)
    expect((await needsOf(parts)).forJudgement, JSON.stringify(parts)).toBe(forJudgement)
})

it('an exit whose name is not resolved yet is treated as in a network of the operator’s', async () => {
  expect((await needsOf([http('far.test')])).before.forJudgement).toBe(false)
})

/** The places of lines in Turnpike's grammar, checked against the server's inventories. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anywhere, GrammarFault, parseUsername } from '#proxies/grammar'
import { startOrigin, type Origin } from '#test/origin'
import type { FeedExit, FeedUnknown } from '#feed'
import { eventually } from '#test/eventually'
import { PlaceCheck } from './place.check.ts'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

let origin: Origin
let bench: Bench

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const isUnknown = (feed: MemoryFeed, parts: Partial<FeedUnknown> & Pick<FeedUnknown, 'key' | 'value'>) =>
  feed.unknownPlaces.set(`residential ${parts.value}`, { nearest: null, ofPool: true, exits: [], ...parts })

async function answerTo(username: string): Promise<string> {
  const client = bench.say(`CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${basic(username)}\r\n`)
  // The body of a refusal is one line.
  const isWhole = () => /^HTTP\/1.1 (200 .*\r\n\r\n|[345].*\r\n\r\n.+\n)$/s.test(client.text)
  await client.until(isWhole, 'an answer')
  return client.text
}

describe('a line in Turnpike’s grammar', () => {
  beforeEach(async () => {
    bench = await startBench()
    isUnknown(bench.feed, { key: 'st', value: 'us_zz', nearest: 'us_az' })
    isUnknown(bench.feed, { key: 'st', value: 'us_california', nearest: 'us_ca' })
    isUnknown(bench.feed, { key: 'city', value: 'us_ca_losangeles', nearest: 'us_ca_los_angeles' })
    isUnknown(bench.feed, { key: 'zip', value: '00000' })
    isUnknown(bench.feed, { key: 'asn', value: '7019', nearest: '7018' })
    isUnknown(bench.feed, { key: 'xasn', value: '1650', nearest: '16509' })
  })
  afterEach(async () => {
    await bench.close()
    expect(bench.errors).toEqual([])
    expect(bench.feed.faults).toEqual([])
  })

  it.each([
    ['-st-us_zz', 'There is no state "us_zz" in this pool. Did you mean "us_az"?'],
    ['-cc-us-st-us_ca.us_zz', 'There is no state "us_zz" in this pool. Did you mean "us_az"?'],
    [
      '-city-us_ca_losangeles',
      'There is no city "us_ca_losangeles" in this pool. Did you mean "us_ca_los_angeles"?',
    ],
    ['-cc-us.de-zip-00000', 'There is no zip code "00000" in us, de.'],
    ['-cc-us-st-us_ca-zip-00000', 'There is no zip code "00000" in us_ca.'],
    ['-cc-us-asn-7019', 'There is no AS 7019 in us. Did you mean "7018"?'],
    ['-asn-7019', 'There is no AS 7019 in this pool. Did you mean "7018"?'],
    ['-xasn-1650', 'There is no AS 1650 in this pool. Did you mean "16509"?'],
    ['-cc-us-st-california-sid-x', 'a state is written like us_ca. Did you mean "us_ca"?'],
    ['__cr.us;asn.7019', 'There is no AS 7019 in us. Did you mean "7018"?'],
  ])('is refused for a place that does not exist, with the nearest one: %s', async (settings, sentence) => {
    const answer = await answerTo(`alice1${settings}`)
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain(`bad_username: ${answer.includes('written like') ? 'The value' : sentence}`)
    expect(answer).toContain(sentence)
  })

  it('is served when the place exists, with one request for any number of sessions', async () => {
    for (let nr = 0; nr < 5; nr++)
      expect(await answerTo(`alice1-cc-us-st-us_ca-asn-7018-sid-s${nr}`)).toMatch(/^HTTP\/1.1 200 /)
    expect(bench.feed.unknownAsked).toBe(1)
  })

  it('costs no request when it names only countries', async () => {
    expect(await answerTo('alice1-cc-us.de-sid-a-ttl-5')).toMatch(/^HTTP\/1.1 200 /)
    expect(bench.feed.unknownAsked).toBe(0)
  })

  it('is checked again when an inventory has changed', async () => {
    expect(await answerTo('alice1-st-us_zz-sid-a')).toMatch(/^HTTP\/1.1 400 /)
    bench.feed.unknownPlaces.clear()
    bench.feed.emit({ type: 'places_changed' })
    expect(await answerTo('alice1-st-us_zz-sid-b')).toMatch(/^HTTP\/1.1 200 /)
    isUnknown(bench.feed, { key: 'st', value: 'us_zz' })
    bench.feed.emit({ type: 'reset' })
    expect(await answerTo('alice1-st-us_zz-sid-c')).toMatch(/^HTTP\/1.1 400 /)
  })

  it('may name a place that only an exit’s list contains', async () => {
    const listed = { country: 'us', state: 'us_zz', city: null, zip: '00000', asn: 7019 }
    bench.feed.addExit('residential', { places: [listed] })
    bench.feed.emit({ type: 'exits_changed' })
    const asked = bench.feed.exitsAsked
    await eventually(() => bench.feed.exitsAsked > asked, 'the exits')
    for (const settings of ['-st-us_zz', '-cc-us-zip-00000', '-cc-us-asn-7019'])
      expect(await answerTo(`alice1${settings}`), settings).toMatch(/^HTTP\/1.1 200 /)
    expect(await answerTo('alice1-cc-de-zip-00000')).toMatch(/^HTTP\/1.1 400 /)
  })
})

describe('the check', () => {
  let feed: MemoryFeed
  let exits: FeedExit[]
  let nowMs: number
  let faults: unknown[]
  let known: PlaceCheck
  beforeEach(() => {
    feed = new MemoryFeed()
    exits = [feed.addExit()]
    nowMs = 0
    faults = []
    known = new PlaceCheck({
      feed,
      exits: {
        get all() {
          return exits
        },
      },
      onFault: (fault) => faults.push(fault),
      now: () => nowMs,
    })
  })

  const check = async (settings: string): Promise<string> => {
    const { targeting } = parseUsername(`alice1${settings}`)
    try {
      await known.check(targeting, 'residential')
      return 'fine'
    } catch (fault) {
      if (fault instanceof GrammarFault) return fault.value
      throw fault
    }
  }

  it('accepts a place that only the inventories of other exits lack', async () => {
    isUnknown(feed, { key: 'st', value: 'us_zz', ofPool: false, exits: [exits[0]?.id ?? 0n] })
    expect(await check('-st-us_zz')).toBe('us_zz')
    exits = [...exits, feed.addExit('mobile')]
    expect(await check('-st-us_zz')).toBe('us_zz')
    // An exit whose login cannot express states does not serve any.
    exits = [...exits, feed.addExit('residential', { kind: 'http', preset: 'packetstream', username: 'u' })]
    expect(await check('-st-us_zz')).toBe('us_zz')
    exits = [...exits, feed.addExit()]
    expect(await check('-st-us_zz')).toBe('fine')
    expect(feed.unknownAsked).toBe(1)
  })

  it('uses earlier answers while the server is unreachable, and accepts unknown lines', async () => {
    isUnknown(feed, { key: 'st', value: 'us_zz' })
    expect(await check('-st-us_zz')).toBe('us_zz')
    expect(await check('-st-us_ca')).toBe('fine')
    feed.away = true
    nowMs += 3_600_000
    expect(await check('-st-us_ca')).toBe('fine')
    expect(await check('-st-us_zz')).toBe('us_zz')
    expect(await check('-st-us_yy')).toBe('fine')
    known.forget()
    expect(await check('-st-us_zz')).toBe('us_zz')
    // No further request was sent to the unreachable server.
    expect(faults).toHaveLength(1)
    feed.away = false
    isUnknown(feed, { key: 'st', value: 'us_yy' })
    nowMs += 2000
    expect(await check('-st-us_yy')).toBe('us_yy')
  })

  it('waits briefly for a silent server, and for the next lines not at all', async () => {
    isUnknown(feed, { key: 'st', value: 'us_zz' })
    let asked = 0
    const silent = new PlaceCheck({
      feed: {
        unknown: () => {
          asked++
          return new Promise(() => undefined)
        },
      },
      exits: { all: exits },
      onFault: (fault) => faults.push(fault),
      now: () => nowMs,
    })
    const targeting = (state: string) => ({ ...anywhere(), states: [state] })
    await silent.check(targeting('us_zz'), 'residential')
    for (let nr = 0; nr < 100; nr++) await silent.check(targeting(`us_z${nr}`), 'residential')
    expect(asked).toBe(1)
    expect(faults).toHaveLength(1)
  })
})

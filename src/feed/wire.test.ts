/**
 * Compatibility with earlier releases: each file of `test/wire` is a recording between the gateway (>) and
 * the server (<) of one release. A gateway and a server of this release are tested against its other end.
 * `feed-1.txt` is of 0.1.0.
 *
 * A release that changes the frames adds a recording of the previous release, and keeps the others until it
 * drops support for their version.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Duplex, duplexPair } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { connectFeed } from './client.ts'
import { type FeedEvent, ReportRefused } from './feed.ts'
import { decode, encode, type FeedCall, type Frame } from './frames.ts'
import { greeting, WELCOME } from './handshake.ts'
import { serveFeed } from './server.ts'
import { MemoryFeed } from './testing.ts'

const isCall = (frame: Frame): frame is Extract<Frame, { call: FeedCall }> => 'call' in frame

/** One of the recordings. */
function recording(file: string) {
  const lines = readFileSync(join(import.meta.dirname, `../../test/wire/${file}`), 'utf8')
    .trim()
    .split('\n')
  const spoken = (way: '>' | '<') => lines.filter((line) => line.startsWith(way)).map((line) => line.slice(2))
  const said = spoken('<').map((line) => decode(line) as Frame)
  return {
    asked: spoken('>'),
    calls: spoken('>')
      .map((line) => decode(line) as Frame)
      .filter(isCall),
    said,
    answers: new Map(said.flatMap((frame) => ('id' in frame ? [[frame.id, frame] as const] : []))),
    events: said.flatMap((frame) => ('event' in frame ? [frame.event] : [])),
  }
}

/** The call that failed because the database was unavailable. */
const calledWhileAway = 16

/** The frames that a stream has received so far. */
function framesOf(stream: Duplex): Frame[] {
  const frames: Frame[] = []
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    frames.push(...parts.map((line) => decode(line) as Frame))
  })
  return frames
}

/** The state of the recorded server. */
function recordedMemory(answers: ReturnType<typeof recording>['answers']): MemoryFeed {
  const memory = new MemoryFeed()
  const alice = memory.addAccount('alice1', 'secret', 1000n)
  alice.limits = { connections: 5, allowed_hosts: [], denied_hosts: ['*.example.org'], data_saver: true }
  alice.to_prove = ['192.0.2.7']
  memory.addExit()
  const [, chained] = (answers.get(10) as { ok: MemoryFeed['exitList'] }).ok
  memory.addExit('mobile', chained)
  const places = {
    countries: ['de'],
    states: ['by'],
    cities: ['munich'],
    zips: ['80331'],
    asns: [64500],
    excludedAsns: [64501],
  }
  memory.sets.set('alice1 s1', places)
  memory.whitelist.set('residential 192.0.2.1', alice)
  memory.slots.set('1 7', { ...places, session: 'a', ttlMinutes: 5, anonymous: false })
  memory.names.set('residential city munich', ['munich', 'munich_nd'])
  memory.unknownPlaces.set('residential atlantis', {
    key: 'city',
    value: 'atlantis',
    nearest: 'atlanta',
    ofPool: true,
    exits: [2n],
  })
  memory.refused.add(2)
  return memory
}

describe.each(['feed-1.txt'])('the release of %s', (file) => {
  const { asked: spoken, calls, said, answers, events } = recording(file)

  it('is greeted by the same first line', () => {
    expect(greeting('token')).toBe('turnpike-feed 1 token')
    expect(WELCOME).toBe('turnpike-feed 1 welcome')
  })

  it('as a gateway gets the recorded answers, in a form that it supports', async () => {
    const [near, far] = duplexPair()
    const memory = recordedMemory(answers)
    serveFeed(memory, far)
    const heard = framesOf(near)
    for (const line of spoken) {
      const { id } = decode(line) as { id?: number }
      memory.away = id === calledWhileAway
      near.write(`${line}\n`)
      if (id === undefined) continue
      await eventually(() => heard.some((frame) => 'id' in frame && frame.id === id), `the answer to ${line}`)
    }
    for (const event of events) memory.emit(event)
    await eventually(() => heard.length === said.length, 'the events')
    expect(heard).toMatchObject(said)
    expect(memory.charged.get(1n)).toBe(200n)
    expect(memory.faults).toEqual([])
  })

  it('as a server gets calls in a form that it supports, and its answers are decoded', async () => {
    const [near, far] = duplexPair()
    const asked = framesOf(far)
    const feed = connectFeed({ connect: () => near })
    const heard: FeedEvent[] = []
    feed.subscribe((event) => heard.push(event))
    for (const { call, args, id } of calls) {
      const result = (feed[call] as (...args: unknown[]) => Promise<unknown>)(...args).catch(
        (error: unknown) => error,
      )
      await eventually(() => asked.findLast(isCall)?.call === call, `the call ${call}`)
      const sent = asked.findLast(isCall)
      expect(sent).toMatchObject({ call, args })
      const recorded = answers.get(id)
      if (sent === undefined || recorded === undefined) throw new Error('the recording has no answer')
      far.write(`${encode({ ...recorded, id: sent.id })}\n`)
      const got = await result
      asked.length = 0
      if ('ok' in recorded) expect(got).toEqual(recorded.ok)
      else if ('fault' in recorded) {
        expect((got as Error).message).toBe(recorded.fault)
        expect(got instanceof ReportRefused).toBe(recorded.refused)
      }
    }
    for (const event of events) far.write(`${encode({ event })}\n`)
    await eventually(() => heard.length === events.length, 'the events')
    expect(heard).toEqual(events)
    feed.close()
  })

  it('is recorded with its whole interface', () => {
    const recorded =
      'account exits heartbeat hello lease named permits places prove record report slot unknown whitelisted'
    expect([...new Set(calls.map(({ call }) => call))].toSorted().join(' ')).toBe(recorded)
    expect(new Set(events.map(({ type }) => type)).size).toBe(6)
  })
})

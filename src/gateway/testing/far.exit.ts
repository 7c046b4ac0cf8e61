/** An exit behind a relay that delays, and everything that opens tunnels through it. */

import type { FeedExit } from '#feed'
import { MemoryFeed } from '#feed/testing'
import { Cancellation } from '#lib/cancel-signal'
import { parseIp } from '#lib/ip'
import { anywhere } from '#proxies/grammar'
import { type DelayRelay, type RelayedSegment, startDelayRelay } from '#test/delay.relay'
import { connectThroughExits, type ExitConnection } from '../exits/connect.ts'
import { Exits } from '../exits/exits.ts'
import { Probes } from '../exits/probes.ts'
import type { AnySocket } from '../sockets/source.ts'
import { staticNames } from './names.ts'
import { type FakeUpstream, startUpstream, type UpstreamOptions } from './proxy.ts'

export interface FarExit {
  upstream: FakeUpstream
  relay: DelayRelay
  feed: MemoryFeed
  exits: Exits
  exit: FeedExit
  /** One health check. */
  probe(): Promise<void>
  open(options: { port: number; exitsMs?: number; plain?: boolean }): Promise<ExitConnection>
  /** The traffic on the connections to the exit that were opened since the previous call. */
  passed(): RelayedSegment[][]
  close(): Promise<void>
}

const loopback = parseIp('127.0.0.1') ?? { family: 4, value: 0n }

export async function farExit(options: UpstreamOptions, parts: Partial<FeedExit> = {}): Promise<FarExit> {
  const upstream = await startUpstream(options)
  const relay = await startDelayRelay(upstream.port, 5)
  const feed = new MemoryFeed()
  const exit = feed.addExit('residential', {
    kind: options.kind,
    host: '127.0.0.1',
    port: relay.port,
    ...parts,
  })
  const names = staticNames(() => undefined)
  const faults: unknown[] = []
  const exits = new Exits({ feed, names, onFault: (fault) => faults.push(fault) })
  await exits.refresh()
  const rules = { allow: [{ cidr: { ip: loopback, prefix: 32 }, port: null }], refusePorts: [], names }
  const probes = new Probes({ exits, rules, onFailure: () => undefined })
  const sockets: AnySocket[] = []
  let known = 0
  return {
    upstream,
    relay,
    feed,
    exits,
    exit,
    probe: () => probes.probe(exit),
    async open({ port, exitsMs = 10_000, plain = false }) {
      const connection = await connectThroughExits(
        {
          who: { access: 1n, pool: 'residential' },
          targeting: anywhere(),
          target: { name: null, ips: [loopback], port, loopbackSource: null, directOnly: false },
          plain,
          signal: new Cancellation(),
        },
        {
          exits,
          names,
          limits: { exitsMs, exitMs: exitsMs },
          onTry: () => undefined,
          onFailure: () => undefined,
        },
      )
      sockets.push(connection.handed.socket)
      return connection
    },
    passed() {
      const before = known
      known = relay.connections.length
      return relay.connections.slice(before)
    },
    async close() {
      exits.stop()
      for (const socket of sockets) socket.destroy()
      await relay.close()
      await upstream.close()
      if (faults.length > 0) throw new AggregateError(faults, 'faults of the exits')
    },
  }
}

/**
 * Reports through several servers of one database, which disconnect, stop answering, refuse or lose their
 * database.
 */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { connectFeed } from '#feed/client'
import { serveFeed } from '#feed/server'
import { MemoryFeed } from '#feed/testing'
import { eventually } from '#test/eventually'
import { startRelay } from '#test/relay'
import { silentLog } from '../testing/bench.ts'
import { Metering } from './metering.ts'

const faults = ['cut', 'silence', 'refuse', 'no database', 'unanswered', 'well'] as const
const step = fc.record({
  server: fc.nat(1),
  fault: fc.constantFrom(...faults),
  waitMs: fc.nat(60),
  bytes: fc.integer({ min: 1, max: 5000 }),
})

async function startServer(memory: MemoryFeed) {
  const sockets = new Set<Socket>()
  const tellers = new Set<() => void>()
  const state = {
    fault: null as string | null,
    subscribe: (teller: () => void) => {
      tellers.add(teller)
      return () => tellers.delete(teller)
    },
  }
  /** Without its database it fails every call with that reason, like a real server. */
  const seen = new Proxy(memory, {
    get: (target, name: keyof MemoryFeed) => {
      const value: unknown = target[name]
      if (typeof value !== 'function') return value
      const call = value as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        if (state.fault !== null) throw new Error('no database')
        return await call.apply(target, args)
      }
    },
  })
  const feed: MemoryFeed = new Proxy(seen, {
    get: (target, name: keyof MemoryFeed) =>
      name === 'subscribe' ? memory.subscribe.bind(memory) : target[name],
  })
  const isAway = (error: unknown) => error instanceof Error && error.message === 'no database'
  const listener = createServer((socket) => {
    sockets.add(socket)
    serveFeed(feed, socket, { state, isAway })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const relay = await startRelay(`tcp://127.0.0.1:${(listener.address() as AddressInfo).port}`)
  const setFault = (fault: string | null) => {
    state.fault = fault
    for (const tell of tellers) tell()
  }
  return {
    relay,
    spoil: async (fault: (typeof faults)[number]) => {
      if (fault === 'cut') relay.cut()
      else if (fault === 'silence') relay.silence()
      else if (fault === 'refuse') await relay.refuse()
      else if (fault === 'no database') setFault('no database')
      else if (fault === 'unanswered') void relay.meet('"report"', 'unanswered')
      else {
        setFault(null)
        // Connections that fell silent stay so.
        relay.cut()
        await relay.accept()
      }
    },
    close: async () => {
      await relay.close()
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}

it('every byte is settled once, whichever of the servers took the report, and all leases come back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const memory = new MemoryFeed()
      const { access } = memory.addAccount('alice1', 'secret', 1_000_000_000n)
      const servers = [await startServer(memory), await startServer(memory)]
      const directory = mkdtempSync(join(tmpdir(), 'servers-'))
      const feed = connectFeed({
        servers: 2,
        connect: async (server) => {
          const socket = connect(servers[server]?.relay.port ?? 0, '127.0.0.1')
          await once(socket, 'connect')
          return socket
        },
        callTimeoutMs: 250,
        retryMs: { first: 5, last: 20 },
        restMs: { first: 20, last: 80 },
        provingMs: 20,
        pingMs: 10,
      })
      try {
        const metering = await Metering.open({
          feed,
          gateway: 'g1',
          directory,
          keepsGoing: true,
          log: silentLog,
        })
        await metering.announce(() => false)
        metering.start(() => ({ exits: [], accounts: [], addresses: [], slots: [], places: [] }))
        const lease = metering.hold(access)
        let spent = 0
        for (const { server, fault, waitMs, bytes } of steps) {
          await servers[server]?.spoil(fault)
          await sleep(waitMs)
          const covered = lease.reserve(bytes, 1)
          lease.settle(covered)
          spent += covered
          void lease.more(1)
        }
        for (const server of servers) await server.spoil('well')
        expect(await lease.more(1000)).toBe(true)
        lease.settle(lease.reserve(1000, 1))
        spent += 1000
        lease.holders--
        await eventually(() => metering.stats().reportsWaiting === 0, 'the reports to be settled', 15_000)
        await metering.stop(() => ({ exits: [], accounts: [], addresses: [], slots: [], places: [] }))
        expect(memory.faults).toEqual([])
        expect(memory.charged.get(access)).toBe(BigInt(spent))
        expect(memory.leases.size).toBe(0)
        expect(memory.balances.get(access)).toBe(1_000_000_000n - BigInt(spent))
      } finally {
        feed.close()
        for (const server of servers) await server.close()
        rmSync(directory, { recursive: true, force: true })
      }
    }),
    { numRuns: 12 },
  )
}, 120_000)

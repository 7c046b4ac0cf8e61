/** The feed of a gateway without the database: a connection to the first usable server of FEED_URL. */
import { connectFeed, type FeedClient } from '#feed/client'
import { dialFeed, type FeedDial } from '#feed/dial'
import type { NameResolver } from '#gateway'
import { formatIp } from '#lib/ip'
import type { Log } from '#lib/log'
import { printFeedAddress } from '../settings/settings.feed.ts'

/** The maximum wait for an unreachable server on another machine. */
const farCallMs = 5_000
const farRetryMs = { first: 100, last: 2_000 }
/** A server that has been silent for four pings is lost. */
const farPingMs = 1_000
/** Attempts repeat indefinitely, and are logged only at this interval. */
const sayAgainMs = 30_000

/** Looks up a host of the operator's, ahead of the names of customers. */
async function addressesOf(names: NameResolver, host: string): Promise<string[]> {
  const { addresses } = await names.resolve(host, { account: null })
  return addresses.map(formatIp)
}

/** Connects to the first usable one of these servers, and to another one when it fails. */
export function connectFarFeed(feeds: readonly FeedDial[], names: NameResolver, log: Log): FeedClient {
  const nameOf = (server: number) => {
    const address = feeds[server]?.address
    return address === undefined ? undefined : printFeedAddress(address)
  }
  const quietUntil = feeds.map(() => -Infinity)
  return connectFeed({
    servers: feeds.length,
    connect: (server, patienceMs) => {
      const dial = feeds[server]
      if (dial === undefined) throw new Error('there is no such server')
      return dialFeed(dial, { resolve: (host) => addressesOf(names, host), patienceMs })
    },
    callTimeoutMs: farCallMs,
    retryMs: farRetryMs,
    pingMs: farPingMs,
    onLost: (fault, server) => {
      if (performance.now() < (quietUntil[server] ?? 0)) return
      quietUntil[server] = performance.now() + sayAgainMs
      log.warn({ reason: fault?.message, feed: nameOf(server) }, 'the server is away')
    },
    onServer: (server) => {
      if (feeds.length > 1) log.warn({ feed: nameOf(server) }, 'this server of FEED_URL serves now')
    },
    onUnknown: (what) =>
      log.info({ what }, 'a server of a later release sends what this one does not know: it is ignored'),
  })
}

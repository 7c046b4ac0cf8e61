/** A gateway worker: started by gateway.ts, told what to do over IPC, fed through the pipe made with it. */
import { Socket } from 'node:net'
import { connectFeed, type FeedClient } from '#feed/client'
import {
  CertificateFault,
  type CoordinatorMessage,
  type Gateway,
  NameResolver,
  parseAllow,
  parseDeny,
  type WorkerBus,
  startGateway,
} from '#gateway'
import { tryFolderLock } from '#lib/folder-lock'
import type { Log } from '#lib/log'
import type { FromWorker, ToWorker, WorkerOptions } from './gateway.messages.ts'
import { shopOf } from './gateway.shop.ts'
import { connectFarFeed } from './gateway/feed.connection.ts'
import { makeLog } from './log.ts'
import { printFeedAddress } from './settings/settings.feed.ts'

// What it writes is for its owner only.
process.umask(0o077)

const feedFd = 4
const statsEveryMs = 2_000
/** How long an earlier worker of the same name may take to write its last report before we read its journal. */
const predecessorMs = 20_000
/** Without its starter a worker has nobody to report to: what it wrote to the journal is all it can do. */
const orphanMs = 2_000

/** What is said when the starter has gone is heard by nobody: without the callback it would end this process too. */
const tell = (message: FromWorker) => void process.send?.(message, undefined, undefined, () => undefined)

const listeners: ((word: CoordinatorMessage) => void)[] = []
/** Messages received before the gateway has started; null afterwards. */
let early: CoordinatorMessage[] | null = []
const bus: Omit<WorkerBus, 'workers'> = {
  send: (message) => tell({ type: 'bus', message }),
  subscribe: (listener) => {
    listeners.push(listener)
    early?.forEach(listener)
  },
}

/**
 * Gives the rights of root away for good, before the first stranger is heard. The journal's folder is where this process
 * stands from then on: there may be no other way to it for the user that it becomes.
 */
function becomeUser({ user, journalDir }: WorkerOptions): string {
  if (user === null) return journalDir
  process.chdir(journalDir)
  process.setgroups?.([])
  process.setgid?.(user.gid)
  process.setuid?.(user.uid)
  return '.'
}

/** The pipe that was made with this process, or the servers that it finds by itself. */
function connectToFeed({ feeds }: WorkerOptions, names: NameResolver, log: Log): FeedClient {
  if (feeds.length > 0) return connectFarFeed(feeds, names, log)
  return connectFeed({ connect: () => new Socket({ fd: feedFd, readable: true, writable: true }) })
}

async function run(given: WorkerOptions): Promise<Gateway> {
  const log = makeLog(given.logLevel).child({ gateway: given.gateway })
  const options = { ...given, journalDir: becomeUser(given) }
  await waitForPredecessor(options)
  const names = new NameResolver()
  const feed = connectToFeed(options, names, log)
  const gateway = await startGateway({
    gateway: options.gateway,
    journalDir: options.journalDir,
    feed,
    ports: options.ports,
    host: options.host,
    bus: options.workers > 1 ? { ...bus, workers: options.workers } : null,
    probeAfterMs: options.probeAfterMs,
    forgivenBytesPerHour: options.forgivenBytesPerHour,
    reusePort: true,
    allow: options.allow.flatMap(parseAllow),
    deny: parseDeny(options.deny),
    ownServers: options.ownServers,
    ...(options.shop === null ? {} : { shop: shopOf(options.shop) }),
    names,
    certificates: options.certificates,
    keepsGoing: options.feeds.length > 0,
    log,
  })
  early = null
  const servers = options.feeds.map(({ address }) => printFeedAddress(address))
  const stats = () => ({
    ...gateway.stats(),
    feed: { servers, current: feed.server, switches: feed.switches },
  })
  const timer = setInterval(() => tell({ type: 'stats', stats: stats() }), statsEveryMs)
  timer.unref()
  return gateway
}

async function waitForPredecessor({ gateway, journalDir }: WorkerOptions): Promise<void> {
  const deadline = performance.now() + predecessorMs
  while ((await tryFolderLock(gateway, journalDir)) === undefined) {
    if (performance.now() > deadline) throw new Error(`another worker named ${gateway} does not end`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A port in use is the operator's to mend; anything else is a crash with its stack. */
function sentenceFor(error: unknown): string | null {
  if (error instanceof CertificateFault) return `${error.message} Check GATEWAY_TLS_CERT and GATEWAY_TLS_KEY.`
  const { code, syscall, port, address } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
  }
  if (syscall !== 'listen') return null
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Stop it, or set GATEWAY_PORT_BASE to a free range.`
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return `The gateway cannot listen on ${address}:${port} (${code}).`
  return null
}

let running: Promise<Gateway> | undefined
let drainMs = 0
let signals = 0
/** Not listening yet, and perhaps not for long: the server that must be heard first is on another machine. */
let isWaiting = false

process.on('message', (message: ToWorker) => {
  if (message.type === 'start') {
    drainMs = message.options.drainMs
    isWaiting = message.options.feeds.length > 0
    running = run(message.options)
    running.then(
      () => {
        isWaiting = false
        tell({ type: 'listening' })
      },
      (error: unknown) => {
        const sentence = sentenceFor(error)
        if (sentence === null) throw error
        tell({ type: 'refused', sentence })
        if (process.connected) process.disconnect()
      },
    )
  } else if (message.type === 'bus') {
    early?.push(message.message)
    for (const listener of listeners) listener(message.message)
  } else {
    void end(message.graceMs)
  }
})
// The second signal is for somebody who will not wait.
process.on('SIGTERM', () => void end(signals++ === 0 ? drainMs : 0))
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), orphanMs).unref()
  void end(0)
})

async function end(graceMs: number): Promise<void> {
  if (isWaiting) process.exit(0)
  const gateway = await running?.catch(() => undefined)
  await gateway?.stop({ graceMs })
  process.exit(0)
}

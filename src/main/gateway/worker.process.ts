/**
 * A gateway worker in its process (`process.ts`): started by gateway.ts, controlled over IPC, with its feed
 * in a pipe or over the network.
 */
import type { SendHandle } from 'node:child_process'
import { Socket } from 'node:net'
import { connectFeed, type FeedClient } from '#feed/client'
import type { Pool } from '#contract/wire'
import {
  type BoundHandle,
  CertificateFault,
  type CoordinatorMessage,
  type Gateway,
  NameResolver,
  type PassedConnection,
  parseAllow,
  parseDeny,
  type WorkerBus,
  startGateway,
} from '#gateway'
import { tryFolderLock } from '#lib/folder-lock'
import type { Log } from '#lib/log'
import type { FromWorker, ToWorker, WorkerOptions } from './messages.ts'
import { listenSentence } from './entry.ports.ts'
import { filesMeter } from './files.ts'
import { shopOf } from './shop.ts'
import { connectFarFeed } from './feed.connection.ts'
import { makeLog } from '../process/log.ts'
import { releaseMemory } from '../process/memory.ts'
import { printFeedAddress } from '../settings/settings.feed.ts'

// Its files are readable by their owner only.
process.umask(0o077)

const feedFd = 4
const statsEveryMs = 2_000
const useEveryMs = 250
/**
 * How long to wait for an earlier worker of the same name to write its last report, before its journal is
 * read.
 */
const predecessorMs = 20_000
/** A worker ends when its parent process has ended: its reports are in the journal, and cannot be sent. */
const orphanMs = 2_000

/**
 * Sends a message to the parent process. Without the callback, sending to an ended parent would be an
 * uncaught error.
 */
const tell = (message: FromWorker, connection?: PassedConnection) =>
  void process.send?.(message, connection as SendHandle, undefined, () => undefined)

const listeners: Parameters<WorkerBus['subscribe']>[0][] = []
/** Messages received before the gateway has started; null afterwards. None comes with a connection. */
let early: CoordinatorMessage[] | null = []
const bus: Omit<WorkerBus, 'workers'> = {
  passesConnections: true,
  send: (message, connection) => tell({ type: 'bus', message }, connection),
  subscribe: (listener) => {
    listeners.push(listener)
    early?.forEach((message) => listener(message))
  },
}

/**
 * Drops the rights of root permanently, before the first client is accepted. The journal's folder becomes the
 * working directory, because the new user may not be able to reach it by its path.
 */
function becomeUser({ user, journalDir }: WorkerOptions): string {
  if (user === null) return journalDir
  process.chdir(journalDir)
  process.setgroups?.([])
  process.setgid?.(user.gid)
  process.setuid?.(user.uid)
  return '.'
}

/** The feed: over the pipe to the parent process, or to the first usable server. */
function connectToFeed({ feeds }: WorkerOptions, names: NameResolver, log: Log): FeedClient {
  if (feeds.length > 0) return connectFarFeed(feeds, names, log)
  return connectFeed({ connect: () => new Socket({ fd: feedFd, readable: true, writable: true }) })
}

async function run(given: WorkerOptions): Promise<Gateway> {
  const log = makeLog(given.logLevel, { buffered: true }).child({ gateway: given.gateway })
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
    connectionLog: options.connectionLog,
    reusePort: true,
    areEntriesGiven: options.areEntriesGiven,
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
  if (options.areEntriesGiven) {
    const filesOf = filesMeter()
    const use = () => ({ busy: gateway.busy(), files: filesOf(gateway.openConnections()) })
    setInterval(() => tell({ type: 'use', use: use() }), useEveryMs).unref()
  }
  return gateway
}

async function waitForPredecessor({ gateway, journalDir }: WorkerOptions): Promise<void> {
  const deadline = performance.now() + predecessorMs
  while ((await tryFolderLock(gateway, journalDir)) === undefined) {
    if (performance.now() > deadline) throw new Error(`another worker named ${gateway} does not end`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A port in use is reported to the operator with a sentence; any other error is a crash with its stack. */
function sentenceFor(error: unknown): string | null {
  if (error instanceof CertificateFault) return `${error.message} Check GATEWAY_TLS_CERT and GATEWAY_TLS_KEY.`
  return listenSentence(error)
}

/**
 * Reports to the parent process why this one cannot serve, and ends; rethrows what the operator cannot
 * correct.
 */
function refuse(error: unknown): void {
  const sentence = sentenceFor(error)
  if (sentence === null) throw error
  tell({ type: 'refused', sentence })
  if (process.connected) process.disconnect()
}

let running: Promise<Gateway> | undefined
let drainMs = 0
let signals = 0
/** Reports that the worker does not listen yet, because it waits for a server on another machine. */
let isWaiting = false

process.on('message', (message: ToWorker, connection?: PassedConnection | BoundHandle) => {
  if (message.type === 'start') {
    drainMs = message.options.drainMs
    isWaiting = message.options.feeds.length > 0
    running = run(message.options)
    running.then(() => {
      isWaiting = false
      // While few clients can be connected yet.
      releaseMemory()
      tell({ type: 'listening' })
    }, refuse)
  } else if (message.type === 'accept') {
    void accept(message.pool, connection)
  } else if (message.type === 'accept_no_more') {
    void running?.then((gateway) => gateway.acceptNoMore())
  } else if (message.type === 'own_servers') {
    void running?.then((gateway) => gateway.setOwnServers(message.servers))
  } else if (message.type === 'bus') {
    early?.push(message.message)
    for (const listener of listeners) listener(message.message, connection)
  } else {
    void end(message.graceMs)
  }
})

/**
 * Refuses, as a start does, when the port is in use; without a socket, in a process without files left,
 * nothing happens.
 */
async function accept(pool: Pool, bound: BoundHandle | undefined): Promise<void> {
  const gateway = await running
  if (gateway === undefined || bound === undefined) return
  try {
    await gateway.accept(pool, bound)
    tell({ type: 'accepting', pool })
  } catch (error) {
    refuse(error)
  }
}

// A second signal ends the worker without waiting.
process.on('SIGTERM', () => void end(signals++ === 0 ? drainMs : 0))
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), orphanMs).unref()
  void end(0)
})

async function end(graceMs: number): Promise<void> {
  tell({ type: 'leaving' })
  if (isWaiting) process.exit(0)
  const gateway = await running?.catch(() => undefined)
  await gateway?.stop({ graceMs })
  process.exit(0)
}

/** A gateway worker: started by gateway.ts, told what to do over IPC, fed through the pipe made with it. */
import { Socket } from 'node:net'
import { connectFeed, type Gateway, parseAllow, startGateway } from '#gateway'
import { tryFolderLock } from '#lib/folder-lock'
import type { FromWorker, ToWorker, WorkerOptions } from './gateway.messages.ts'
import { makeLog } from './log.ts'

const feedFd = 4
const statsEveryMs = 2_000
/** How long an earlier worker of the same name may take to write its last report before we read its journal. */
const predecessorMs = 20_000
/** Without its starter a worker has nobody to report to: what it wrote to the journal is all it can do. */
const orphanMs = 2_000

const tell = (message: FromWorker) => void process.send?.(message)

async function run(options: WorkerOptions): Promise<Gateway> {
  await waitForPredecessor(options)
  const feed = connectFeed({
    connect: () => new Socket({ fd: feedFd, readable: true, writable: true }),
  })
  const gateway = await startGateway({
    gateway: options.gateway,
    journalDir: options.journalDir,
    feed,
    ports: options.ports,
    host: options.host,
    reusePort: true,
    allow: options.allow.flatMap(parseAllow),
    log: makeLog(options.logLevel).child({ gateway: options.gateway }),
  })
  const timer = setInterval(() => tell({ type: 'stats', stats: flat(gateway.stats()) }), statsEveryMs)
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

/** Counters as Prometheus names them. */
function flat(stats: ReturnType<Gateway['stats']>): Record<string, number> {
  const entries: [string, number][] = []
  for (const [name, value] of Object.entries(stats)) {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (typeof value === 'number') entries.push([snake, value])
    else if (typeof value === 'boolean') entries.push([snake, value ? 1 : 0])
    else
      for (const [code, count] of Object.entries(value as Record<string, number>))
        entries.push([`${snake}_${code}`, count])
  }
  return Object.fromEntries(entries)
}

/** A port in use is the operator's to mend; anything else is a crash with its stack. */
function sentenceFor(error: unknown): string | null {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Stop it, or set GATEWAY_PORT_BASE to a free range.`
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return `The gateway cannot listen on ${address}:${port} (${code}).`
  return null
}

let running: Promise<Gateway> | undefined

process.on('message', (message: ToWorker) => {
  if (message.type === 'start') {
    running = run(message.options)
    running.then(
      () => tell({ type: 'listening' }),
      (error: unknown) => {
        const sentence = sentenceFor(error)
        if (sentence === null) throw error
        tell({ type: 'refused', sentence })
        process.disconnect()
      },
    )
  } else {
    void end(message.graceMs)
  }
})
process.on('SIGTERM', () => void end(0))
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), orphanMs).unref()
  void end(0)
})

async function end(graceMs: number): Promise<void> {
  const gateway = await running?.catch(() => undefined)
  await gateway?.stop({ graceMs })
  process.exit(0)
}

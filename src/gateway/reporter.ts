/**
 * The reporter: every 50 ms what was relayed becomes a numbered report, first in the journal, then sent, in order and
 * without waiting for the answer to the one before, again and again until it is settled. A report that is refused for
 * good is put aside for the operator, so that it does not hold up those behind it.
 */

import { type Feed, type Report, type ReportLine, ReportRefused } from './feed.ts'
import { putAside, replayJournals, type Journal } from './journal.ts'
import type { Meter } from './meter.ts'

const TICK_MS = 50
const HEARTBEAT_MS = 5000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2000
/** Reports on their way at once; the server settles about as many together. */
const MOST_SENT = 256

interface Queued {
  report: Report
  /** On its way, and not answered yet. */
  sent: boolean
}

export interface ReporterOptions {
  feed: Feed
  identity: { gateway: string; boot: string }
  journal: Pick<Journal, 'append' | 'settledThrough' | 'putAside' | 'close'>
  meter: Meter
  onFault: (what: string, fault: unknown) => void
  /** A report was put aside: its bytes are charged to nobody. */
  onRefused: (report: Report, fault: ReportRefused) => void
}

export class Reporter {
  readonly #options: ReporterOptions
  #sequence = 0
  #queue: Queued[] = []
  #sent = 0
  /** A report that the disk did not take; it keeps its number, and nothing is sent before it. */
  #unwritten: Report | null = null
  #timer: NodeJS.Timeout | null = null
  #heartbeatTimer: NodeJS.Timeout | null = null
  #retryTimer: NodeJS.Timeout | null = null
  #retryMs = FIRST_RETRY_MS
  #quietSinceMs = Date.now()
  #stopped = false
  #whenSettled: (() => void)[] = []

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  /** False while the disk takes no reports: no new tunnels then, for a kill would lose what they relay. */
  get healthy(): boolean {
    return this.#unwritten === null
  }

  /** Reports not settled yet. */
  get lag(): number {
    return this.#queue.length + (this.#unwritten === null ? 0 : 1)
  }

  start(): void {
    this.#timer = setInterval(() => this.tick({ closeAll: false }), TICK_MS)
    this.#heartbeatTimer = setInterval(() => {
      // A heartbeat that fails means that the feed is away; the next one comes in 5 s.
      this.#options.feed
        .heartbeat(this.#options.identity)
        .catch((fault: unknown) => this.#fault('heartbeat', fault))
    }, HEARTBEAT_MS)
  }

  /** Makes a report of what has changed. */
  tick(how: { closeAll: boolean }): void {
    const now = Date.now()
    if (this.#unwritten === null) {
      const lines = this.#options.meter.collect(how)
      if (lines.length > 0) this.#unwritten = this.#number(lines)
      else this.#quietSinceMs = now
    }
    if (this.#unwritten === null) return
    try {
      this.#options.journal.append(this.#unwritten)
    } catch (fault) {
      // The disk is full or gone. The report stays here and is tried again with the next tick, and so on; what is
      // relayed meanwhile gathers in the purses.
      this.#fault('journal', fault)
      return
    }
    this.#queue.push({ report: this.#unwritten, sent: false })
    this.#unwritten = null
    this.#quietSinceMs = now
    this.#send()
  }

  /** Reports everything, gives all leases back, and waits until that is settled or `patienceMs` has passed. */
  async stop(options: { patienceMs: number }): Promise<void> {
    const deadline = performance.now() + options.patienceMs
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#options.meter.end()
    // A lease granted after its account's last line would stay open until the next start.
    while (this.#options.meter.asking && performance.now() < deadline) await pause(10)
    while (performance.now() < deadline) {
      this.tick({ closeAll: true })
      await this.#settledBy(deadline - performance.now())
      if (this.#unwritten === null && this.#options.meter.leases === 0) break
      await pause(TICK_MS)
    }
    this.#stopped = true
    if (this.#heartbeatTimer !== null) clearInterval(this.#heartbeatTimer)
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#options.journal.close({ settled: this.lag === 0 })
  }

  #number(lines: ReportLine[]): Report {
    const { gateway, boot } = this.#options.identity
    return { gateway, boot, sequence: ++this.#sequence, at_ms: this.#quietSinceMs, lines }
  }

  #send(): void {
    // While the feed is away new reports wait behind those that failed.
    if (this.#stopped || this.#retryTimer !== null) return
    for (const queued of this.#queue) {
      if (this.#sent >= MOST_SENT) return
      if (!queued.sent) void this.#deliver(queued)
    }
  }

  async #deliver(queued: Queued): Promise<void> {
    queued.sent = true
    this.#sent++
    try {
      await this.#settle(queued.report)
      this.#settled(queued)
    } catch (fault) {
      queued.sent = false
      this.#retryLater(fault)
    } finally {
      this.#sent--
      this.#send()
    }
  }

  /** Resolves when the report needs no more sending. */
  async #settle(report: Report): Promise<void> {
    try {
      await this.#options.feed.report(report)
    } catch (fault) {
      if (!(fault instanceof ReportRefused)) throw fault
      this.#options.journal.putAside(report, fault.message)
      this.#options.onRefused(report, fault)
    }
  }

  #settled(queued: Queued): void {
    this.#retryMs = FIRST_RETRY_MS
    this.#queue.splice(this.#queue.indexOf(queued), 1)
    this.#options.meter.settled(queued.report.lines)
    if (this.#stopped) return
    const [next] = this.#queue
    const through = (next?.report.sequence ?? this.#unwritten?.sequence ?? this.#sequence + 1) - 1
    this.#options.journal.settledThrough(through)
    if (next !== undefined) return
    const waiting = this.#whenSettled
    this.#whenSettled = []
    for (const resolve of waiting) resolve()
  }

  /** All that were on their way fail together when the feed goes: that is said, and waited for, once. */
  #retryLater(fault: unknown): void {
    if (this.#stopped || this.#retryTimer !== null) return
    this.#fault('report', fault)
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null
      this.#send()
    }, this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
  }

  #settledBy(patienceMs: number): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      this.#whenSettled.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #fault(what: string, fault: unknown): void {
    this.#options.onFault(what, fault)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Settles what earlier boots left behind, then introduces this one; tries until the feed answers or `given up`. */
export async function introduce(options: {
  feed: Feed
  identity: { gateway: string; boot: string }
  directory: string
  givenUp: () => boolean
  onFault: (what: string, fault: unknown) => void
  onRefused: (report: Report, fault: ReportRefused) => void
}): Promise<void> {
  const send = async (report: Report): Promise<void> => {
    try {
      await options.feed.report(report)
    } catch (fault) {
      if (!(fault instanceof ReportRefused)) throw fault
      putAside(options, report, fault.message)
      options.onRefused(report, fault)
    }
  }
  let waitMs = FIRST_RETRY_MS
  while (!options.givenUp()) {
    try {
      await replayJournals({
        directory: options.directory,
        identity: options.identity,
        send,
      })
      await options.feed.hello(options.identity)
      return
    } catch (fault) {
      // Nothing may be leased before the old leases are settled, so we go on trying.
      options.onFault('hello', fault)
      await pause(waitMs)
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)
    }
  }
}

/**
 * The reporter: every 50 ms what was relayed becomes a numbered report, first in the journal, then sent, in order and
 * without waiting for the answer to the one before, again and again until it is settled. A report that is refused for
 * good is put aside for the operator, so that it does not hold up those behind it.
 */

import { type Feed, FeedFailed, type Report, type ReportLine, ReportRefused } from '#feed'
import type { Journal } from './journal.ts'
import type { Meter } from './meter.ts'
import { answers, type Resumed } from './resume.ts'

const TICK_MS = 50
const HEARTBEAT_MS = 5000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2000
/** Reports on their way at once; the server settles about as many together. */
const MOST_SENT = 256

/** A report that failed so often, while as many others were settled, is not settled by trying on. */
const MOST_FAILURES = 20

interface Queued {
  report: Report
  failures: number
  /** How many reports had been settled when it failed first. */
  settledBefore: number
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
  onRefused: (report: Report, fault: Error) => void
  /** Set where a restart goes on without the server: it reads in the journal what was spent. */
  keeper?: { readonly savedThrough: number; drop: () => void } | null
  /** Where the boot was interrupted. */
  resumed?: Pick<Resumed, 'sequence' | 'reports'> | null
}

/** At a stop: whether leases can be given back, or the next start is to go on with them. */
const STOP_PATIENCE_MS = 2000

export class Reporter {
  readonly #options: ReporterOptions
  #sequence: number
  #queue: Queued[]
  /** Whether the last answer of the server did not come. */
  #isAway: boolean
  #sent = 0
  #settledCount = 0
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
    const { resumed = null } = options
    this.#isAway = resumed !== null
    this.#sequence = resumed?.sequence ?? 0
    this.#queue = (resumed?.reports ?? []).map(queued)
  }

  /** Whether the server is away, as far as is known. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** The last number that was given to a report. */
  get sequence(): number {
    return this.#sequence
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
    // What an interrupted boot had not sent waits for no new report.
    this.#send()
    this.#timer = setInterval(() => this.tick({ closeAll: false }), TICK_MS)
    this.#heartbeatTimer = setInterval(() => {
      // A heartbeat that fails means that the feed is away; the next one comes in 5 s.
      this.#options.feed.heartbeat(this.#options.identity).then(
        () => (this.#isAway = false),
        (fault: unknown) => {
          this.#isAway = true
          this.#fault('heartbeat', fault)
        },
      )
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
    this.#queue.push(queued(this.#unwritten))
    this.#unwritten = null
    this.#quietSinceMs = now
    this.#send()
  }

  /**
   * Reports everything, gives all leases back, and waits until that is settled or `patienceMs` has passed. When the
   * server is away and the next start can go on without it, it leaves reports and leases to that one.
   */
  async stop(options: { patienceMs: number }): Promise<void> {
    const { keeper, feed } = this.#options
    const keeps = (keeper ?? null) !== null && !(await answers(feed, STOP_PATIENCE_MS))
    if (keeps) this.#isAway = true
    else keeper?.drop()
    const deadline = performance.now() + options.patienceMs
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#options.meter.end()
    // A lease granted after its account's last line would stay open until the next start.
    while (!keeps && this.#options.meter.asking && performance.now() < deadline) await pause(10)
    if (keeps) this.tick({ closeAll: false })
    while (!keeps && performance.now() < deadline) {
      this.tick({ closeAll: true })
      await this.#settledBy(deadline - performance.now())
      if (this.#unwritten === null && this.#options.meter.leases === 0) break
      await pause(TICK_MS)
    }
    this.#stopped = true
    if (this.#heartbeatTimer !== null) clearInterval(this.#heartbeatTimer)
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#options.journal.close({ settled: !keeps && this.lag === 0 })
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
      await this.#settle(queued)
      this.#settled(queued)
    } catch (fault) {
      queued.sent = false
      // A lost connection says nothing about the report.
      if (fault instanceof FeedFailed) {
        if (queued.failures === 0) queued.settledBefore = this.#settledCount
        queued.failures++
      }
      this.#retryLater(fault)
    } finally {
      this.#sent--
      this.#send()
    }
  }

  /** Resolves when the report needs no more sending. */
  async #settle(queued: Queued): Promise<void> {
    const { report } = queued
    try {
      const oldest = this.#queue[0]?.report.sequence ?? report.sequence
      await this.#options.feed.report({ ...report, oldest })
    } catch (fault) {
      const isFinal =
        fault instanceof ReportRefused || (fault instanceof FeedFailed && this.#isHopeless(queued))
      if (!isFinal) throw fault
      this.#options.journal.putAside(report, fault.message)
      this.#options.onRefused(report, fault)
    }
  }

  /** The server is well, and this one alone it does not take. Those behind another may be waiting for that one only. */
  #isHopeless(queued: Queued): boolean {
    const { failures, settledBefore } = queued
    const isNext = this.#queue[0] === queued
    return isNext && failures >= MOST_FAILURES && this.#settledCount - settledBefore >= MOST_FAILURES
  }

  #settled(queued: Queued): void {
    this.#isAway = false
    this.#retryMs = FIRST_RETRY_MS
    this.#settledCount++
    this.#queue.splice(this.#queue.indexOf(queued), 1)
    this.#options.meter.settled(queued.report.lines)
    if (this.#stopped) return
    const [next] = this.#queue
    const through = (next?.report.sequence ?? this.#unwritten?.sequence ?? this.#sequence + 1) - 1
    this.#options.journal.settledThrough(Math.min(through, this.#options.keeper?.savedThrough ?? Infinity))
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

function queued(report: Report): Queued {
  return { report, sent: false, failures: 0, settledBefore: 0 }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

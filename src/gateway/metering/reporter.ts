/**
 * The reporter: every 50 ms it makes a numbered report of what was relayed and writes it to the journal. It
 * sends them in pairs, without waiting for the answers to those before, and again until they are settled. A
 * report that is refused for good becomes a dead letter, so that it does not block those behind it.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Feed,
  FeedFailed,
  type GatewayFigures,
  type Report,
  type ReportLine,
  ReportRefused,
} from '#feed'
import type { ExitAnswers } from '#feed/exit.answers'
import type { PlaceFigures } from '#feed/place.outcomes'
import { withTimeout } from '#lib/timeout'
import type { Journal } from './journal.ts'
import type { Meter } from './meter.ts'
import { serverAnswers, type Resumed } from './resume.ts'

const TICK_MS = 50
/**
 * Two reports that are sent together cost little more than one: the code is still in the processor's caches.
 */
const TICKS_PER_SENDING = 2
const HEARTBEAT_MS = 5000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2000
/** Reports under way at once; the server settles about as many together. */
const MOST_SENT = 256

/** A report that failed this often, while as many others were settled, becomes a dead letter. */
const MOST_FAILURES = 20
/**
 * For each such number of unsettled lines the pause between reports grows by a second, which bounds memory and
 * disk in an outage.
 */
const LINES_PER_SECOND_OF_REST = 100_000
const LONGEST_REST_MS = 5000

interface QueuedReport {
  report: Report
  failures: number
  /** How many reports had been settled when it failed first. */
  settledBefore: number
  /** How many had been settled when it failed last. */
  settledAtFailure: number
  /** Sent, and not answered yet. */
  isSent: boolean
}

export interface ReporterOptions {
  feed: Feed
  identity: { gateway: string; boot: string }
  journal: Pick<Journal, 'append' | 'settledThrough' | 'appendDeadLetter' | 'close'>
  meter: Meter
  onFault: (what: string, fault: unknown) => void
  /** A report became a dead letter: its bytes are not charged. */
  onRefused: (report: Report, fault: Error) => void
  /**
   * Set when a restart continues without the server: the journal then keeps the reports that the saved leases
   * do not include.
   */
  saver?: { readonly savedThrough: number; drop: () => void } | null
  /** The state of the interrupted boot that is continued. */
  resumed?: Pick<Resumed, 'sequence' | 'reports'> | null
}

/** The figures in heartbeats besides those of leases and reports. */
export interface Told {
  /** Open tunnels and requests. */
  tunnels?: () => number
  /** How exits answered: taken for a heartbeat, and given back when it fails. */
  answers?: { take: () => ExitAnswers[]; giveBack: (taken: readonly ExitAnswers[]) => void }
  /** How connections to countries ended, in the same way. */
  places?: { take: () => PlaceFigures | null; giveBack: (taken: PlaceFigures) => void }
}

/** At a stop: how long the server may take to answer before its absence is assumed. */
const STOP_PATIENCE_MS = 2000

export class Reporter {
  readonly #options: ReporterOptions
  #sequence: number
  #queue: QueuedReport[]
  #isAway: boolean
  /** Lines of reports that are not settled yet. */
  #waitingLines = 0
  /** No report is made before this time, on the clock of `performance.now()`. */
  #restsUntil = -Infinity
  #sentCount = 0
  #settledCount = 0
  /** The server has settled every report up to this number. */
  #acknowledged = 0
  /**
   * False once a report has become a dead letter, and in a resumed boot: `#acknowledged` stays as it is then.
   */
  #isUnbroken: boolean
  /**
   * A report that could not be written to the journal: it keeps its number, and nothing is sent before it.
   */
  #unwritten: Report | null = null
  #timer: NodeJS.Timeout | null = null
  #heartbeatTimer: NodeJS.Timeout | null = null
  #retryTimer: NodeJS.Timeout | null = null
  #retryMs = FIRST_RETRY_MS
  #quietSinceMs = Date.now()
  /** Payload bytes of the reports since the last heartbeat. */
  #relayedBytes = 0
  #figuresAt = performance.now()
  #isStopped = false
  #whenSettled: (() => void)[] = []

  constructor(options: ReporterOptions) {
    this.#options = options
    const { resumed = null } = options
    this.#isAway = resumed !== null
    this.#isUnbroken = resumed === null
    this.#sequence = resumed?.sequence ?? 0
    this.#queue = (resumed?.reports ?? []).map(queued)
    for (const { report } of this.#queue) this.#waitingLines += report.lines.length
  }

  /** Whether the server is assumed to be unavailable, because the last call was not answered. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** The number of the last report. */
  get sequence(): number {
    return this.#sequence
  }

  /**
   * False while the journal cannot be written: no new tunnels then, because a kill would lose what they
   * relay.
   */
  get healthy(): boolean {
    return this.#unwritten === null
  }

  /** Reports that are not settled yet. */
  get lag(): number {
    return this.#queue.length + (this.#unwritten === null ? 0 : 1)
  }

  /** `told` gives the figures in heartbeats besides those of leases and reports. */
  start(told: Told = {}): void {
    // Unsent reports of an interrupted boot do not wait for a new one.
    this.#send()
    let ticks = 0
    this.#timer = setInterval(() => {
      this.#write({ closeAll: false })
      if (++ticks % TICKS_PER_SENDING === 0) this.#send()
    }, TICK_MS)
    this.#heartbeatTimer = setInterval(() => {
      const { feed, identity } = this.#options
      const live = this.#figures(told.tunnels?.() ?? 0)
      const exits = told.answers?.take() ?? []
      if (exits.length > 0) live.exits = exits
      const places = told.places?.take() ?? null
      if (places !== null) live.places = places
      const { peaks } = this.#options.meter
      const open = peaks.take()
      if (open.length > 0) live.open = open
      feed.heartbeat({ ...identity, acknowledged: this.#acknowledged, live }).then(
        () => (this.#isAway = false),
        (error: unknown) => {
          told.answers?.giveBack(exits)
          if (places !== null) told.places?.giveBack(places)
          peaks.giveBack(open)
          this.#isAway = true
          this.#options.onFault('heartbeat', error)
        },
      )
    }, HEARTBEAT_MS)
  }

  /** Makes a report of the changes, and sends the waiting reports. */
  tick(how: { closeAll: boolean }): void {
    this.#write(how)
    this.#send()
  }

  #write(how: { closeAll: boolean }): void {
    const now = Date.now()
    if (this.#unwritten === null && (how.closeAll || performance.now() >= this.#restsUntil)) {
      const lines = this.#options.meter.collect(how)
      for (const line of lines) this.#relayedBytes += Number(line.relayed_bytes ?? 0n)
      if (lines.length > 0) this.#unwritten = this.#number(lines)
      else this.#quietSinceMs = now
    }
    if (this.#unwritten === null) return
    try {
      this.#options.journal.append(this.#unwritten)
    } catch (error) {
      // The disk is full or gone: the next tick tries again, and the leases collect what is relayed
      // meanwhile.
      this.#options.onFault('journal', error)
      return
    }
    this.#queue.push(queued(this.#unwritten))
    this.#waitingLines += this.#unwritten.lines.length
    const rest = Math.floor(this.#waitingLines / LINES_PER_SECOND_OF_REST) * 1000
    if (rest > 0) this.#restsUntil = performance.now() + Math.min(rest, LONGEST_REST_MS)
    this.#unwritten = null
    this.#quietSinceMs = now
  }

  /**
   * Reports everything, gives all leases back, and waits until that is settled or `patienceMs` have passed.
   * Where the server is unreachable and the next start can resume from disk, reports and leases are left to
   * that start.
   */
  async stop(options: { patienceMs: number }): Promise<void> {
    const { saver = null, feed } = this.#options
    const keeps = saver !== null && !(await serverAnswers(feed, STOP_PATIENCE_MS))
    if (keeps) this.#isAway = true
    else saver?.drop()
    const deadline = performance.now() + options.patienceMs
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#options.meter.end()
    // A lease granted after its account's last line would stay open until the next start.
    while (!keeps && this.#options.meter.asking && performance.now() < deadline) await sleep(10)
    if (keeps) this.tick({ closeAll: false })
    while (!keeps && performance.now() < deadline) {
      this.tick({ closeAll: true })
      await this.#settledWithin(deadline - performance.now())
      if (this.#unwritten === null && this.#options.meter.leases === 0) break
      await sleep(TICK_MS)
    }
    this.#isStopped = true
    if (this.#heartbeatTimer !== null) clearInterval(this.#heartbeatTimer)
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#options.journal.close({ settled: !keeps && this.lag === 0 })
  }

  #figures(tunnels: number): GatewayFigures {
    const now = performance.now()
    const seconds = Math.max(0.001, (now - this.#figuresAt) / 1000)
    const bits_per_second = Math.round((this.#relayedBytes * 8) / seconds)
    this.#relayedBytes = 0
    this.#figuresAt = now
    const { leases, heldBytes: leased_bytes } = this.#options.meter
    return { tunnels, bits_per_second, leases, leased_bytes, reports_waiting: this.lag }
  }

  #number(lines: ReportLine[]): Report {
    const { gateway, boot } = this.#options.identity
    return { gateway, boot, sequence: ++this.#sequence, at_ms: this.#quietSinceMs, lines }
  }

  #send(): void {
    // While the server is away new reports wait behind those that failed.
    if (this.#isStopped || this.#retryTimer !== null) return
    for (const queued of this.#queue) {
      if (this.#sentCount >= MOST_SENT) return
      if (!queued.isSent) void this.#deliver(queued)
    }
  }

  async #deliver(queued: QueuedReport): Promise<void> {
    queued.isSent = true
    this.#sentCount++
    try {
      await this.#settle(queued)
      this.#settled(queued)
    } catch (error) {
      queued.isSent = false
      // Only an answer says something about the report; a lost connection does not.
      if (error instanceof FeedFailed) this.#failed(queued)
      this.#retryLater(error)
    } finally {
      this.#sentCount--
      this.#send()
    }
  }

  /**
   * While the server settles nothing, as when its database is away, a failure says nothing about the report.
   */
  #failed(queued: QueuedReport): void {
    if (queued.failures > 0 && queued.settledAtFailure === this.#settledCount) return
    if (queued.failures === 0) queued.settledBefore = this.#settledCount
    queued.settledAtFailure = this.#settledCount
    queued.failures++
  }

  /** Resolves when the report need not be sent again. */
  async #settle(queued: QueuedReport): Promise<void> {
    const { report } = queued
    try {
      const oldest = this.#queue[0]?.report.sequence ?? report.sequence
      await this.#options.feed.report({ ...report, oldest })
    } catch (error) {
      const isFinal =
        error instanceof ReportRefused || (error instanceof FeedFailed && this.#isHopeless(queued))
      if (!isFinal) throw error
      this.#isUnbroken = false
      this.#options.journal.appendDeadLetter(report, error.message)
      this.#options.onRefused(report, error)
    }
  }

  /**
   * Whether the server settles other reports but not this one. Only the first report of the queue is judged:
   * those behind it may fail only because they wait for it.
   */
  #isHopeless(queued: QueuedReport): boolean {
    const { failures, settledBefore } = queued
    const isNext = this.#queue[0] === queued
    return isNext && failures >= MOST_FAILURES && this.#settledCount - settledBefore >= MOST_FAILURES
  }

  #settled(queued: QueuedReport): void {
    this.#isAway = false
    this.#retryMs = FIRST_RETRY_MS
    this.#settledCount++
    this.#queue.splice(this.#queue.indexOf(queued), 1)
    this.#waitingLines -= queued.report.lines.length
    this.#options.meter.settled(queued.report.lines)
    if (this.#isStopped) return
    const [next] = this.#queue
    const through = (next?.report.sequence ?? this.#unwritten?.sequence ?? this.#sequence + 1) - 1
    if (this.#isUnbroken) this.#acknowledged = through
    this.#options.journal.settledThrough(Math.min(through, this.#options.saver?.savedThrough ?? Infinity))
    if (next !== undefined) return
    const waiting = this.#whenSettled
    this.#whenSettled = []
    for (const resolve of waiting) resolve()
  }

  /**
   * All reports under way fail together when the connection is lost: that is reported, and waited for, once.
   */
  #retryLater(error: unknown): void {
    if (this.#isStopped || this.#retryTimer !== null) return
    this.#options.onFault('report', error)
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null
      this.#send()
    }, this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
  }

  async #settledWithin(ms: number): Promise<void> {
    if (this.#queue.length === 0) return
    const settled = new Promise<void>((resolve) => this.#whenSettled.push(resolve))
    await withTimeout(settled, ms, () => undefined)
  }
}

function queued(report: Report): QueuedReport {
  return { report, isSent: false, failures: 0, settledBefore: 0, settledAtFailure: 0 }
}

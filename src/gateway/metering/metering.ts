/**
 * Metering in this process: leases, the journal, reports, and the state for a start without the server.
 * Nothing is relayed that no lease covers, and nothing relayed is charged twice.
 */

import { randomBytes } from 'node:crypto'
import type { Feed } from '#feed'
import type { Log } from '#lib/log'
import { Journal } from './journal.ts'
import { Meter } from './meter.ts'
import { OfflineSaver, type SaverSources } from './offline.saver.ts'
import { type KnownData, OfflineState } from './offline.state.ts'
import { announceBoot } from './journal.replay.ts'
import { Reporter, type ReporterOptions, type Told } from './reporter.ts'
import { resume, type Resumed, serverAnswers } from './resume.ts'
import type { HeldLease } from './user.lease.ts'

export type { HeldLease } from './user.lease.ts'
export type { KnownData } from './offline.state.ts'

const REPORT_PATIENCE_MS = 5000

export interface MeteringOptions {
  feed: Feed
  /** Stable name of this worker. */
  gateway: string
  /** Where journals, dead letters and the offline state are. */
  directory: string
  /** Whether it continues without the server, also after a restart. */
  keepsGoing: boolean
  /** See `GatewayOptions.idleLeaseMs`. */
  idleLeaseMs?: number | undefined
  log: Log
}

export class Metering {
  readonly boot: string
  /** Reports that became dead letters. */
  deadLetters = 0
  readonly #options: MeteringOptions
  readonly #state: OfflineState
  readonly #resumed: Resumed | null
  readonly #meter: Meter
  readonly #reporter: Reporter
  /** Null: a restart waits for the server. */
  readonly #saver: OfflineSaver | null
  readonly #onRefused: ReporterOptions['onRefused'] = ({ boot, sequence }, error) => {
    const { gateway, log } = this.#options
    this.deadLetters++
    log.error(
      { err: error, gateway, boot, sequence },
      'a report that is not settled was put aside: see turnpike reports',
    )
  }

  /** Continues the last boot when the server is unavailable and `keepsGoing` is set. */
  static async open(options: MeteringOptions): Promise<Metering> {
    const { feed, gateway, directory, keepsGoing } = options
    const state = new OfflineState({ directory, gateway })
    const resumed = keepsGoing ? await resume({ feed, gateway, directory, state }) : null
    return new Metering(options, state, resumed)
  }

  private constructor(options: MeteringOptions, state: OfflineState, resumed: Resumed | null) {
    const { feed, directory, keepsGoing, idleLeaseMs } = options
    this.#options = options
    this.#state = state
    this.#resumed = resumed
    this.boot = resumed?.boot ?? `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
    const { boot, identity } = this
    const onFault = this.#onFault
    this.#meter = new Meter({
      feed,
      identity,
      onFault: (error) => onFault('lease', error),
      isAway: () => this.#reporter.isAway,
      idleCloseMs: idleLeaseMs,
      kept: resumed?.leases ?? [],
    })
    const savedThrough = resumed?.savedThrough ?? null
    this.#saver = keepsGoing
      ? new OfflineSaver({ state, boot, savedThrough, onFault: (error) => onFault('snapshot', error) })
      : null
    this.#reporter = new Reporter({
      feed,
      identity,
      journal: new Journal({ directory, identity, onFault: (error) => onFault('journal sync', error) }),
      meter: this.#meter,
      onFault,
      onRefused: this.#onRefused,
      saver: this.#saver,
      resumed,
    })
  }

  get identity(): { gateway: string; boot: string } {
    return { gateway: this.#options.gateway, boot: this.boot }
  }

  /** The saved data of the last boot, when this one continues it; else null. */
  get resumedData(): KnownData | null {
    return this.#resumed?.known ?? null
  }

  /** False while the journal cannot be written: no tunnel may be opened then. */
  get healthy(): boolean {
    return this.#reporter.healthy
  }

  /** Whether the server is unavailable, and this gateway continues without it. */
  get isOffline(): boolean {
    return this.#saver !== null && this.#reporter.isAway
  }

  /** The account's lease; the caller decrements `holders` when it is done. */
  hold(access: bigint): HeldLease {
    return this.#meter.hold(access)
  }

  recall(access: bigint): void {
    this.#meter.recall(access)
  }

  /** How many tunnels and requests hold the account's lease. */
  holders(access: bigint): number {
    return this.#meter.holders(access)
  }

  /**
   * Settles what earlier boots left and announces this one; resolves when the server has answered, or when
   * given up.
   */
  announce(isGivenUp: () => boolean): Promise<void> {
    // First, because no later start may continue with older leases once the server knows of this boot.
    if (this.#resumed === null) this.#state.dropLeases()
    const { feed, directory } = this.#options
    const { identity } = this
    const [onFault, onRefused] = [this.#onFault, this.#onRefused]
    return announceBoot({ feed, identity, directory, isGivenUp, onFault, onRefused })
  }

  /** `known` gives the data for a start without the server, `told` the figures in heartbeats. */
  start(known: () => KnownData, told: Told = {}): void {
    this.#reporter.start(told)
    this.#saver?.start(this.#sources(known))
  }

  /**
   * The gateway stops, and few new tunnels are expected: leases without holders are given back at once. When
   * the next start may continue without the server, the server must answer first; otherwise the leases are
   * left to that start.
   */
  async drain(): Promise<void> {
    this.#meter.isDraining = this.#saver === null || (await serverAnswers(this.#options.feed))
  }

  /** Reports everything and gives all leases back, as far as the server answers in time. */
  async stop(known: () => KnownData): Promise<void> {
    await this.#reporter.stop({ patienceMs: REPORT_PATIENCE_MS })
    this.#saver?.stop(this.#sources(known))
  }

  stats() {
    return {
      leasesOpen: this.#meter.leases,
      leasedBytes: this.#meter.heldBytes,
      reportsWaiting: this.#reporter.lag,
      reportsRefused: this.deadLetters,
      journalHealthy: this.#reporter.healthy,
    }
  }

  #sources(known: () => KnownData): SaverSources {
    return { leases: () => this.#meter.kept(), reporter: this.#reporter, known }
  }

  readonly #onFault = (what: string, error: unknown) =>
    this.#options.log.warn({ err: error, gateway: this.#options.gateway }, `${what} failed`)
}

/**
 * A gateway without sockets: the real leases, reporter and journal, over an unreliable link. It is killed and
 * restarted with a new boot and the journals of the old ones; its disk is full at times.
 */
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed, Report } from '#feed'
import { askTogether } from '#feed/together'
import { isReservedUserId, payerOf } from '#feed/user.ids'
import { Journal } from '../../src/gateway/metering/journal.ts'
import { Meter } from '../../src/gateway/metering/meter.ts'
import type { HeldLease } from '../../src/gateway/metering/user.lease.ts'
import { announceBoot } from '../../src/gateway/metering/journal.replay.ts'
import { Reporter } from '../../src/gateway/metering/reporter.ts'
import type { Dice } from './dice.ts'
import { linkTo, type Link } from './link.ts'
import { add } from './model.ts'
import type { World } from './world.ts'

/** Real milliseconds of waiting for a lease before a later retry. */
const patienceMs = 40
/** Real milliseconds after which a gateway that cannot settle its journals is considered broken. */
const enoughMs = 180_000

interface Life {
  boot: string
  link: Link
  meter: Meter
  reporter: Reporter
  leases: Map<bigint, HeldLease>
  /** Bytes passed to the kernel in this boot, by access. */
  sent: Map<bigint, bigint>
  written: Map<bigint, bigint>
  unsubscribe: () => void
  isKilled: boolean
}

/** The dependencies of a gateway. */
export type GatewayWorld = Pick<World, 'dice' | 'model' | 'monotonicMs'>

export class SimulatedGateway {
  readonly name: string
  readonly #world: GatewayWorld
  readonly #feed: Feed
  readonly #dice: Dice
  readonly #directory: string
  #boots = 0
  #life: Life | null = null
  #last: Link | null = null
  lossPercent = 0
  isDiskFull = false

  constructor(name: string, world: GatewayWorld, feed: Feed) {
    this.name = name
    this.#world = world
    this.#feed = feed
    this.#dice = world.dice.of(name)
    this.#directory = mkdtempSync(path.join(tmpdir(), 'turnpike-simulated-gateway-'))
  }

  get isUp(): boolean {
    return this.#life !== null
  }

  /** Begins a new boot: settles the earlier ones' journals, then works. */
  async start(): Promise<void> {
    // Messages of the killed boot have arrived by now, so that its last lease is among the returned ones.
    await this.#last?.quiet()
    const boot = `b${++this.#boots}`
    const identity = { gateway: this.name, boot }
    const { model } = this.#world
    const link = linkTo(this.#feed, this.#dice, this.lossPercent)
    const onFault = (what: string) => model.count(`gateway: ${what} failed`)
    const onRefused = (_report: Report, fault: Error) =>
      void model.surprises.push(`a report of ${this.name} was refused for good: ${fault.message}`)
    const deadline = performance.now() + enoughMs
    await announceBoot({
      feed: link.feed,
      identity,
      directory: this.#directory,
      isGivenUp: () => performance.now() > deadline,
      onFault,
      onRefused,
    })
    if (performance.now() > deadline) model.surprises.push(`${this.name} never came to begin its work`)
    const now = () => this.#world.monotonicMs
    const meter = new Meter({ feed: askTogether(link.feed), identity, now, onFault: () => onFault('lease') })
    const sent = new Map<bigint, bigint>()
    const written = new Map<bigint, bigint>()
    const life: Life = {
      boot,
      link,
      meter,
      reporter: new Reporter({
        feed: link.feed,
        identity,
        journal: this.#journal(identity, written),
        meter,
        onFault,
        onRefused,
      }),
      leases: new Map(),
      sent,
      written,
      unsubscribe: link.feed.subscribe((event) => {
        if (event.type === 'lease_recalled') meter.recall(event.access)
      }),
      isKilled: false,
    }
    this.#life = life
    this.#last = link
  }

  #journal(identity: { gateway: string; boot: string }, written: Map<bigint, bigint>) {
    const { model } = this.#world
    const journal = new Journal({
      directory: this.#directory,
      identity,
      onFault: (fault) => void model.surprises.push(`the journal failed: ${String(fault)}`),
    })
    const append = (report: Report) => {
      if (this.isDiskFull) throw Object.assign(new Error('no space left on the device'), { code: 'ENOSPC' })
      journal.append(report)
      model.count('reports')
      for (const { access, charged_bytes: bytes, requests } of report.lines) {
        model.journal(access, bytes, requests)
        add(written, access, bytes)
      }
    }
    return {
      append,
      settledThrough: (sequence: number) => journal.settledThrough(sequence),
      appendDeadLetter: (report: Report, reason: string) => journal.appendDeadLetter(report, reason),
      // A killed process removes nothing.
      close: (how: { settled: boolean }) =>
        journal.close({ settled: how.settled && this.#life?.isKilled === false }),
    }
  }

  /** Relays bytes for an account or a proxy user, within its lease. */
  async spend(accessId: bigint, payloadBytes: number, multiplier: number): Promise<void> {
    const life = this.#life
    // With a full disk there are no reports and no new tunnels.
    if (life === null || !life.reporter.healthy) return
    const lease = life.leases.get(accessId) ?? life.meter.hold(accessId)
    life.leases.set(accessId, lease)
    let covered = lease.reserve(payloadBytes, multiplier)
    if (covered === 0) {
      const more = lease.more(Math.min(payloadBytes, 65_536) * multiplier)
      await Promise.race([more, sleep(patienceMs)])
      if (life.isKilled) return
      covered = lease.reserve(payloadBytes, multiplier)
    }
    if (covered === 0) return
    lease.countRequest()
    const isSent = this.#dice.percent(95)
    if (!isSent) return lease.release(covered * multiplier)
    lease.settle(covered * multiplier)
    // What a proxy user without a reserve relays is counted for it, and charged to its access.
    const charged = isReservedUserId(accessId) ? [accessId] : [accessId, payerOf(accessId)]
    for (const id of new Set(charged)) add(life.sent, id, BigInt(covered * multiplier))
    this.#world.model.count('spendings')
    this.#world.model.count('bytes', covered * multiplier)
  }

  tick(): void {
    this.#life?.reporter.tick({ closeAll: false })
  }

  /** kill -9: only the journal remains. */
  kill(): void {
    const life = this.#life
    if (life === null) return
    life.isKilled = true
    life.link.cut()
    life.unsubscribe()
    void life.reporter.stop({ patienceMs: 0 })
    this.#world.model.count('gateways killed')
    this.#account(life, 'forgotten')
    if (this.#dice.percent(30)) this.#tear()
    this.#life = null
  }

  /** From now on the link loses no message. */
  calm(): void {
    this.lossPercent = 0
    this.#life?.link.calm()
  }

  /** A clean stop: everything is reported, every lease returned. */
  async stop(): Promise<void> {
    const life = this.#life
    if (life === null) return
    life.link.calm()
    await life.reporter.stop({ patienceMs: 20_000 })
    life.unsubscribe()
    this.#account(life, 'all written')
    this.#life = null
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** Compares the bytes sent in a boot with the recorded ones. */
  #account({ sent, written }: Life, how: 'forgotten' | 'all written'): void {
    const { model } = this.#world
    for (const accessId of new Set([...sent.keys(), ...written.keys()])) {
      const missing = (sent.get(accessId) ?? 0n) - (written.get(accessId) ?? 0n)
      add(model.sent, accessId, sent.get(accessId) ?? 0n)
      if (how === 'forgotten') add(model.forgotten, accessId, missing)
      else if (missing !== 0n)
        model.surprises.push(
          `${this.name} ended with ${missing} B of access ${accessId} sent and not written down`,
        )
    }
  }

  /** The kill happened in the middle of a line. */
  #tear(): void {
    const last = readdirSync(this.#directory)
      .filter((file) => file.endsWith('.journal'))
      .toSorted()
      .at(-1)
    if (last !== undefined) appendFileSync(path.join(this.#directory, last), '0badc0de {"gateway":"x","lin')
  }
}

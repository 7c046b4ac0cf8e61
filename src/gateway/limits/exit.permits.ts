/**
 * The limits of exits on their connections, kept by all workers of this machine together: a worker whose
 * permits are used up requests more, and returns idle ones. Exits without a limit cost no message.
 */

import type { FeedExit } from '#feed'
import { withTimeout } from '#lib/timeout'
import { PermitPool } from './permit.pool.ts'
import type { CoordinatorMessage, WorkerBus } from './worker.bus.ts'

const IDLE_MS = 100
/** The coordinator may be busy; no answer within this time is a refusal. */
const PATIENCE_MS = 1000

export class ExitPermits {
  readonly #bus: Pick<WorkerBus, 'send'>
  readonly #permits: PermitPool
  readonly #pending = new Map<number, (granted: number) => void>()
  #lastRequest = 0

  /** `open`: how many connections of an exit are open on this worker. */
  constructor(bus: WorkerBus, open: (exit: bigint) => number) {
    this.#bus = bus
    this.#permits = new PermitPool({
      open,
      request: (exit, need) => this.#request(exit, need),
      idleMs: IDLE_MS,
      // Until the next report the coordinator counts at least as many for this worker as it uses, never
      // fewer.
      onFault: () => undefined,
    })
    bus.subscribe((message) => this.#receive(message))
  }

  /**
   * Reserves a permit for one more connection; null when the limit leaves none. The caller calls the returned
   * function when the connection is counted, or when it is certain that it will not be.
   */
  async take({ id }: Pick<FeedExit, 'id'>, most: number): Promise<(() => void) | null> {
    const counted = this.#permits.enter(id, most)
    if (await this.#permits.covers(id).catch(() => false)) return counted
    counted()
    return null
  }

  /** A connection was closed. */
  left(id: bigint): void {
    this.#permits.left(id)
  }

  #receive(message: CoordinatorMessage): void {
    if (message.kind === 'exit_permits_granted') {
      this.#pending.get(message.request)?.(message.granted)
      this.#pending.delete(message.request)
    } else if (message.kind === 'exit_permits_recalled') {
      this.#permits.recalled(BigInt(message.exit))
    }
  }

  #request(exit: bigint, need: { most: number; want: number }): Promise<number> {
    const request = ++this.#lastRequest
    const granted = new Promise<number>((resolve) => this.#pending.set(request, resolve))
    this.#bus.send({ kind: 'exit_permits', request, exit: exit.toString(), ...need })
    return withTimeout(granted, PATIENCE_MS, () => {
      this.#pending.delete(request)
      throw new Error('the coordinator did not answer')
    })
  }
}

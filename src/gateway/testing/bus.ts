/** Workers that share limits, without processes. */

import type { WorkerCoordinator } from '../limits/coordinator.ts'
import type { WorkerBus } from '../limits/worker.bus.ts'

export interface TestBus extends WorkerBus {
  leave: () => void
  /** How many messages the worker has sent. */
  said: () => number
}

/**
 * Joins one worker of `workers`; its messages take a turn of the event loop in either direction, as over a
 * pipe.
 */
export function join(coordinator: WorkerCoordinator, workers = 2): TestBus {
  const listeners: Parameters<WorkerBus['subscribe']>[0][] = []
  let sent = 0
  const member = coordinator.join((message, connection) => {
    setImmediate(() => {
      for (const listener of listeners) listener(message, connection)
    })
  })
  return {
    workers,
    // Two workers of one process would have one descriptor.
    passesConnections: false,
    send: (message, connection) => {
      sent++
      setImmediate(() => member.receive(message, connection))
    },
    subscribe: (listener) => void listeners.push(listener),
    leave: () => member.leave(),
    said: () => sent,
  }
}

/** Workers that share limits, without processes. */

import type { WorkerCoordinator } from '../limits/coordinator.ts'
import type { CoordinatorMessage, WorkerBus } from '../limits/worker.bus.ts'

export interface TestBus extends WorkerBus {
  leave: () => void
  /** How many messages the worker has sent. */
  said: () => number
}

/** Joins one worker of `workers`; its messages take a turn of the event loop in either direction, as over a pipe. */
export function join(coordinator: WorkerCoordinator, workers = 2): TestBus {
  const listeners: ((message: CoordinatorMessage) => void)[] = []
  let sent = 0
  const member = coordinator.join((message) => {
    setImmediate(() => {
      for (const listener of listeners) listener(message)
    })
  })
  return {
    workers,
    send: (message) => {
      sent++
      setImmediate(() => member.receive(message))
    },
    subscribe: (listener) => void listeners.push(listener),
    leave: () => member.leave(),
    said: () => sent,
  }
}

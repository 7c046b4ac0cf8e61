/** Work at several processors at once, one of which may not answer. */
import { ProcessorFault } from './ask.ts'

export interface AskingOptions<Item> {
  /** Receives, for the log, the faults of processors. */
  noteFault: (method: string, fault: Error) => void
  /** Records the fault that ended the work on an item. */
  onFault?: (item: Item, fault: ProcessorFault) => Promise<void>
  /** Items of one processor at the same time; absent: one. */
  atOnce?: number
  /** No work begins after this time of `performance.now()`. */
  endsAt?: number
}

/** After this many consecutive faults of a processor its other items are left. */
const patience = 3

/**
 * Calls `ask` with each item, those of one processor in their order, and the processors beside each other: one
 * that does not answer delays its own items only, and after three faults no longer. Returns the items that were
 * left. An error other than a ProcessorFault ends the work of that processor, and is thrown after the others
 * have ended.
 */
export async function askProcessors<Item extends { method: string }>(
  items: readonly Item[],
  ask: (item: Item) => Promise<unknown>,
  options: AskingOptions<Item>,
): Promise<Item[]> {
  const queues = [...Map.groupBy(items, ({ method }) => method).values()]
  await allEnded(queues.map((queue) => askInOrder(queue, ask, options)))
  return queues.flat()
}

/** Takes what it asks for from the queue. */
async function askInOrder<Item extends { method: string }>(
  queue: Item[],
  ask: (item: Item) => Promise<unknown>,
  { noteFault, onFault, atOnce = 1, endsAt = Number.POSITIVE_INFINITY }: AskingOptions<Item>,
): Promise<void> {
  let faults = 0
  const lane = async () => {
    while (faults < patience && performance.now() < endsAt) {
      const item = queue.shift()
      if (item === undefined) return
      try {
        await ask(item)
        faults = 0
      } catch (error) {
        if (!(error instanceof ProcessorFault)) throw error
        if (!error.isOfRequest) faults++
        noteFault(item.method, error)
        await onFault?.(item, error)
      }
    }
  }
  await allEnded(Array.from({ length: atOnce }, lane))
}

/** Waits for all of them, and then throws the first error. */
async function allEnded(works: Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(works)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/**
 * Deadlines in large numbers: nearly every wait for a peer ends before its deadline, so setting and clearing
 * one must cost next to nothing. They expire up to 50 ms late. They do not keep a process alive: what is
 * waited for does.
 */

import { performance } from 'node:perf_hooks'
import { SwapList, type SwapListItem } from '#lib/swap-list'

/** An object with one deadline at a time. */
export interface Expiring extends SwapListItem {
  expired(): void
}

const TICK_MS = 50

/** The deadlines that expire at the same tick. */
export type DeadlineTick = SwapList<Expiring>

const ticks = new Map<number, DeadlineTick>()
let timer: NodeJS.Timeout | null = null
let lastTick = 0

/** The tick of the last deadline that was set: most deadlines are as long as the one before. */
let latest: { number: number; tick: DeadlineTick } | null = null

const currentTick = () => Math.floor(performance.now() / TICK_MS)

/** Calls `expired` after `ms`, unless it is cleared before; returns the argument of `clearDeadline`. */
export function setDeadline(item: Expiring, ms: number): DeadlineTick {
  if (timer === null) {
    lastTick = currentTick()
    timer = setInterval(expireDue, TICK_MS).unref()
  }
  const number = Math.max(lastTick + 1, Math.ceil((performance.now() + ms) / TICK_MS))
  if (latest?.number !== number) {
    const tick: DeadlineTick = ticks.get(number) ?? new SwapList()
    ticks.set(number, tick)
    latest = { number, tick }
  }
  latest.tick.add(item)
  return latest.tick
}

export function clearDeadline(item: Expiring, tick: DeadlineTick): void {
  tick.remove(item)
}

function expireDue(): void {
  const now = currentTick()
  while (lastTick < now) {
    lastTick++
    const due = ticks.get(lastTick)
    for (let item = due?.last; item !== undefined; item = due?.last) {
      due?.remove(item)
      item.expired()
    }
    ticks.delete(lastTick)
  }
  if (ticks.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}

/**
 * Deadlines by the thousand: who waits for a peer nearly always hears from it, so setting and dropping a deadline must
 * cost next to nothing. They strike up to 50 ms late.
 */

import { performance } from 'node:perf_hooks'
import { type Member, Roster } from './swap.list.ts'

/** Waits for one thing at a time. */
export interface Waiting extends Member {
  late(): void
}

const TICK_MS = 50

/** Who is waiting, by the tick at which they are late. */
const ticks = new Map<number, Roster<Waiting>>()
let timer: NodeJS.Timeout | null = null
let lastTick = 0

const tickNow = () => Math.floor(performance.now() / TICK_MS)

/** Those who are late at the same tick. */
export type Due = Roster<Waiting>

/** What the last one got who waited: most wait as long as the one before. */
let latest: { tick: number; due: Due } | null = null

/** `late` is called in so many milliseconds unless it is dropped before; gives what `drop` needs. */
export function expect(waiting: Waiting, ms: number): Due {
  if (timer === null) {
    lastTick = tickNow()
    timer = setInterval(strike, TICK_MS)
  }
  const tick = Math.max(lastTick + 1, Math.ceil((performance.now() + ms) / TICK_MS))
  if (latest?.tick !== tick) {
    const due: Due = ticks.get(tick) ?? new Roster()
    ticks.set(tick, due)
    latest = { tick, due }
  }
  latest.due.add(waiting)
  return latest.due
}

export function drop(waiting: Waiting, due: Due): void {
  due.remove(waiting)
}

function strike(): void {
  const now = tickNow()
  while (lastTick < now) {
    lastTick++
    const due = ticks.get(lastTick)
    for (let waiting = due?.last; waiting !== undefined; waiting = due?.last) {
      due?.remove(waiting)
      waiting.late()
    }
    ticks.delete(lastTick)
  }
  if (ticks.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}

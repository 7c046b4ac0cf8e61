/**
 * Deadlines by the thousand: who waits for a peer nearly always hears from it, so setting and dropping a deadline must
 * cost next to nothing. They strike up to 50 ms late.
 */

export interface Waiting {
  late(): void
}

const TICK_MS = 50

/** Who is waiting, by the tick at which they are late. */
const ticks = new Map<number, Set<Waiting>>()
let timer: NodeJS.Timeout | null = null
let lastTick = 0

const tickNow = () => Math.floor(performance.now() / TICK_MS)

/** `late` is called in so many milliseconds unless it is dropped before; gives what `drop` needs. */
export function expect(waiting: Waiting, ms: number): number {
  if (timer === null) {
    lastTick = tickNow()
    timer = setInterval(strike, TICK_MS)
  }
  const tick = Math.max(lastTick + 1, Math.ceil((performance.now() + ms) / TICK_MS))
  const others = ticks.get(tick)
  if (others === undefined) ticks.set(tick, new Set([waiting]))
  else others.add(waiting)
  return tick
}

export function drop(waiting: Waiting, tick: number): void {
  ticks.get(tick)?.delete(waiting)
}

function strike(): void {
  const now = tickNow()
  while (lastTick < now) {
    lastTick++
    const due = ticks.get(lastTick)
    ticks.delete(lastTick)
    for (const waiting of due ?? []) waiting.late()
  }
  if (ticks.size > 0 || timer === null) return
  clearInterval(timer)
  timer = null
}

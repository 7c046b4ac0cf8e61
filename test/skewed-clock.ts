/**
 * Preloaded into a process by `node --import`: its clock is off by the number of milliseconds in the file
 * after `?`, with immediate effect when that changes. The database's clock and the monotonic clock are
 * unchanged.
 */
import { readFileSync } from 'node:fs'

const file = decodeURIComponent(new URL(import.meta.url).search.slice(1))
const RealDate = Date
let offsetMs = 0
let readAt = -Infinity

function now(): number {
  if (performance.now() - readAt > 50) {
    offsetMs = Number(readFileSync(file, 'utf8'))
    readAt = performance.now()
  }
  return RealDate.now() + offsetMs
}

class SkewedDate extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    super(...((given.length === 0 ? [now()] : given) as [number]))
  }

  static override now(): number {
    return now()
  }
}

globalThis.Date = SkewedDate as DateConstructor

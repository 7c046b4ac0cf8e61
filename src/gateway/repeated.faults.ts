/**
 * A log in which a repeated failure is one line a minute. A full disk or an unreachable server fails every
 * report and every connection; one line for each would fill the disk too.
 */

import type { Log } from '#lib/log'

const SILENT_MS = 60_000
/** The most different failures that are remembered; a forgotten failure is logged again. */
const MOST_KINDS = 1000

/** Fields that differ in each repetition of one failure. */
const ofOne: ReadonlySet<string> = new Set(['err', 'request_id', 'login', 'address'])

interface Kind {
  toldAt: number
  /** Repetitions since then, which were not logged. */
  suppressed: number
}

/**
 * The first warning or error of a kind in a minute is logged; the next line of the kind states how many were
 * `suppressed`. A kind is the message with its fields, except those of a single connection. Warnings have the
 * reason of a fault and no stack: they are of the network or the disk. Errors keep it, as bugs need it.
 */
export function withoutRepetitions(log: Log, now: () => number = () => performance.now()): Log {
  const kinds = new Map<string, Kind>()
  const suppressedBefore = (fields: object, message: string): number | null => {
    const key = keyOf(fields, message)
    const known = kinds.get(key)
    const at = now()
    if (known !== undefined && at - known.toldAt < SILENT_MS) {
      known.suppressed++
      return null
    }
    // The newest is last, so the first one is the one that was logged longest ago.
    kinds.delete(key)
    const [oldest] = kinds.keys()
    if (oldest !== undefined && kinds.size >= MOST_KINDS) kinds.delete(oldest)
    kinds.set(key, { toldAt: at, suppressed: 0 })
    return known?.suppressed ?? 0
  }
  const once = (tell: (fields: object, message: string) => void, shape: (fields: object) => object) => {
    return (fields: object, message: string) => {
      const suppressed = suppressedBefore(fields, message)
      if (suppressed !== null) tell({ ...shape(fields), ...(suppressed > 0 ? { suppressed } : {}) }, message)
    }
  }
  const limited: Pick<Log, 'warn' | 'error'> = {
    warn: once((fields, message) => log.warn(fields, message), withReason),
    error: once(
      (fields, message) => log.error(fields, message),
      (fields) => fields,
    ),
  }
  // A logger's other functions need the logger itself.
  return Object.assign(Object.create(log) as Log, limited)
}

function keyOf(fields: object, message: string): string {
  const parts = Object.entries(fields).filter(([name]) => !ofOne.has(name))
  const { code } = (('err' in fields ? fields.err : null) as { code?: unknown } & object) ?? {}
  return `${message} ${String(code)} ${parts.map(([name, value]) => `${name}=${String(value)}`).join(' ')}`
}

/** The fields, with `err` replaced by its reason and code. */
function withReason(fields: object): object {
  if (!('err' in fields)) return fields
  const { err, ...rest } = fields
  if (!(err instanceof Error)) return { ...rest, reason: String(err) }
  const { code } = err as { code?: unknown }
  return { ...rest, reason: err.message, ...(typeof code === 'string' ? { code } : {}) }
}

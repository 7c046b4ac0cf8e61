/** The limits of a pool as they are typed: text in the dialog, an input of the call once it is in order. */
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { gbText, parseGb } from '../../parts/amounts.ts'

type Limits = DeskOutput<'customer_limits'>[number]

export const capWindows = ['hour', 'day', 'month'] as const

export interface LimitsDraft {
  /** GB, in the order of `capWindows`; empty: no cap. */
  caps: readonly string[]
  connections: string
  allowed: string
  denied: string
  saver: boolean
}

const capText = (bytes: string | null) => (bytes === null ? '' : gbText(BigInt(bytes)))

export const draftOf = (limits: Limits): LimitsDraft => ({
  caps: capWindows.map((window) => capText(limits[`${window}_bytes`])),
  connections: String(limits.connections ?? ''),
  allowed: limits.allowed_hosts.join('\n'),
  denied: limits.denied_hosts.join('\n'),
  saver: limits.data_saver,
})

/** Undefined: not an amount; null: no cap. */
function capOf(text: string | undefined): string | null | undefined {
  if (text === undefined || text.trim() === '') return null
  return parseGb(text)?.toString()
}

/** Undefined: not a number from 1 to 999,999; null: no limit. */
function connectionsOf(text: string): number | null | undefined {
  const typed = text.trim()
  if (typed === '') return null
  return /^[1-9]\d{0,5}$/.test(typed) ? Number(typed) : undefined
}

const hostsOf = (text: string) => text.split(/[\s,]+/).filter((host) => host !== '')

/** The input of the call; null: an amount or the number of connections is invalid. */
export function readLimits(
  draft: LimitsDraft,
): Omit<DeskInput<'set_customer_limits'>, 'id' | 'pool' | 'reason'> | null {
  const [hour, day, month] = capWindows.map((_, index) => capOf(draft.caps[index]))
  const connections = connectionsOf(draft.connections)
  if (hour === undefined || day === undefined || month === undefined || connections === undefined) return null
  return {
    hour_bytes: hour,
    day_bytes: day,
    month_bytes: month,
    connections,
    allowed_hosts: hostsOf(draft.allowed),
    denied_hosts: hostsOf(draft.denied),
    data_saver: draft.saver,
  }
}

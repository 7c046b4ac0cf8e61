/**
 * The search conditions, in the page's address and as input of the call. The reason is in neither: it is
 * entered anew.
 */
import type { DeskInput } from '#contract/desk/contract'

export type Filters = Omit<DeskInput<'connections'>, 'after' | 'limit'>

/** Minutes before and after the time of a complaint. */
export const spreads = [2, 15, 60, 1440] as const
export const usualSpread = 15

/** The conditions that the address names. */
export const conditions = [
  'target',
  'at',
  'spread',
  'source',
  'ip',
  'exit',
  'customer',
  'request_id',
] as const
export type Condition = (typeof conditions)[number]

const minuteMs = 60_000
const idOf = (text: string | undefined) =>
  text !== undefined && /^[1-9]\d{0,17}$/.test(text) ? text : undefined

/**
 * Whether a target has a port after its name or address, as the client requested it. An IPv6 address with a
 * port has to be in brackets.
 */
const hasPort = (text: string) => /^(\[[^\]]+\]|[^:]+):\d{1,5}$/.test(text)

/** The address of an exit with or without a port, or a port alone. */
function sourceOf(text = ''): { exit_ip?: string; exit_port?: number } {
  const [, bracketed, bare, port] = /^(?:\[(.*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  const address = bracketed ?? bare
  if (port === undefined)
    return /^\d{1,5}$/.test(text) ? { exit_port: Number(text) } : text === '' ? {} : { exit_ip: text }
  return { ...(address === '' || address === undefined ? {} : { exit_ip: address }), exit_port: Number(port) }
}

/** The filters of the call. */
export function filtersOf(given: Partial<Record<Condition, string>>, reason: string): Filters {
  const { target, at, source, ip, exit, customer, request_id: requestId } = given
  const time = at === undefined ? Number.NaN : Date.parse(at)
  const spread = (spreads.find((each) => String(each) === given.spread) ?? usualSpread) * minuteMs
  const iso = (ms: number) => new Date(ms).toISOString()
  const all = {
    target: target !== undefined && hasPort(target) ? target : undefined,
    host: target !== undefined && !hasPort(target) ? target : undefined,
    ...sourceOf(source),
    ip,
    exit: idOf(exit),
    customer: idOf(customer),
    request_id: requestId,
    from: Number.isNaN(time) ? undefined : iso(time - spread),
    until: Number.isNaN(time) ? undefined : iso(time + spread),
    reason: reason === '' ? undefined : reason,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Filters
}

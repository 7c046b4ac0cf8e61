/** A request as a customer's list shows it. */
import { sql } from 'kysely'
import { printTarget, type StoredTarget } from './target.ts'

export interface ListedRequest {
  id: string
  acceptedAt: Date
  endedAt: Date
  pool: string | null
  protocol: string
  target: string | null
  country: string | null
  outcome: string
  code: string | null
  status: number | null
  multiplier: number
  connectedMs: number | null
  firstByteMs: number | null
  durationMs: number
  upBytes: bigint
  downBytes: bigint
  chargedBytes: bigint
  /**
   * The login and the name of the proxy user; null: the login of the account itself. Blank: the proxy user's
   * row no longer exists.
   */
  user: string | null
  userLabel: string | null
}

/** The tables of a record `r` of `from`: its access `s`, its proxy user `u`. */
export const withOwners = sql`
  left join access s on s.id = r.access_id left join proxy_user u on u.id = r.proxy_user_id`

export type ListedRow = Omit<ListedRequest, 'target'> & StoredTarget

/** Of a record `r`, its access `s` and its proxy user `u`. */
export const listedColumns = sql`
  r.id, r.accepted_at as "acceptedAt", r.ended_at as "endedAt", s.pool, r.protocol, r.host, r.port, r.country, r.outcome, r.code,
  r.status, r.multiplier, r.connected_ms as "connectedMs", r.first_byte_ms as "firstByteMs", r.duration_ms as "durationMs",
  r.up_bytes as "upBytes", r.down_bytes as "downBytes", r.charged_up_bytes + r.charged_down_bytes as "chargedBytes",
  case when r.proxy_user_id is not null then coalesce(u.login, '') end as "user", nullif(u.label, '') as "userLabel"`

export function listedOf({ host, port, ...row }: ListedRow): ListedRequest {
  return { ...row, target: printTarget({ host, port }) }
}

/** As calls and streams send it. */
export const listedOnWire = (one: ListedRequest) => ({
  id: one.id,
  accepted_at: one.acceptedAt.toISOString(),
  ended_at: one.endedAt.toISOString(),
  pool: one.pool,
  protocol: one.protocol,
  target: one.target,
  country: one.country,
  outcome: one.outcome,
  code: one.code,
  status: one.status,
  multiplier: one.multiplier,
  connected_ms: one.connectedMs,
  first_byte_ms: one.firstByteMs,
  duration_ms: one.durationMs,
  up_bytes: Number(one.upBytes),
  down_bytes: Number(one.downBytes),
  charged_bytes: Number(one.chargedBytes),
  user: one.user,
  user_label: one.userLabel,
})

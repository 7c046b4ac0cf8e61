/** Proxy users as they are stored. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'

/** What a customer sets for a proxy user. */
export interface UserSettings {
  label: string
  /** Charged bytes in all, by day and by month of the shop's time zone; null: no limit, 0: nothing. */
  totalBytes: bigint | null
  dayBytes: bigint | null
  monthBytes: bigint | null
  /** Open at a time on all gateways together; null: no limit. */
  connections: number | null
  expiresAt: Date | null
  /** Canonical patterns; none: every host that the account may open. */
  allowedHosts: string[]
  /** ISO 3166-1 alpha-2, lower case; none: all. */
  countries: string[]
  /** Addresses and networks of clients; none: all. */
  addresses: string[]
}

export interface ProxyUser extends UserSettings {
  id: bigint
  accessId: bigint
  /** Within the access: what calls name it by. */
  nr: bigint
  login: string
  passwordSealed: Buffer
  passwordSha256: Buffer
  frozenAt: Date | null
  deletedAt: Date | null
  createdAt: Date
}

const columns = sql`
  u.id, u.access_id as "accessId", u.nr, u.login, u.label, u.password_sealed as "passwordSealed",
  u.password_sha256 as "passwordSha256", u.total_bytes as "totalBytes", u.day_bytes as "dayBytes",
  u.month_bytes as "monthBytes", u.connections, u.expires_at as "expiresAt", u.allowed_hosts as "allowedHosts", u.countries,
  u.addresses, u.frozen_at as "frozenAt", u.deleted_at as "deletedAt", u.created_at as "createdAt"`

/** The proxy users that fulfil a condition on `u`, in the order of their numbers. */
export async function usersWhere(
  db: Kysely<DB>,
  where: RawBuilder<unknown>,
  { lock = false, limit = null }: { lock?: boolean; limit?: number | null } = {},
): Promise<ProxyUser[]> {
  const { rows } = await sql<ProxyUser>`
    select ${columns} from proxy_user u where ${where} order by u.access_id, u.nr
    limit ${limit}
    ${lock ? sql`for no key update` : sql``}`.execute(db)
  return rows
}

/** A proxy user by its id, also a deleted one; null: there is none. */
export async function userById(db: Kysely<DB>, id: bigint): Promise<ProxyUser | null> {
  const [user] = await usersWhere(db, sql`u.id = ${id}`)
  return user ?? null
}

/** A proxy user of a access, by its number. */
export interface UserKey {
  accessId: bigint
  nr: bigint
}

/** A condition: this one, unless it is deleted. */
export const isThis = ({ accessId, nr }: UserKey) =>
  sql`u.access_id = ${accessId} and u.nr = ${nr} and u.deleted_at is null`

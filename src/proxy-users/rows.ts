/** Proxy users as they are stored. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'

/** What a customer sets for a proxy user. */
export interface UserSettings {
  label: string
  /** The external id that the customer's program gave it; null: none. */
  externalId: string | null
  /** Limits of charged bytes: in all, per day and per month of the shop's time zone; null: no limit. */
  totalBytes: bigint | null
  dayBytes: bigint | null
  monthBytes: bigint | null
  /** The maximum of connections open at a time on all gateways together; null: no limit. */
  connections: number | null
  expiresAt: Date | null
  /** Allowed hosts as canonical patterns; empty: every host that the account may open. */
  allowedHosts: string[]
  /** ISO 3166-1 alpha-2, lower case; none: all. */
  countries: string[]
  /** Countries that it may not use. */
  deniedCountries: string[]
  /** Whether lines of the double tariff are refused. */
  noDoubleTariff: boolean
  /** Addresses and networks of clients; none: all. */
  addresses: string[]
  /** What the customer's program keeps with it. */
  metadata: Record<string, string>
}

export interface ListedUser extends UserSettings {
  id: bigint
  accessId: bigint
  /** The unused part of `totalBytes` is reserved; else `totalBytes` is only a limit. Never changes. */
  isReserved: boolean
  /** The number by which calls name it, unique within the access. */
  nr: bigint
  /** The same for the proxy users of several pools that share it. */
  login: string
  frozenAt: Date | null
  deletedAt: Date | null
  createdAt: Date
  /** Read only where passwords are asked for. */
  passwordSealed?: Buffer
}

export interface ProxyUser extends ListedUser {
  passwordSealed: Buffer
  passwordSha256: Buffer
}

/** A proxy user with what only the lookups of gateways need. */
export interface GatewayUser extends ProxyUser {
  /** Whether connections of its login were ended lately. */
  hasEnded: boolean
  /** Whether there are addresses from which it needs no password. */
  listsAddresses: boolean
}

const listedColumns = sql`
  u.id, u.access_id as "accessId", u.is_reserved as "isReserved", u.nr, u.login, u.label,
  u.external_id as "externalId", u.total_bytes as "totalBytes", u.day_bytes as "dayBytes",
  u.month_bytes as "monthBytes", u.connections, u.expires_at as "expiresAt", u.allowed_hosts as "allowedHosts", u.countries,
  u.denied_countries as "deniedCountries", u.no_double_tariff as "noDoubleTariff",
  u.addresses, u.metadata, u.frozen_at as "frozenAt", u.deleted_at as "deletedAt", u.created_at as "createdAt"`

const columns = sql`
  ${listedColumns}, u.password_sealed as "passwordSealed", u.password_sha256 as "passwordSha256"`

const gatewayColumns = sql`${columns},
  exists (select from ended_connection e where e.holder_id = u.id) as "hasEnded",
  exists (select from whitelist w where w.proxy_user_id = u.id) as "listsAddresses"`

/** Refuses a country that is both allowed and denied, with `country_allowed_and_denied`. */
export function refuseBoth({
  countries,
  deniedCountries,
}: Pick<UserSettings, 'countries' | 'deniedCountries'>): void {
  const both = deniedCountries.filter((code) => countries.includes(code))
  if (both.length > 0) throw new Refusal('country_allowed_and_denied', { names: both.slice(0, 5).join(', ') })
}

/** What a proxy user was charged, as a row has it; null: nothing yet, or not today, or not in this month. */
export interface UsedColumns {
  usedBytes: bigint | null
  usedDayBytes: bigint | null
  usedMonthBytes: bigint | null
  usedRequests: bigint | null
  lastUsedAt: Date | null
}

/** The columns of `UsedColumns`, and their joins with a `u` that has the `id` of proxy users. */
export interface UsedOfRows {
  columns: RawBuilder<unknown>
  joins: RawBuilder<unknown>
}

interface Reading {
  lock?: boolean
  limit?: number | null
  newestFirst?: boolean
}

/** The proxy users that fulfil a condition on `u`, in the order of their numbers. */
export async function usersWhere(
  db: Kysely<DB>,
  where: RawBuilder<unknown>,
  { lock = false, limit = null, newestFirst = false }: Reading = {},
): Promise<ProxyUser[]> {
  const { rows } = await sql<ProxyUser>`
    select ${columns} from proxy_user u where ${where} order by u.access_id, u.nr ${newestFirst ? sql`desc` : sql``}
    limit ${limit}
    ${lock ? sql`for no key update` : sql``}`.execute(db)
  return rows
}

/**
 * The same with what each was charged, for lists; without passwords, which would be a third of the bytes,
 * unless they are asked for.
 */
export async function listedUsersWhere(
  db: Kysely<DB>,
  where: RawBuilder<unknown>,
  { limit, passwords, used }: { limit: number; passwords: boolean; used: UsedOfRows },
): Promise<(ListedUser & UsedColumns)[]> {
  // The page is found first: what was charged is read for no others.
  const { rows } = await sql<ListedUser & UsedColumns>`
    select ${passwords ? columns : listedColumns}, ${used.columns}
    from (select * from proxy_user u where ${where} order by u.access_id, u.nr limit ${limit}) u ${used.joins}
    order by u.nr`.execute(db)
  return rows
}

/** The same, for gateways. */
export async function gatewayUsersWhere(db: Kysely<DB>, where: RawBuilder<unknown>): Promise<GatewayUser[]> {
  const { rows } = await sql<GatewayUser>`
    select ${gatewayColumns} from proxy_user u where ${where} order by u.access_id, u.nr`.execute(db)
  return rows
}

/** A proxy user by its id, also a deleted one; null: there is none. */
export async function userById(db: Kysely<DB>, id: bigint): Promise<ProxyUser | null> {
  return (await usersById(db, [id])).get(id) ?? null
}

/** Proxy users by their ids, also deleted ones. */
export async function usersById(db: Kysely<DB>, ids: readonly bigint[]): Promise<Map<bigint, ProxyUser>> {
  const users = await usersWhere(db, sql`u.id = any(${bigintArray(ids)}::bigint[])`)
  return new Map(users.map((user) => [user.id, user]))
}

/** The proxy users of an access with these numbers that are not deleted, in the order of numbers. */
export function usersOf(
  db: Kysely<DB>,
  accessId: bigint,
  numbers: readonly bigint[],
  options?: { lock: boolean },
): Promise<ProxyUser[]> {
  return usersWhere(db, haveNumbers(accessId, numbers), options)
}

/** The SQL condition that selects the proxy users with these numbers, except deleted ones. */
const haveNumbers = (accessId: bigint, numbers: readonly bigint[]) =>
  sql`u.access_id = ${accessId} and u.nr = any(${bigintArray(numbers)}::bigint[]) and u.deleted_at is null`

/** A proxy user of an access, by its number. */
export interface UserKey {
  accessId: bigint
  nr: bigint
}

/** Which proxy users of an access are listed. */
export interface UserFilter {
  /** Only these numbers. */
  among?: readonly bigint[] | undefined
  number?: bigint | undefined
  login?: string | undefined
  /** Compared without regard to case. */
  label?: string | undefined
  externalId?: string | undefined
  /** One key of the metadata, and its value. */
  metadata?: { key: string; value: string } | undefined
}

/** The SQL condition of the filter. */
export const matches = ({ among, number, login, label, externalId, metadata }: UserFilter) => sql`
  ${among === undefined ? sql`true` : sql`u.nr = any(${bigintArray(among)}::bigint[])`}
  and ${number === undefined ? sql`true` : sql`u.nr = ${number}`}
  and ${login === undefined ? sql`true` : sql`u.login = ${login}`}
  and ${label === undefined ? sql`true` : sql`lower(u.label) = lower(${label})`}
  and ${externalId === undefined ? sql`true` : sql`u.external_id = ${externalId}`}
  and ${
    metadata === undefined
      ? sql`true`
      : sql`exists (
    select from proxy_user_metadata m where m.access_id = u.access_id and m.key = ${metadata.key}
      and m.value = ${metadata.value} and m.nr = u.nr)`
  }`

/** The SQL condition that selects this proxy user, unless it is deleted. */
export const isThis = ({ accessId, nr }: UserKey) =>
  sql`u.access_id = ${accessId} and u.nr = ${nr} and u.deleted_at is null`

/**
 * Proxy users of an access and those that share their logins in other pools, by access; none is deleted. They
 * are locked, so that their logins get no further pool, and what the pools of each have in common changes in
 * all: login, password, name, external id, metadata and whether it is frozen.
 */
export async function usersOfAllPools(
  tx: Kysely<DB>,
  accessId: bigint,
  numbers: readonly bigint[],
): Promise<ProxyUser[]> {
  for (;;) {
    // An array, not a join: for hundreds of numbers a join reads the whole table.
    const { rows: first } = await sql<{ login: string }>`
      select login from proxy_user
      where shares_login_of is null
        and login = any(array(select u.login from proxy_user u where ${haveNumbers(accessId, numbers)}))
      order by access_id, nr for no key update`.execute(tx)
    const logins = textArray(first.map(({ login }) => login))
    const where = sql`u.login = any(${logins}::text[]) and u.deleted_at is null`
    const all = await usersWhere(tx, where, { lock: true })
    const locked = new Set(all.filter((user) => user.accessId === accessId).map(({ nr }) => nr))
    const others = numbers.filter((nr) => !locked.has(nr))
    // One that is there got another login while its lock was waited for.
    if (others.length === 0 || (await usersOf(tx, accessId, others)).length === 0) return all
  }
}

/** A proxy user of an access that is not deleted. Refuses with `user_not_found`. */
export async function userOf(db: Kysely<DB>, key: UserKey): Promise<ProxyUser> {
  const [user] = await usersWhere(db, isThis(key))
  if (user === undefined) throw new Refusal('user_not_found')
  return user
}

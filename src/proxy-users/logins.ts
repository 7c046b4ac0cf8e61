/** Logins that customers choose for proxy users, and the prefix of their own. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { chosenLogin } from '#contract/proxy-users/rules'
import type { DB } from '#db'
import { textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'
import { randomText } from '#lib/secret'
import { loginAlphabet } from '#proxies'

const randomLength = 11
const leastDifferent = 6
/** The first parts of logins that would pass for the shop's own. */
const reserved = new Set(['admin', 'root', 'support', 'system', 'shop', 'staff', 'turnpike', 'proxy', 'test'])

/** A random login: `u…`, or behind the customer's prefix. */
export const newLogin = (prefix: string | null): string => {
  const random = randomText(randomLength, loginAlphabet)
  return prefix === null ? `u${random}` : `${prefix}.${random}`
}

/**
 * The prefix of the owner of an access, kept until the end of the transaction; null: none. Otherwise the
 * owner could give it up, and another customer could take it, before logins with it can be seen.
 */
export async function prefixOf(tx: Transaction<DB>, accessId: bigint): Promise<string | null> {
  const { rows } = await sql<{ prefix: string | null }>`
    select l.user_prefix as prefix from access s join proxy_login l on l.account_id = s.account_id
    where s.id = ${accessId} for share of l`.execute(tx)
  return rows[0]?.prefix ?? null
}

/** The advisory lock under which prefixes are compared with the logins of other customers. */
const comparing = sql`hashtextextended('login prefixes', 0)`

/**
 * Sets the first part of the logins of a customer's new proxy users; null: none. Present logins stay. Refuses
 * with `login_prefix_taken` a prefix that another customer has or that begins the login of another customer's
 * proxy user: it would lock that customer out, or make a stranger's login look like one of this customer. Refuses with
 * `no_subuser` a customer who has no access to proxies yet.
 */
export async function setPrefix(
  tx: Transaction<DB>,
  accountId: bigint,
  prefix: string | null,
): Promise<void> {
  if (prefix !== null) {
    if (isReserved(prefix)) throw new Refusal('login_prefix_taken')
    // Waits for those who choose logins at the same time; they then find the prefix.
    await sql`select pg_advisory_xact_lock(${comparing})`.execute(tx)
    const { rows: strangers } = await sql`
      select from proxy_user u join access s on s.id = u.access_id
      where u.login like ${`${prefix}.%`} and u.deleted_at is null and s.account_id <> ${accountId} limit 1`.execute(
      tx,
    )
    if (strangers.length > 0) throw new Refusal('login_prefix_taken')
  }
  const set = sql`update proxy_login set user_prefix = ${prefix} where account_id = ${accountId} returning account_id`
  const { rows } = await set.execute(tx).catch((error: unknown) => {
    throw isTaken(error) ? new Refusal('login_prefix_taken') : error
  })
  if (rows.length === 0) throw new Refusal('no_subuser')
}

const isReserved = (first: string) =>
  reserved.has(first) || /^tp[b-df-hj-km-np-tv-xz2-9]{6}$/.test(first) || !chosenLogin.test(`${first}.a`)

/** The customers whose proxy users have logins that begin with a text such as `acme.`, each with one of them. */
export async function ownersBelow(
  db: Kysely<DB>,
  text: string,
): Promise<{ accountId: bigint; login: string }[]> {
  if (!/^[a-z0-9]{1,30}\.$/.test(text)) return []
  const { rows } = await sql<{ accountId: bigint; login: string }>`
    select s.account_id as "accountId", min(u.login) as login from proxy_user u join access s on s.id = u.access_id
    where u.login like ${`${text}%`} and u.deleted_at is null group by s.account_id order by 1 limit 50`.execute(
    db,
  )
  return rows
}

/** Whether a unique constraint refused a row. */
export const isTaken = (error: unknown): boolean => (error as { code?: unknown }).code === '23505'

/** A password to choose, and the login that it belongs to, unless that is random. */
export function refuseWeak(password: string | undefined, login: string | undefined): void {
  if (password === undefined) return
  const isOfLogin = login !== undefined && password.toLowerCase().includes(login)
  if (isOfLogin || new Set(password).size < leastDifferent) throw new Refusal('invalid_user_password')
}

/**
 * Refuses chosen logins that a proxy user has or had, that begin with another customer's prefix, or that one
 * call gives twice, all alike: only for a proxy user of the customer's own do the details name it.
 */
export async function refuseLogins(
  tx: Transaction<DB>,
  accessId: bigint,
  logins: readonly (string | undefined)[],
): Promise<void> {
  const chosen = logins.flatMap((login, index) => (login === undefined ? [] : [{ login, index }]))
  if (chosen.length === 0) return
  const at = (index: number) => (logins.length === 1 ? {} : { index })
  const seen = new Set<string>()
  for (const { login, index } of chosen) {
    if (seen.has(login) || isReserved(login.split('.')[0] ?? ''))
      throw new Refusal('user_login_taken', at(index))
    seen.add(login)
  }
  await sql`select pg_advisory_xact_lock_shared(${comparing})`.execute(tx)
  const { rows } = await sql<{ index: number; number: bigint | null; pool: string | null }>`
    select one.index, case when theirs.id is not null then u.nr end as number, theirs.pool
    from unnest(${textArray(chosen.map(({ login }) => login))}::text[], ${chosen.map(({ index }) => index)}::integer[])
      as one(login, index)
    join access mine on mine.id = ${accessId}
    left join proxy_user u on u.login = one.login
    left join access theirs on theirs.id = u.access_id and theirs.account_id = mine.account_id
    left join proxy_login l on l.user_prefix = split_part(one.login, '.', 1) and l.account_id <> mine.account_id
    where u.id is not null or l.account_id is not null order by one.index limit 1`.execute(tx)
  const [taken] = rows
  if (taken === undefined) return
  const own = taken.number === null ? {} : { number: Number(taken.number), pool: taken.pool }
  throw new Refusal('user_login_taken', { ...at(taken.index), ...own })
}

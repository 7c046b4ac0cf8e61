/** The calls for proxy users. */
import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Output, Parsed } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { mostListed, type usersWire } from '#contract/proxy-users/calls'
import { userState } from '#contract/proxy-users/rules'
import { type DB, transaction } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { addDays, dayIn } from '#lib/zone'
import { findAccess } from '#proxies'
import {
  addToPool,
  addToUser,
  changesOf,
  changeUser,
  createUser,
  createUsers,
  deleteUser,
  findUser,
  freezeUser,
  listNames,
  listUsers,
  readTotals,
  type ProxyUser,
  renewPassword,
  setPrefix,
  type Reserve,
  type UsedOfRows,
  type UserKey,
  userOf,
} from './proxy-users.ts'
import { openedAtOnce } from './sealed.ts'
import { answerOf, chosenIn, filterOf, newUser, passwordFor, seenBy, settingsOf } from './wire.ts'
import { nothingYet, type Used, usedIn } from './used.ts'

export interface UsersDeps {
  secrets: Secrets
  /** The time zone whose days and months the limits count. */
  zone: string
  /** How many proxy users a customer may have in a pool. */
  mostUsers: (db: Kysely<DB>) => Promise<number>
  /** Passed in, since the traffic slice depends on this one. */
  usedByUsers: (
    db: Kysely<DB>,
    ids: readonly bigint[],
    at: { now: Date; zone: string },
  ) => Promise<ReadonlyMap<bigint, Used>>
  /** The same in the statement of a list. */
  usedOfRows: (at: { now: Date; zone: string }) => UsedOfRows
  userDays: (
    db: Kysely<DB>,
    key: { id: bigint; from: string; to: string },
  ) => Promise<{ day: string; chargedBytes: bigint; requests: bigint }[]>
  reserve: Reserve
  /** Waits until gateways have given back their leases of a proxy user. */
  callUserLeasesBack: (db: Kysely<DB>, user: ProxyUser) => Promise<void>
  usedInDays: (
    db: Kysely<DB>,
    ids: readonly bigint[],
    days: { from: string; to: string },
  ) => Promise<ReadonlyMap<bigint, { chargedBytes: bigint; requests: bigint }>>
}

export function usersCalls(deps: UsersDeps) {
  const { secrets, zone } = deps
  const answer = async (context: Context, user: ProxyUser) => {
    const used = await deps.usedByUsers(context.database.db, [user.id], { now: context.now(), zone })
    return answerOf(
      seenBy(context, user),
      used.get(user.id) ?? nothingYet,
      passwordFor(context, secrets, user),
    )
  }
  const acting = async (
    context: Context,
    input: { pool: Pool; number: number },
    act: (tx: Parameters<typeof changeUser>[0], key: UserKey) => Promise<ProxyUser>,
  ) => {
    const key = { accessId: await accessOf(context, input.pool), nr: BigInt(input.number) }
    return answer(context, await transaction(context.database.db, (tx) => act(tx, key)))
  }
  return {
    get_proxy_users: async (input, context) => {
      const { db } = context.database
      const owner = { accountId: callerOf(context).id, pool: input.pool }
      const { accessId, count, prefix } = await readTotals(db, owner)
      const { users, next } = await pageOf(deps, context, { ...input, accessId })
      const most = await deps.mostUsers(db)
      return { users, count, most, login_prefix: prefix, next_after: next, time_zone: zone }
    },
    get_proxy_user: async (input, context) => {
      const { db } = context.database
      const { pool, ...names } = input
      if (Object.values(names).filter((name) => name !== undefined).length !== 1)
        throw new Refusal('invalid_user_choice')
      const user = await findUser(db, await accessOf(context, pool), filterOf(names))
      const changes = await changesOf(db, user, mostChanges)
      return {
        ...(await answer(context, user)),
        changes: changes.map(({ at, bytes: given }) => ({ at: at.toISOString(), bytes: Number(given) })),
      }
    },
    set_proxy_login_prefix: async ({ prefix }, context) => {
      await transaction(context.database.db, (tx) => setPrefix(tx, callerOf(context).id, prefix))
      return true
    },
    ...makingCalls(deps, answer),
    change_proxy_user: async (input, context) => {
      const changes = settingsOf(input)
      const label = input.label === undefined ? {} : { label: input.label.trim() }
      return acting(context, input, (tx, key) =>
        changeUser(tx, key, { ...changes, ...label }, { ...chosenIn(input), secrets }),
      )
    },
    freeze_proxy_user: async (input, context) =>
      acting(context, input, (tx, key) =>
        freezeUser(tx, key, { isFrozen: input.frozen, now: context.now() }),
      ),
    renew_proxy_user_password: async (input, context) =>
      acting(context, input, (tx, key) => renewPassword(tx, secrets, key)),
    give_proxy_user: async (input, context) => adding(deps, context, input, BigInt(input.bytes)),
    take_proxy_user: async (input, context) => adding(deps, context, input, -BigInt(input.bytes)),
    delete_proxy_user: async (input, context) => {
      const key = { accessId: await accessOf(context, input.pool), nr: BigInt(input.number) }
      await transaction(context.database.db, (tx) => deleteUser(tx, deps, key))
      return true
    },
    ...usageCalls(deps),
  } satisfies HandlersOf<typeof usersWire>
}

type Answer = (context: Context, user: ProxyUser) => Promise<Output<'create_proxy_user'>>

/** The calls that make proxy users. */
function makingCalls(deps: UsersDeps, answer: Answer) {
  const { secrets } = deps
  return {
    create_proxy_user: async (input, context) => {
      const settings = newUser(input)
      const { db } = context.database
      const accessId = await accessOf(context, input.pool)
      const most = await deps.mostUsers(db)
      const make = { accessId, settings, most, reserve: deps.reserve }
      return answer(context, await transaction(db, (tx) => createUser(tx, secrets, make)))
    },
    create_proxy_users: async (input, context) => {
      const settings = input.users.map(newUser)
      const { db } = context.database
      const accessId = await accessOf(context, input.pool)
      const make = { accessId, settings, most: await deps.mostUsers(db), reserve: deps.reserve }
      const made = await transaction(db, (tx) => createUsers(tx, secrets, make))
      const users: Output<'create_proxy_users'>['users'] = []
      for (const [index, user] of made.entries()) {
        if (index > 0 && index % openedAtOnce === 0) await setImmediate()
        users.push(answerOf(user, nothingYet, passwordFor(context, secrets, user)))
      }
      return { users }
    },
    add_proxy_user_to_pool: async ({ pool, number, to, ...limits }, context) => {
      const { db } = context.database
      const source = { accessId: await accessOf(context, pool), nr: BigInt(number) }
      const accessId = await accessOf(context, to)
      const { label: _, externalId: __, ...settings } = newUser({ ...limits, label: '' })
      const other = { accessId, settings, most: await deps.mostUsers(db), reserve: deps.reserve }
      return answer(context, await transaction(db, (tx) => addToPool(tx, secrets, source, other)))
    },
  } satisfies Partial<HandlersOf<typeof usersWire>>
}

/** Adds bytes to what a proxy user may use in all, or takes them. The stored answer has no password. */
async function adding(
  deps: UsersDeps,
  context: Context,
  input: { pool: Pool; number: number },
  bytes: bigint,
): Promise<Output<'give_proxy_user'>> {
  const { operation, now, database } = context
  const key = { accessId: await accessOf(context, input.pool), nr: BigInt(input.number) }
  const used = async (db: Kysely<DB>, id: bigint) =>
    (await deps.usedByUsers(db, [id], { now: now(), zone: deps.zone })).get(id) ?? nothingYet
  const amount = {
    bytes,
    reference: operation === undefined ? null : `${callerOf(context).id}:${operation}`,
    usedBytes: async (db: Kysely<DB>, id: bigint) => (await used(db, id)).totalBytes,
    reserve: deps.reserve,
  }
  const act = () => transaction(database.db, (tx) => addToUser(tx, key, amount))
  const user = await act().catch(async (error: unknown) => {
    // Gateways hold a part of the reserve on lease: recalls the leases, then tries once more.
    if (!(error instanceof Refusal) || error.details['held'] === undefined) throw error
    await deps.callUserLeasesBack(database.db, await userOf(database.db, key))
    return act()
  })
  const { password: _, ...known } = answerOf(user, await used(database.db, user.id), null)
  return known
}

/** What proxy users have used. */
function usageCalls(deps: UsersDeps) {
  const { zone } = deps
  return {
    proxy_user_usage: async ({ pool, number, days }, context) => {
      const { db } = context.database
      const user = await findUser(db, await accessOf(context, pool), { number: BigInt(number) })
      const to = dayIn(zone, context.now())
      const from = addDays(to, 1 - days)
      const known = new Map((await deps.userDays(db, { id: user.id, from, to })).map((one) => [one.day, one]))
      const used = await deps.usedByUsers(db, [user.id], { now: context.now(), zone })
      return {
        days: Array.from({ length: days }, (_, index) => {
          const day = addDays(from, index)
          const { chargedBytes, requests } = known.get(day) ?? { chargedBytes: 0n, requests: 0n }
          return { day, bytes: Number(chargedBytes), requests: Number(requests) }
        }),
        total_bytes: Number(used.get(user.id)?.totalBytes ?? 0n),
      }
    },
    proxy_users_usage: async ({ pool, from, to, after, limit }, context) => {
      if (from > to) throw new Refusal('usage_period')
      const { db } = context.database
      const accessId = await accessOf(context, pool)
      const names = await listNames(db, accessId, { after: BigInt(after), limit: limit + 1 })
      const users = names.slice(0, limit)
      const ids = users.map(({ id }) => id)
      const used = await deps.usedInDays(db, ids, { from, to })
      return {
        users: users.map(({ id, nr, login, label, externalId }) => {
          const { chargedBytes, requests } = used.get(id) ?? { chargedBytes: 0n, requests: 0n }
          const figures = { bytes: Number(chargedBytes), requests: Number(requests) }
          return { number: Number(nr), login, label, external_id: externalId, ...figures }
        }),
        next_after: names.length > limit ? Number(users.at(-1)?.nr) : null,
        time_zone: zone,
      }
    },
  } satisfies Partial<HandlersOf<typeof usersWire>>
}

/** The number of given and taken amounts that one call returns. */
const mostChanges = 100
/** The maximum number of proxy users that one call reads to find those in a state. */
const mostLookedAt = 1000

/** A page of a list. With `state`, reads a bounded number of pages to find the proxy users in that state. */
export async function pageOf(
  deps: Pick<UsersDeps, 'secrets' | 'zone' | 'usedOfRows'>,
  context: Context,
  {
    accessId,
    among,
    ...input
  }: Parsed<'get_proxy_users'> & { accessId: bigint; among?: readonly bigint[] | undefined },
): Promise<{ users: Output<'get_proxy_users'>['users']; next: number | null }> {
  const { db } = context.database
  const { limit, state, passwords } = input
  const filter = { ...filterOf(input), among }
  const isDeleted = state === 'deleted'
  // Each proxy user that is read may be one of the page.
  const isEach = state === undefined || isDeleted
  const users: Output<'get_proxy_users'>['users'] = []
  let after = BigInt(input.after)
  for (let seen = 0; seen < mostLookedAt; seen += mostListed) {
    const page = await listUsers(db, accessId, {
      after,
      passwords,
      limit: isEach ? limit : mostListed,
      filter,
      isDeleted,
      used: deps.usedOfRows({ now: context.now(), zone: deps.zone }),
    })
    for (const user of page.users) {
      const { password: _, ...known } = answerOf(seenBy(context, user), usedIn(user), null)
      if (!isEach && userState(known, context.now().getTime()) !== state) continue
      users.push(passwords ? { ...known, password: passwordFor(context, deps.secrets, user) } : known)
      if (users.length === limit && (user !== page.users.at(-1) || page.next !== null))
        return { users, next: Number(user.nr) }
    }
    if (page.next === null) return { users, next: null }
    after = page.next
    if (isEach) break
  }
  return { users, next: Number(after) }
}

export async function accessOf(context: Context, pool: Pool): Promise<bigint> {
  const key = { accountId: callerOf(context).id, pool }
  const access = await findAccess(context.database.db, key)
  if (access === null) throw new Refusal('no_subuser')
  return access.id
}

/** The calls that act on many proxy users. */
import { setImmediate } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { Output, Parsed } from '#contract/contract'
import { mostListed, type manyUsersWire } from '#contract/proxy-users/calls'
import { hiddenSecret } from '#contract/view'
import { type DB, transaction } from '#db'
import { callerOf, type Context, type HandlersOf, type JsonAnswers } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { LineUser } from '#proxies'
import { type Found, findNamed } from './choice.ts'
import { accessOf, pageOf, type UsersDeps } from './proxy-users.calls.ts'
import {
  deleteUsers,
  freezeUsers,
  type ManyUsers,
  passwordOf,
  type ProxyUser,
  usersOf,
} from './proxy-users.ts'
import { openedAtOnce } from './sealed.ts'

type Choice = Parsed<'delete_proxy_users'>
type LinesInput = Parsed<'proxy_users_lines'>

export interface ManyUsersDeps extends Pick<UsersDeps, 'secrets' | 'zone' | 'usedOfRows' | 'reserve'> {
  /** The lines of proxy users. Passed in, since they are made as those of accounts. */
  linesOf: (
    db: Kysely<DB>,
    customer: { accountId: bigint; isView: boolean },
    input: Omit<LinesInput, 'users' | 'filter' | 'after' | 'limit'>,
    users: readonly LineUser[],
  ) => Promise<string>
}

/** The lines of many proxy users as JSON. */
export const manyUsersJsonAnswers: Pick<JsonAnswers, 'proxy_users_lines'> = {
  proxy_users_lines: async (text) => ({ lines: text === '' ? [] : text.split('\n') }),
}

export function manyUsersCalls(deps: ManyUsersDeps) {
  const { secrets, reserve } = deps
  return {
    freeze_proxy_users: async (input, context) => {
      const how = { isFrozen: input.frozen, now: context.now() }
      return acting(deps, context, input, (tx, many) => freezeUsers(tx, many, how))
    },
    delete_proxy_users: async (input, context) =>
      acting(deps, context, input, (tx, many) => deleteUsers(tx, { secrets, reserve }, many)),
    proxy_users_lines: async ({ users, filter, after, limit, ...wish }, context) => {
      const { db } = context.database
      const { id: accountId, view } = callerOf(context)
      const { accessId, places } = await chosen(deps, context, {
        pool: wish.pool,
        users,
        filter,
        after,
        limit,
      })
      const isView = view !== undefined
      const known = await usersOf(db, accessId, numbersOf(places))
      if (users !== undefined) refuseGone(places, known)
      const lines: LineUser[] = []
      for (const [index, user] of known.entries()) {
        if (index > 0 && index % openedAtOnce === 0) await setImmediate()
        const password = isView ? hiddenSecret : passwordOf(secrets, user)
        const { login, countries, deniedCountries, noDoubleTariff } = user
        lines.push({ number: Number(user.nr), login, password, countries, deniedCountries, noDoubleTariff })
      }
      return deps.linesOf(db, { accountId, isView }, wish, lines)
    },
  } satisfies HandlersOf<typeof manyUsersWire>
}

/**
 * Refuses a listed proxy user that another call has deleted since it was found: lines are matched to proxy
 * users by their order.
 */
function refuseGone(places: readonly (Found | null)[], known: readonly ProxyUser[]): void {
  const there = new Set(known.map(({ nr }) => nr))
  const index = places.findIndex((place) => place === null || !there.has(place.nr))
  if (index >= 0) throw new Refusal('user_not_found', { index })
}

const numbersOf = (places: readonly (Found | null)[]): bigint[] => [
  ...new Set(places.flatMap((place) => (place === null ? [] : [place.nr]))),
]

/** Acts on the chosen proxy users in one transaction, and returns the result for each. */
async function acting(
  deps: ManyUsersDeps,
  context: Context,
  choice: Choice,
  act: (tx: Transaction<DB>, many: ManyUsers) => Promise<ProxyUser[]>,
): Promise<Output<'freeze_proxy_users'>> {
  const { accessId, places, next } = await chosen(deps, context, choice)
  const numbers = numbersOf(places)
  // One of a filter may have been changed while its lock was waited for, such as renewed by its reseller.
  const stillChosen = async (tx: Transaction<DB>) => {
    const inside = { ...context, database: { ...context.database, db: tx } }
    const again = await chosen(deps, inside, { ...choice, limit: numbers.length }, numbers)
    return new Set(numbersOf(again.places))
  }
  const select = choice.filter === undefined ? undefined : stillChosen
  const { changed, alive } = await transaction(context.database.db, async (tx) => {
    const changed = new Set((await act(tx, { accessId, numbers, select })).map(({ nr }) => nr))
    // Another call may have deleted some meanwhile.
    const rest = await usersOf(
      tx,
      accessId,
      numbers.filter((nr) => !changed.has(nr)),
    )
    return { changed, alive: new Set(rest.map(({ nr }) => nr)) }
  })
  const seen = new Set<bigint>()
  const outcomeOf = (nr: bigint) => {
    if (seen.has(nr)) return 'named_twice'
    seen.add(nr)
    if (changed.has(nr)) return 'done'
    return alive.has(nr) ? 'unchanged' : 'user_not_found'
  }
  return {
    users: places.map((place) =>
      place === null
        ? { number: null, login: null, label: null, external_id: null, outcome: 'user_not_found' }
        : {
            number: Number(place.nr),
            login: place.login,
            label: place.label,
            external_id: place.externalId,
            outcome: outcomeOf(place.nr),
          },
    ),
    done: changed.size,
    next_after: next,
  }
}

/** The chosen proxy users, of `among` if that is set; null: there is none with this name. */
async function chosen(
  deps: ManyUsersDeps,
  context: Context,
  { pool, users, filter, after, limit }: Choice,
  among?: readonly bigint[],
): Promise<{ accessId: bigint; places: (Found | null)[]; next: number | null }> {
  if ((users === undefined) === (filter === undefined)) throw new Refusal('invalid_user_choice')
  const { db } = context.database
  const accessId = await accessOf(context, pool)
  if (users !== undefined) return { accessId, places: await findNamed(db, accessId, users), next: null }
  const places: Found[] = []
  let next: number | null = after
  while (next !== null && places.length < limit) {
    const most = Math.min(limit - places.length, mostListed)
    const page = await pageOf(deps, context, {
      ...filter,
      pool,
      accessId,
      among,
      after: next,
      limit: most,
      passwords: false,
    })
    for (const { number, login, label, external_id: externalId } of page.users)
      places.push({ nr: BigInt(number), login, label, externalId })
    next = page.next
    // The number of proxy users that are searched for a state at a time.
    if (filter?.state !== undefined) break
  }
  return { accessId, places, next }
}

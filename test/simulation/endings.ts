/** Connections that customers end: of a login, of a session, or single ones. */
import { contract } from '#contract/contract'
import type { Context } from '#db/call'
import { endedOf, type Ending } from '#proxies'
import { proxiesCalls, type ProxiesDeps } from '#proxies/calls'
import type { Person } from './model.ts'
import type { SoldUser } from './sold.ts'
import type { Act, World } from './world.ts'

/** The context of a customer's call. */
export function contextOf({ database, now }: World, { accountId }: Person): Context {
  const asked = { database, account: { id: accountId }, now: () => now, language: 'en' }
  return asked as unknown as Context
}

/** Connections that were ended, by holder, kind and name: how many calls were answered, and how many made. */
interface Ended {
  holder: bigint
  ending: Ending
  answered: number
  made: number
}

const sessions = ['s1', 's2', 's3']

export class Endings {
  readonly #world: World
  readonly #users: readonly SoldUser[]
  readonly #ended = new Map<string, Ended>()
  readonly #proxies: ReturnType<typeof proxiesCalls>

  constructor(world: World, users: readonly SoldUser[], deps: ProxiesDeps) {
    this.#world = world
    this.#users = users
    this.#proxies = proxiesCalls(deps)
  }

  /** Ends all connections of a login, those of a session, or a single one. */
  end(): Act | null {
    const { dice } = this.#world
    const known = this.#users.filter(({ state }) => state === 'made')
    if (known.length === 0) return null
    const user = dice.pick(known)
    const session = dice.percent(50) ? dice.pick(sessions) : null
    const requestId = dice.percent(30) ? `00000000-0000-4000-8000-00000000000${dice.whole(0, 9)}` : null
    const endings: Ending[] = [
      ...(session === null ? [] : [{ kind: 'session', name: session } as const]),
      ...(requestId === null ? [] : [{ kind: 'request', name: requestId } as const]),
    ]
    if (endings.length === 0) endings.push({ kind: 'all' })
    const input = {
      pool: user.pool,
      proxy_user: Number(user.key?.nr),
      ...(session === null ? {} : { session }),
      ...(requestId === null ? {} : { request_id: requestId }),
    }
    return async () => {
      const { model, database } = this.#world
      const counts = endings.map((ending) => this.#countOf(user.id, ending))
      for (const one of counts) one.made++
      const end = await this.#world.attempt('connections ended', () =>
        this.#proxies.end_connections(
          contract.end_connections.input.parse(input),
          contextOf(this.#world, user.person),
        ),
      )
      if (end === 'away' || 'refused' in end) return
      for (const one of counts) one.answered++
      const seen = await this.#world.attempt('endings read', () => endedOf(database.db, [user.id]))
      if (seen === 'away' || 'refused' in seen) return
      const ended = seen.done.get(user.id)
      const isSeen = ({ kind, ...rest }: Ending) =>
        kind === 'all'
          ? ended?.allMs != null
          : kind === 'session'
            ? ended?.sessions.some(({ name }) => 'name' in rest && name === rest.name)
            : ended?.requests.some((name) => 'name' in rest && name === rest.name)
      if (!endings.every((ending) => isSeen(ending) === true))
        model.surprises.push(`connections of ${user.label} were ended, and gateways do not learn it`)
    }
  }

  #countOf(holder: bigint, ending: Ending): Ended {
    const at = `${holder} ${ending.kind} ${ending.kind === 'all' ? '' : ending.name}`
    const known = this.#ended.get(at) ?? { holder, ending, answered: 0, made: 0 }
    this.#ended.set(at, known)
    return known
  }

  /** The violations at rest: each answered call was counted once. */
  async violations(): Promise<string[]> {
    const rows = await this.#world.database.db
      .selectFrom('ended_connection')
      .select(['holder_id', 'kind', 'name', 'times'])
      .execute()
    return [...this.#ended.values()].flatMap(({ holder, ending, answered, made }) => {
      const name = ending.kind === 'all' ? '' : ending.name
      const row = rows.find(
        (one) => one.holder_id === holder && one.kind === ending.kind && one.name === name,
      )
      const times = row?.times ?? 0
      if (times >= answered && times <= made) return []
      return [
        `connections of ${holder} were ended ${answered} to ${made} times, and ${times} times in the books`,
      ]
    })
  }
}

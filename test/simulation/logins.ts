/**
 * Programs of customers that act on logins of proxy users: on many in one call, in several pools, with chosen
 * names and passwords.
 */
import { contract } from '#contract/contract'
import { pools } from '#contract/wire'
import { transaction } from '#db'
import { findAccess } from '#proxies'
import { makeLinesOfUsers, type ProxiesDeps } from '#proxies/calls'
import { addToPool, changeUser, passwordOf, renewPassword, userOf, usersOfLogin } from '#proxy-users'
import { manyUsersCalls } from '#proxy-users/many.calls'
import { spendableIn, usersTraffic, userReserve } from '#traffic'
import { anySettings } from '../users.ts'
import { idOf } from './dice.ts'
import { contextOf, Endings } from './endings.ts'
import type { SimulatedGateway } from './gateway.ts'
import { alone, type SoldUser } from './sold.ts'
import type { Act, World } from './world.ts'

type Named = { number: number } | { login: string } | { label: string }
type Row = { number: number | null; outcome: string }

/** A call that deletes many, repeated until it is answered: then it has deleted all of them, or none. */
interface Clearing {
  users: SoldUser[]
  attempts: number
}

export class Logins {
  readonly #world: World
  readonly #users: SoldUser[]
  readonly #clearings = new Set<Clearing>()
  readonly #many: ReturnType<typeof manyUsersCalls>
  readonly #endings: Endings

  constructor(world: World, users: SoldUser[]) {
    this.#world = world
    this.#users = users
    const { secrets } = world.deps
    const proxies: ProxiesDeps = {
      secrets,
      trafficOf: spendableIn,
      proxyUserOf: async (db, { accessId, number }) => {
        const user = await userOf(db, { accessId, nr: BigInt(number) })
        return { ...user, password: passwordOf(secrets, user), leftBytes: null }
      },
      portBase: 20_000,
      slots: 0,
      hosts: new Map(),
      defaultHost: 'proxy.example.net',
    }
    this.#endings = new Endings(world, users, proxies)
    this.#many = manyUsersCalls({
      secrets,
      zone: 'UTC',
      ...usersTraffic,
      linesOf: (db, customer, input, users_) =>
        makeLinesOfUsers(proxies, db, { customer, users: users_ }, input),
    })
  }

  /** Some proxy users of one customer in one pool; null: there are none. */
  #some(): SoldUser[] | null {
    const { dice } = this.#world
    const made = this.#users.filter(({ state }) => state === 'made')
    if (made.length === 0) return null
    const { person, pool } = dice.pick(made)
    const theirs = made.filter((user) => user.person === person && user.pool === pool)
    return theirs.filter(() => dice.percent(60)).slice(0, 6)
  }

  /** The names by which a call chooses them. */
  #namesOf(users: readonly SoldUser[]): Named[] {
    const { dice } = this.#world
    return users.map(({ key, label, common: { login, running } }) => {
      const by = dice.pick(['number', 'label', 'login'] as const)
      if (by === 'label') return { label: dice.percent(50) ? label : label.toUpperCase() }
      // The login may be changed by a concurrent act.
      return by === 'login' && login !== null && running === 0 ? { login } : { number: Number(key?.nr ?? 0n) }
    })
  }

  /** A program makes several of its calls, one after another. */
  program(gateway: SimulatedGateway): Act | null {
    const { dice } = this.#world
    const kinds = [
      () => this.#freeze(),
      () => this.#lines(),
      () => this.#rechoose(),
      () => this.#endings.end(),
      () => this.#addPool(),
    ].filter(() => dice.percent(75))
    if (dice.percent(70)) kinds.push(() => this.#clear(gateway))
    const acts = kinds.map((make) => make()).filter((act) => act !== null)
    return async () => {
      for (const act of acts) await act()
    }
  }

  /** Freezes many or frees them; some are named twice, and some names nobody has. */
  #freeze(): Act | null {
    const { dice, model } = this.#world
    const users = this.#some()
    if (users === null) return null
    const twice = users.filter(() => dice.percent(20))
    const named = [...users, ...twice]
    const names: Named[] = [...this.#namesOf(users), ...twice.map(({ key }) => ({ number: Number(key?.nr) }))]
    const strangers = dice.percent(30) || names.length === 0 ? 1 : 0
    if (strangers > 0) names.push({ number: 1_000_000 })
    const [one] = users.length > 0 ? users : this.#users
    if (one === undefined) return null
    const frozen = dice.percent(50)
    return async () => {
      const commons = users.map(({ common }) => common)
      const before = new Map(commons.map((common) => [common, common.isFrozen]))
      const { end, isAlone } = await alone(commons, () =>
        this.#world.attempt('many frozen or freed', () =>
          this.#many.freeze_proxy_users(
            contract.freeze_proxy_users.input.parse({ pool: one.pool, users: names, frozen }),
            contextOf(this.#world, one.person),
          ),
        ),
      )
      for (const common of commons) {
        const isKnown = end !== 'away' && 'done' in end && isAlone(common)
        common.isFrozen = isKnown ? frozen : null
      }
      if (end === 'away' || 'refused' in end) return
      const { users: rows, done } = end.done
      this.#checkRows(names.length, rows, done)
      for (const [index, user] of named.entries()) {
        const { common, state } = user
        if (!isAlone(common) || state !== 'made') continue
        const was = before.get(common) ?? null
        const should = index >= users.length ? 'named_twice' : was === frozen ? 'unchanged' : 'done'
        const { outcome } = rows[index] ?? {}
        if (was !== null && outcome !== should)
          model.surprises.push(
            `${user.label} was ${outcome} in place of ${should} when ${frozen ? 'frozen' : 'freed'}`,
          )
      }
    }
  }

  #checkRows(named: number, rows: readonly Row[], done: number): void {
    const { surprises } = this.#world.model
    const count = rows.filter(({ outcome }) => outcome === 'done').length
    if (rows.length !== named || count !== done)
      surprises.push(
        `a call that named ${named} answered ${rows.length} rows, ${count} done, and says ${done}`,
      )
  }

  /** Deletes many in one call, while some of their tunnels go on. */
  #clear(gateway: SimulatedGateway): Act | null {
    const { dice } = this.#world
    const users = this.#some()
    if (users === null || users.length === 0) return null
    for (const user of users) user.state = 'clearing'
    const clearing: Clearing = { users, attempts: 0 }
    this.#clearings.add(clearing)
    const bytes = users.map(() => dice.whole(1, 3_000_000))
    const visits = () =>
      users.map(
        (user, index) => () =>
          this.#world.attempt('visits of proxy users', () => gateway.spend(user.id, bytes[index] ?? 1, 1)),
      )
    return async () => {
      for (const visit of visits()) await visit()
      await Promise.all([this.#insistOnClearing(clearing), ...visits().map((visit) => visit())])
    }
  }

  async #insistOnClearing(clearing: Clearing): Promise<void> {
    const { users } = clearing
    const [one] = users
    if (one === undefined) return
    clearing.attempts++
    const input = { pool: one.pool, users: users.map(({ key }) => ({ number: Number(key?.nr) })) }
    const end = await this.#world.attempt('many deleted', () =>
      this.#many.delete_proxy_users(
        contract.delete_proxy_users.input.parse(input),
        contextOf(this.#world, one.person),
      ),
    )
    if (end === 'away') return
    const { surprises } = this.#world.model
    this.#clearings.delete(clearing)
    for (const user of users) user.state = 'deleted'
    if ('refused' in end) return void surprises.push(`a call that deletes many was refused: ${end.refused}`)
    const { users: rows, done } = end.done
    this.#checkRows(users.length, rows, done)
    // An earlier attempt whose answer was lost has deleted all or none of them.
    const isRight = done === users.length || (done === 0 && clearing.attempts > 1)
    if (!isRight) surprises.push(`a call deleted ${done} of ${users.length} in attempt ${clearing.attempts}`)
  }

  /** Gets the lines of many, with their passwords. */
  #lines(): Act | null {
    const { dice, model } = this.#world
    const users = this.#some()
    const [one] = users ?? []
    if (users === null || one === undefined) return null
    const each = dice.whole(1, 3)
    const names: Named[] = this.#namesOf(users)
    const isWrong = dice.percent(10)
    if (isWrong) names.splice(dice.whole(0, names.length), 0, { number: 1_000_000 })
    const input = contract.proxy_users_lines.input.parse({
      pool: one.pool,
      users: names,
      anonymous: 'true',
      type: 'rotating',
      protocol: 'http',
      format: 'login:password:hostname:port',
      quantity: each,
      sessionttl: 0,
    })
    return async () => {
      const commons = users.map(({ common }) => common)
      const { end, isAlone } = await alone(commons, () =>
        this.#world.attempt('lines of many', () =>
          this.#many.proxy_users_lines(input, contextOf(this.#world, one.person)),
        ),
      )
      if (end === 'away' || 'refused' in end) return
      const lines = end.done.split('\n')
      const all = users.toSorted((a, b) => Number((a.key?.nr ?? 0n) - (b.key?.nr ?? 0n)))
      if (isWrong || lines.length !== each * all.length)
        return void model.surprises.push(`${lines.length} lines were made of ${names.length} names`)
      for (const [index, { common, label }] of all.entries()) {
        const { login, password } = common
        if (!isAlone(common) || login === null || password === null) continue
        const theirs = lines.slice(index * each, (index + 1) * each)
        if (!theirs.every((line) => line.startsWith(`${login}:${password}:`)))
          model.surprises.push(`${label} has the lines ${theirs.join(' ')} and not ${login}:${password}`)
      }
    }
  }

  /** Lets a login be used in another pool of its customer. */
  #addPool(): Act | null {
    const { dice, model } = this.#world
    const made = this.#users.filter(({ state }) => state === 'made')
    if (made.length === 0) return null
    const source = dice.pick(made)
    const { person, label, common } = source
    const bought = pools.filter(
      (pool) =>
        pool !== source.pool &&
        (pool === 'residential' ||
          model.orders.some((one) => one.person === person && one.pool === pool && one.paidMicros > 0n)),
    )
    if (bought.length === 0) return null
    const pool = dice.pick(bought)
    const isThere = this.#users.some(
      (one) => one.common === common && one.pool === pool && !['refused', 'deleted'].includes(one.state),
    )
    if (isThere) return null
    const bytes = BigInt(dice.whole(0, dice.pick([500_000, 3_000_000, 300_000_000])))
    const user: SoldUser = {
      person,
      pool,
      label,
      isReserved: dice.percent(60),
      bytes,
      state: 'unanswered',
      key: null,
      id: 0n,
      common,
      chosen: {},
      source,
    }
    this.#users.push(user)
    return () => this.#insistOnPool(user)
  }

  async #insistOnPool(user: SoldUser): Promise<void> {
    const { database, deps } = this.#world
    const { person, pool, label, isReserved, bytes, source, common } = user
    const key = source?.key
    if (key == null) return
    const { end } = await alone([common], () =>
      this.#world.attempt('pools added', async () => {
        const access = await findAccess(database.db, { accountId: person.accountId, pool })
        if (access === null) return null
        // An earlier attempt, whose answer was lost, may have made it.
        const claimed = this.#users.flatMap(({ key: theirs }) =>
          theirs?.accessId === access.id ? [theirs.nr] : [],
        )
        const known = await database.db
          .selectFrom('proxy_user')
          .select(['access_id', 'nr', 'id'])
          .where('access_id', '=', access.id)
          .where('label', '=', label)
          .$if(claimed.length > 0, (query) => query.where('nr', 'not in', claimed))
          .executeTakeFirst()
        if (known !== undefined) return { accessId: known.access_id, nr: known.nr, id: known.id ?? 0n }
        const { label: _, externalId: __, metadata: ___, ...settings } = anySettings
        const other = {
          accessId: access.id,
          settings: { ...settings, isReserved, totalBytes: bytes },
          most: 1000,
          reserve: userReserve,
        }
        return transaction(database.db, (tx) => addToPool(tx, deps.secrets, key, other))
      }),
    )
    // Two attempts at once: the other one has made it, and the next finds it.
    if (end === 'away' || ('refused' in end && end.refused === 'user_in_pool')) return
    const made = 'done' in end ? end.done : null
    user.state = made === null ? 'refused' : 'made'
    if (made === null) return
    user.key = { accessId: made.accessId, nr: made.nr }
    user.id = made.id
  }

  /** Chooses another password, and perhaps another login; or has a random password made. */
  #rechoose(): Act | null {
    const { dice, database, deps } = this.#world
    const made = this.#users.filter(({ state }) => state === 'made')
    if (made.length === 0) return null
    const { key, common } = dice.pick(made)
    if (key === null) return null
    const isRandom = dice.percent(30)
    const password = `Chosen.${idOf(dice)}`
    const login = dice.percent(40) ? someLogin(dice) : undefined
    return async () => {
      const { end, isAlone } = await alone([common], () =>
        this.#world.attempt(isRandom ? 'passwords renewed' : 'passwords chosen', () =>
          transaction(database.db, (tx) =>
            isRandom
              ? renewPassword(tx, deps.secrets, key)
              : changeUser(tx, key, {}, { login, password, secrets: deps.secrets }),
          ),
        ),
      )
      const isKnown = end !== 'away' && isAlone(common)
      if (isKnown && 'refused' in end) return
      const user = isKnown && 'done' in end ? end.done : null
      common.password = user === null ? null : isRandom ? passwordOf(deps.secrets, user) : password
      common.login = user === null ? null : user.login
      if (user !== null && passwordOf(deps.secrets, user) !== common.password)
        this.#world.model.surprises.push(`the password of ${user.label} is not the chosen one`)
    }
  }

  /** Repeats an unanswered request; null: all were answered. */
  again(): Act | null {
    const user = this.#users.find(({ state, source }) => state === 'unanswered' && source !== null)
    if (user !== undefined) return () => this.#insistOnPool(user)
    const [clearing] = this.#clearings
    return clearing === undefined ? null : () => this.#insistOnClearing(clearing)
  }

  /** The violations at rest. */
  async violations(): Promise<string[]> {
    return [...(await this.#wrongCommons()), ...(await this.#endings.violations())]
  }

  /** The pools of a login have it, its password, its name and whether it is frozen in common. */
  async #wrongCommons(): Promise<string[]> {
    const { database, deps } = this.#world
    const { db } = database
    const faults: string[] = []
    const ofCommon = Map.groupBy(
      this.#users.filter(({ state }) => state === 'made'),
      ({ common }) => common,
    )
    for (const [common, users] of ofCommon) {
      const [one] = users
      if (one?.key == null) continue
      const { login } = await userOf(db, one.key)
      const there = (await usersOfLogin(db, login)).filter(({ deletedAt }) => deletedAt === null)
      const seen = there.map((user) =>
        [user.login, user.label, user.frozenAt !== null, passwordOf(deps.secrets, user)].join(' '),
      )
      const should = [common.login, one.label, common.isFrozen, common.password]
      if (new Set(seen).size !== 1 || there.length !== users.length)
        faults.push(`${one.label} is in ${users.length} pools, and has there ${seen.join(', ')}`)
      const [first] = there
      if (
        first !== undefined &&
        should.some((value, index) => value !== null && String(value) !== seen[0]?.split(' ')[index])
      )
        faults.push(`${one.label} is ${seen[0]}, and should be ${should.join(' ')}`)
    }
    return faults
  }
}

/** Logins that several customers want, and others that nobody else chooses. */
export const someLogin = (dice: World['dice']): string =>
  dice.percent(30) ? `acme.${dice.pick(['anna', 'bob', 'carl', 'dora'])}` : `mine.${idOf(dice)}`

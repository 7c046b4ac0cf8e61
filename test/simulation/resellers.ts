/** Customers with proxy users: they make them, give, take, and delete, each repeated until it is answered. */
import { sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { Kysely } from 'kysely'
import { isReservedUserId } from '#feed/user.ids'
import { addToUser, createUser, deleteUser, passwordOf, userOf } from '#proxy-users'
import { returnReserves, usedByUsers, userReserve } from '#traffic'
import { anySettings } from '../users.ts'
import { idOf } from './dice.ts'
import type { SimulatedGateway } from './gateway.ts'
import { someLogin } from './logins.ts'
import { newCommon, type SoldUser } from './sold.ts'
import type { Act, World } from './world.ts'

/** Bytes given, or taken (negative). */
interface Amount {
  user: SoldUser
  bytes: bigint
  reference: string
  state: 'unanswered' | 'refused' | 'done'
}

export class Resellers {
  readonly #world: World
  readonly users: SoldUser[] = []
  readonly #amounts: Amount[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** Before anything can fail, customers have proxy users. */
  async begin(): Promise<void> {
    const { model } = this.#world
    const paid = model.orders.filter(({ paidMicros, pool }) => paidMicros > 0n && pool !== 'balance')
    for (const order of paid) await this.#sell(order)()
    for (const person of model.people) await this.#sell({ person, pool: 'residential' })()
  }

  sell(): Act {
    const { dice, model } = this.#world
    const paid = model.orders.filter(({ paidMicros, pool }) => paidMicros > 0n && pool !== 'balance')
    const order = dice.percent(80) && paid.length > 0 ? dice.pick(paid) : null
    return this.#sell(order ?? { person: dice.pick(model.people), pool: 'residential' })
  }

  #sell({ person, pool }: Pick<SoldUser, 'person' | 'pool'>): Act {
    const { dice } = this.#world
    const user: SoldUser = {
      person,
      pool,
      label: idOf(dice),
      isReserved: dice.percent(75),
      bytes: BigInt(dice.whole(0, dice.pick([500_000, 3_000_000, 300_000_000]))),
      state: 'unanswered',
      key: null,
      id: 0n,
      common: newCommon(),
      chosen: {
        ...(dice.percent(30) ? { login: someLogin(dice) } : {}),
        ...(dice.percent(40) ? { password: `Chosen.${idOf(dice)}` } : {}),
      },
      source: null,
    }
    this.users.push(user)
    return () => this.#insistOnUser(user)
  }

  give(): Act | null {
    return this.#change((dice) => BigInt(dice.whole(1, dice.pick([500_000, 500_000_000, 40_000_000_000]))))
  }

  take(): Act | null {
    return this.#change((dice) => -BigInt(dice.whole(1, dice.pick([500_000, 500_000_000]))))
  }

  #change(bytesOf: (dice: World['dice']) => bigint): Act | null {
    const { dice } = this.#world
    const made = this.users.filter(({ state }) => state === 'made')
    if (made.length === 0) return null
    const user = dice.pick(made)
    const reference = `${user.person.accountId}:${idOf(dice)}`
    const amount: Amount = { user, bytes: bytesOf(dice), reference, state: 'unanswered' }
    this.#amounts.push(amount)
    // A program may send a call twice at once.
    const calls = dice.percent(20) ? 2 : 1
    return async () => {
      await Promise.all(Array.from({ length: calls }, () => this.#insistOnAmount(amount)))
    }
  }

  /** Its tunnels go on for a moment. */
  remove(gateway: SimulatedGateway): Act | null {
    const { dice } = this.#world
    const made = this.users.filter(({ state }) => state === 'made')
    if (made.length === 0) return null
    const user = dice.pick(made)
    user.state = 'deleting'
    const visits = [1, 2, 3].map(() => this.#visit(user, gateway))
    const last = this.#visit(user, gateway)
    return async () => {
      for (const visit of visits) await visit()
      await Promise.all([this.#insistOnDeletion(user), last()])
    }
  }

  spend(gateway: SimulatedGateway): Act | null {
    const known = this.users.filter(({ key }) => key !== null)
    return known.length === 0 ? null : this.#visit(this.#world.dice.pick(known), gateway)
  }

  #visit(user: SoldUser, gateway: SimulatedGateway): Act {
    const { dice } = this.#world
    const bytes = dice.whole(1, dice.pick([5000, 3_000_000, 100_000_000]))
    const multiplier = dice.whole(1, 2)
    return async () => {
      await this.#world.attempt('visits of proxy users', () => gateway.spend(user.id, bytes, multiplier))
    }
  }

  returnReserves(): Act {
    return async () => {
      await this.#returnReserves()
    }
  }

  /** The job runs again until it reaches the database. */
  async insistOnReserves(): Promise<void> {
    for (let attempts = 0; attempts < 30; attempts++) if ((await this.#returnReserves()) !== 'away') return
  }

  readonly #returnReserves = () =>
    this.#world.attempt('reserves returned', () => returnReserves(this.#world.database.db))

  /** A program repeats a call that gave or took and was answered; null: none was. */
  replay(): Act | null {
    const done = this.#amounts.filter(({ state }) => state === 'done')
    if (done.length === 0) return null
    const amount = this.#world.dice.pick(done)
    return () => this.#insistOnAmount(amount)
  }

  /** Repeats an unanswered request; null: all were answered. */
  again(): Act | null {
    const user = this.users.find(
      ({ state, source }) => (state === 'unanswered' && source === null) || state === 'deleting',
    )
    const amount = this.#amounts.find(({ state }) => state === 'unanswered')
    if (user !== undefined)
      return () => (user.state === 'deleting' ? this.#insistOnDeletion(user) : this.#insistOnUser(user))
    return amount === undefined ? null : () => this.#insistOnAmount(amount)
  }

  async #insistOnUser(user: SoldUser): Promise<void> {
    const { database, deps } = this.#world
    const { person, pool, label, isReserved, bytes, common, chosen } = user
    const end = await this.#world.attempt('proxy users made', async () => {
      const access = await database.db
        .selectFrom('access')
        .select('id')
        .where('account_id', '=', person.accountId)
        .where('pool', '=', pool)
        .executeTakeFirst()
      if (access === undefined) return null
      // An earlier attempt, whose answer was lost, may have made it.
      const known = await database.db
        .selectFrom('proxy_user')
        .select(['access_id', 'nr'])
        .where('access_id', '=', access.id)
        .where('label', '=', label)
        .executeTakeFirst()
      if (known !== undefined) return userOf(database.db, { accessId: known.access_id, nr: known.nr })
      const settings = { ...anySettings, ...chosen, label, isReserved, totalBytes: bytes }
      const make = { accessId: access.id, settings, most: 1000, reserve: userReserve }
      return transaction(database.db, (tx) => createUser(tx, deps.secrets, make))
    })
    // Two attempts at once: the other one has made it, and the next finds it.
    if (end === 'away' || ('refused' in end && end.refused === 'user_label_taken')) return
    const made = 'done' in end ? end.done : null
    user.state = made === null ? 'refused' : 'made'
    if (made === null) return
    user.key = { accessId: made.accessId, nr: made.nr }
    user.id = made.id
    common.login = made.login
    common.password = passwordOf(deps.secrets, made)
    const { login = common.login, password = common.password } = chosen
    if (common.login !== login || common.password !== password)
      this.#world.model.surprises.push(`${label} was made as ${common.login} in place of ${login}`)
    if ('password' in chosen) this.#world.model.count('proxy users with a chosen password')
  }

  async #insistOnAmount(amount: Amount): Promise<void> {
    const { user, bytes, reference } = amount
    const { key } = user
    if (key === null) return
    const usedBytes = async (db: Kysely<DB>, id: bigint) =>
      (await usedByUsers(db, [id], { now: this.#world.now, zone: 'UTC' })).get(id)?.totalBytes ?? 0n
    const change = { bytes, reference, usedBytes, reserve: userReserve }
    const end = await this.#world.attempt(bytes > 0n ? 'bytes given' : 'bytes taken', () =>
      transaction(this.#world.database.db, (tx) => addToUser(tx, key, change)),
    )
    if (end === 'away' || amount.state === 'done') return
    if ('done' in end) amount.state = 'done'
    // Its proxy user may have been deleted since an attempt whose answer was lost: the books decide.
    else amount.state = 'refused'
  }

  async #insistOnDeletion(user: SoldUser): Promise<void> {
    const { key } = user
    if (key === null) return
    const deletion = { secrets: this.#world.deps.secrets, reserve: userReserve }
    const end = await this.#world.attempt('proxy users deleted', () =>
      transaction(this.#world.database.db, (tx) => deleteUser(tx, deletion, key)),
    )
    if (end !== 'away') user.state = 'deleted'
  }

  /** The violations at rest besides the books, which compare reserves with the ledger. */
  async violations(): Promise<string[]> {
    const { database, model } = this.#world
    const faults: string[] = []
    const { rows } = await sql<{ reference: string; bytes: bigint }>`
      select reference, bytes from proxy_user_change where reference is not null`.execute(database.db)
    const made = new Map(rows.map((row) => [row.reference, row.bytes]))
    for (const { reference, bytes, state, user } of this.#amounts) {
      const is = made.get(reference)
      const isRight = is === bytes ? state === 'done' || user.state === 'deleted' : is === undefined
      if (!isRight || (state === 'done' && is !== bytes))
        faults.push(`a change of ${bytes} B was ${state}, and made ${is ?? 'not'}`)
    }
    const { rows: users } = await sql<{
      id: bigint
      total: bigint
      used: bigint
      lost: bigint
      is_deleted: boolean
      holds: boolean
    }>`
      select u.id, u.total_bytes as total, coalesce(p.charged_bytes, 0) as used, u.deleted_at is not null as is_deleted,
        u.holds_reserve as holds, coalesce((select sum(w.bytes) from lease l join write_off w on w.lease_id = l.id
          where l.access_id = u.access_id and l.proxy_user_id = u.id), 0)::bigint as lost
      from proxy_user u left join proxy_user_use p on p.proxy_user_id = u.id`.execute(database.db)
    for (const row of users) {
      const isReserved = isReservedUserId(row.id)
      const relayed = model.journalled.get(row.id)?.bytes ?? 0n
      if (isReserved && relayed > 0n) model.count('reserves spent from')
      const sold = this.users.find(({ id }) => id === row.id)
      const done = this.#amounts.filter(({ user, reference }) => user === sold && made.has(reference))
      const given = done.reduce((sum, { bytes }) => sum + bytes, sold?.bytes ?? 0n)
      if (isReserved ? row.used + row.lost !== relayed : row.used !== relayed && !model.isLeaseLost)
        faults.push(
          `proxy user ${row.id} relayed ${relayed} B; it used ${row.used} B, ${row.lost} B were borne`,
        )
      if (!isReserved && row.total !== given)
        faults.push(`proxy user ${row.id} may use ${row.total} B, and was given ${given} B`)
      if (isReserved && row.total > given)
        faults.push(`${row.total} B are reserved for proxy user ${row.id}, which was given ${given} B`)
      if (row.holds || (isReserved && row.is_deleted && row.total !== row.used))
        faults.push(`the deleted proxy user ${row.id} still holds ${row.total - row.used} B`)
    }
    return faults
  }
}

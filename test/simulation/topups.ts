/**
 * Automatic top-up in a simulation: saved methods, runs of the job, banks that decline, customers who refuse.
 */
import { sql } from 'kysely'
import { transaction } from '#db'
import { receiveWebhook } from '#purchase'
import { runTopUps, type TopUpDeps } from '#topup'
import { topUpText } from '../../src/topup/consent.ts'
import { keepMethod, lockTopUps, savedMethods } from '../../src/topup/saved.ts'
import { removeMethod, switchOn } from '../../src/topup/switch.ts'
import type { Person } from './model.ts'
import type { Act, World } from './world.ts'

/** The threshold: almost as much as is bought, so that a few large visits cross it. */
const belowBytes = 900_000_000n
const boughtBytes = 1_000_000_000n
const pool = 'residential'
const reasons = ['insufficient_funds', 'generic_decline', 'authentication_required'] as const

export class TopUps {
  readonly #world: World
  readonly #deps: TopUpDeps
  /** The removed methods, each with the number of its charges at the end of that round; null: not over. */
  readonly #removed = new Map<string, number | null>()
  readonly #owned = new Map<Person, string>()

  constructor(world: World) {
    this.#world = world
    this.#deps = { ...world.deps, automatic: new Set(['card', 'yookassa']) }
  }

  /** Some customers save a card and agree to top-ups. */
  async furnish(): Promise<void> {
    const { model, database, processors } = this.#world
    const dice = this.#world.dice.of('top-ups')
    for (const person of model.people) {
      if (!dice.percent(70)) continue
      const method = dice.pick(['card', 'yookassa'] as const)
      const found = processors.saveMethod(method)
      this.#owned.set(person, found.id)
      const { accountId } = person
      const most = { currency: method === 'card' ? 'USD' : 'RUB', micros: 1_000_000_000_000n }
      const monthMicros = BigInt(dice.whole(1, 4)) * 4_000_000n
      await transaction(database.db, async (tx) => {
        await keepMethod(tx, this.#deps.secrets, { accountId, method, found }, this.#world.now)
        const [saved] = await savedMethods(tx, accountId)
        if (saved === undefined) throw new Error('no method was saved')
        const terms = {
          pool,
          card: 'card',
          belowBytes,
          gb: 1n,
          costMicros: 1n,
          price: most,
          most,
          monthMicros,
        } as const
        const agreement = { accountId, text: topUpText('en', terms), ip: null, userAgent: null }
        await switchOn(tx, { agreement, saved, terms }, this.#world.now)
      })
    }
  }

  /** One or two workers at once. */
  run(workers: number): Act {
    const { database, now } = this.#world
    return async () => {
      await Promise.all(
        Array.from({ length: workers }, () =>
          this.#world.attempt('top-ups', () => runTopUps(database, this.#deps, now)),
        ),
      )
    }
  }

  /** The next charge is declined, or its answer is lost. */
  trouble(): Act {
    const { dice, processors } = this.#world
    const name = dice.pick(['card', 'yookassa'] as const)
    if (dice.percent(50)) processors.decline(name, dice.pick(reasons))
    else processors.fake(name)?.trouble(dice.pick(['lost', 500, 'malformed'] as const))
    return () => Promise.resolve()
  }

  /** The processors send notifications of charges, repeatedly. */
  notify(): Act | null {
    const { dice, processors, database, deps, now, trueNow } = this.#world
    const charges = processors.charges()
    if (charges.length === 0) return null
    const { method, externalId } = dice.pick(charges)
    const copies = dice.whole(1, 3)
    return async () => {
      const deliver = () =>
        this.#world.attempt('notifications', () =>
          receiveWebhook(
            database,
            deps,
            { ...processors.notice(method, { externalId }, trueNow), method },
            now,
          ),
        )
      await Promise.all(Array.from({ length: copies }, deliver))
    }
  }

  /** A customer whose bank requires a confirmation pays on the page. */
  confirm(): Act {
    const { database, processors } = this.#world
    return async () => {
      await this.#world.attempt('looks', async () => {
        const { rows } = await sql<{ id: string }>`
          select external_id as id from invoice
          where is_automatic and state = 'pending' and external_id like 'cs\\_%' limit 1`.execute(database.db)
        for (const { id } of rows) processors.payWhole('card', id)
      })
    }
  }

  /** A customer removes the card. */
  refuse(): Act | null {
    const { dice, database } = this.#world
    const owners = [...this.#owned]
    if (owners.length === 0) return null
    const [person, id] = dice.pick(owners)
    const { accountId } = person
    return async () => {
      const end = await this.#world.attempt('removals of cards', () =>
        transaction(database.db, async (tx) => {
          await lockTopUps(tx, accountId)
          const [saved] = await savedMethods(tx, accountId)
          const end = { reason: 'method_removed', by: 'customer' } as const
          if (saved !== undefined) await removeMethod(tx, saved, end, this.#world.now)
        }),
      )
      if (end === 'away' || 'refused' in end) return
      this.#owned.delete(person)
      this.#removed.set(id, null)
    }
  }

  /** Called at the end of a round, when requests sent before a card was removed have ended. */
  noteRound(): void {
    for (const [id, known] of this.#removed)
      if (known === null) this.#removed.set(id, this.#world.processors.attemptsOn(id))
  }

  /**
   * Each crossing takes money at most once, within the bound of each month, with one entry in the books; no
   * charge follows a revocation.
   */
  async violations(): Promise<string[]> {
    const { database, processors, model } = this.#world
    const { rows } = await sql<{ what: string }>`
      select 'crossing ' || c.crossing || ' of account ' || c.account_id || ' was charged for ' || count(*) || ' times' as what
        from top_up_charge c join invoice i on i.id = c.invoice_id where i.received_micros > 0
        group by c.account_id, c.pool, c.crossing having count(*) > 1
      union all
      select 'account ' || c.account_id || ' paid ' || sum(i.received_micros) || ' in ' || c.month
        from top_up_charge c join invoice i on i.id = c.invoice_id join top_up t on t.account_id = c.account_id and t.pool = c.pool
        group by c.account_id, c.pool, c.month, t.month_micros having sum(i.received_micros) > t.month_micros
      union all
      select 'the charge ' || c.id || ' is ' || c.state from top_up_charge c where c.state not in ('succeeded', 'failed')
      union all
      select 'the charge ' || c.id || ' is ' || c.state || ', and its invoice received ' || i.received_micros
        from top_up_charge c join invoice i on i.id = c.invoice_id
        where (c.state = 'succeeded') <> (i.received_micros = i.cost_micros) and c.reason is distinct from 'no_answer'`.execute(
      database.db,
    )
    const faults = [...rows.map(({ what }) => what), ...(await this.#unexplained())]
    const { rows: paid } = await sql<{ number: string; received: bigint; cost: bigint; id: string | null }>`
      select number, received_micros as received, cost_micros as cost, external_id as id from invoice
      where is_automatic`.execute(database.db)
    const charges = processors.charges()
    model.count('automatic charges', charges.length)
    for (const { number } of charges) {
      const invoice = paid.find((one) => one.number === number)
      if (invoice?.received !== invoice?.cost || invoice === undefined)
        faults.push(`the charge of ${number} is not in the books`)
      if (charges.filter((one) => one.number === number).length > 1)
        faults.push(`${number} was charged twice`)
    }
    for (const [id, count] of this.#removed) {
      const more = processors.attemptsOn(id) - (count ?? 0)
      if (more > 0) faults.push(`${more} charges were tried with a card that its owner had removed`)
    }
    return faults
  }

  /**
   * Before each charge less than the threshold was left, and each charge has added more than that, so usage,
   * refunds and what was reserved for proxy users explain every charge after the first. This check uses the books only, whatever the charges
   * record as their crossing.
   */
  async #unexplained(): Promise<string[]> {
    const { rows } = await sql<{ account_id: bigint; charges: bigint; gone: bigint }>`
      select i.account_id, count(*) as charges,
        (coalesce((select sum(l.charged_bytes) from meter m join lease l on l.access_id = m.access_id
            where m.account_id = i.account_id and m.pool = ${pool}), 0)
          + coalesce((select sum(c.bytes) from access s join proxy_user u on u.access_id = s.id and u.is_reserved
              join proxy_user_change c on c.access_id = u.access_id and c.nr = u.nr and c.bytes > 0
            where s.account_id = i.account_id and s.pool = ${pool}), 0)
          + coalesce((select sum(r.taken_back_bytes) from invoice r
            where r.account_id = i.account_id and r.pool = ${pool}), 0))::bigint as gone
      from invoice i where i.is_automatic and i.received_micros > 0 group by i.account_id`.execute(
      this.#world.database.db,
    )
    return rows
      .filter(({ charges, gone }) => gone + belowBytes <= (charges - 1n) * boughtBytes)
      .map(
        ({ account_id: id, charges, gone }) =>
          `account ${id} was charged ${charges} times, and used ${gone} B`,
      )
  }
}

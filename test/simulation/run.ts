/** One seed: the life of a small shop, then a quiet phase, then the checks. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  askForFees,
  askForRefunds,
  expireInvoices,
  reconcileInvoices,
  sendRefunds,
  watchReturns,
} from '#purchase'
import { createFeed, expireLeases, type FeedDeps, forgetDeletedUsers, type TrafficFeed } from '#traffic'
import { keepBooks, verifyBooks } from '../../src/main/books.ts'
import { violations } from './check.ts'
import { Customers } from './customers.ts'
import { Dice } from './dice.ts'
import { SimulatedGateway } from './gateway.ts'
import { Logins } from './logins.ts'
import { wrongNow } from './look.ts'
import { Operator } from './operator.ts'
import { Post } from './post.ts'
import { Resellers } from './resellers.ts'
import type { Server } from './server.ts'
import { TopUps } from './topups.ts'
import { type ActName, weightsOf } from './weights.ts'
import { type Act, World } from './world.ts'

export interface Outcome {
  seed: number
  violations: string[]
  counts: ReadonlyMap<string, number>
}

const hourMs = 60 * 60_000
const wrongClocksMs = [hourMs, -24 * hourMs, 400 * 24 * hourMs]
/** A simulated gateway knows its accounts and uses only the feed's leases and reports. */
const asked: Partial<FeedDeps> = { settleEveryMs: 0, isOfThisMachine: true, zone: 'UTC' }
const unasked = new Proxy(asked as FeedDeps, {
  get: (target, name) =>
    Reflect.get(target, name) ??
    (() => Promise.reject(new Error(`${String(name)} is not used in a simulation`))),
})

/** Runs a seed on a separate database. Throws only when the simulation itself fails. */
export async function runSeed(server: Server, seed: number): Promise<Outcome> {
  const dice = new Dice(`seed ${seed}`)
  const { world, feed } = await server.calmly(() => begin(server, dice))
  const { name } = world.database
  const life = new Life(world, feed, { cut: () => server.cut(name), restart: () => server.restart() })
  try {
    await server.calmly(() => life.furnish())
    await life.live()
    return await server.calmly(async () => {
      await life.quiet()
      const wrong = [...(await violations(world)), ...(await life.violations())]
      return { seed, violations: wrong, counts: world.model.counts }
    })
  } finally {
    await server.calmly(async () => {
      life.end()
      await feed.close()
      await world.close()
    })
  }
}

async function begin(server: Server, dice: Dice): Promise<{ world: World; feed: TrafficFeed }> {
  const database = await server.database()
  return { world: await World.make(dice, database), feed: await createFeed(database, unasked) }
}

interface Blows {
  cut: () => Promise<void>
  restart: () => Promise<void>
}

class Life {
  readonly #world: World
  readonly #blows: Blows
  readonly #post: Post
  readonly #customers: Customers
  readonly #operator: Operator
  readonly #topUps: TopUps
  readonly #resellers: Resellers
  readonly #logins: Logins
  readonly #gateways: SimulatedGateway[]
  readonly #weights: Record<ActName, number>
  readonly #isViolent: boolean

  constructor(world: World, feed: TrafficFeed, blows: Blows) {
    this.#world = world
    this.#blows = blows
    this.#post = new Post(world)
    this.#customers = new Customers(world, this.#post)
    this.#resellers = new Resellers(world)
    this.#operator = new Operator(world, this.#post, this.#resellers.users)
    this.#topUps = new TopUps(world)
    this.#logins = new Logins(world, this.#resellers.users)
    const { dice } = world
    const lossPercent = dice.percent(70) ? dice.whole(1, 30) : 0
    this.#gateways = Array.from({ length: dice.whole(1, 3) }, (_, index) => {
      const gateway = new SimulatedGateway(`gw${index}`, world, feed)
      gateway.lossPercent = lossPercent
      return gateway
    })
    this.#weights = weightsOf(dice)
    this.#isViolent = dice.percent(60)
  }

  /** Rounds in which several actions are concurrent. */
  async live(): Promise<void> {
    const world = this.#world
    const { dice } = world
    await Promise.all(this.#gateways.map((gateway) => gateway.start()))
    // Most lives are short, so that there are many; some have time for long stories.
    const rounds = dice.percent(10) ? dice.whole(20, 50) : dice.whole(4, 14)
    for (let left = rounds; left > 0; left--) {
      world.round++
      world.trueMs += dice.whole(1, 600) * 1000
      world.monotonicMs += dice.whole(10, 400)
      const acts = this.#post.due()
      // Faults are more frequent in rounds with due notifications, since few rounds have any.
      const isBlow = this.#isViolent && dice.percent(acts.length > 0 ? 40 : 8)
      if (isBlow) acts.push(this.#blow(), this.#customers.order(), this.#customers.order())
      for (let wanted = dice.whole(1, 6); wanted > 0; wanted--) acts.push(...this.#act())
      await Promise.all(acts.map((act) => act()))
      this.#topUps.noteRound()
      await this.#look()
      for (const gateway of this.#gateways) gateway.tick()
    }
  }

  #act(): Act[] {
    const make = this.makers()[this.#world.dice.weighted(this.#weights)]
    const act = make()
    return act === null ? [] : [act]
  }

  makers(): Record<ActName, () => Act | null> {
    const { dice, model } = this.#world
    const customers = this.#customers
    const logins = this.#logins
    const done = () => Promise.resolve()
    const gateway = () => dice.pick(this.#gateways)
    return {
      order: () => customers.order(),
      pay: () => customers.pay(),
      again: () => customers.again() ?? this.#resellers.again() ?? logins.again(),
      replay: () => (dice.percent(50) ? customers.replay() : this.#resellers.replay()),
      spendShares: () => customers.spendShares(),
      spendMoney: () => customers.spendMoney(),
      redeem: () => customers.redeem(),
      refund: () => this.#operator.refund(),
      refundMoney: () => this.#operator.refundMoney(),
      delay: () => this.#operator.delay(),
      decide: () => this.#operator.decide(),
      returns: () => this.#operator.returnAtProcessor(),
      disputeReserved: () => this.#operator.disputeReserved(),
      spend: () => this.#spend(gateway()),
      kill: () => {
        gateway().kill()
        return done
      },
      start: (): Act | null => {
        const down = this.#gateways.find(({ isUp }) => !isUp)
        return down === undefined ? null : () => this.#start(down)
      },
      disk: (): Act => {
        const one = gateway()
        one.isDiskFull = !one.isDiskFull
        return done
      },
      giveUp: (): Act => {
        model.isLeaseLost = true
        return () =>
          this.#try('leases given up', () => expireLeases(this.#world.database.db, { silentMinutes: 0 }))
      },
      poll: () => this.#poll(dice.whole(1, 2)),
      sell: () => this.#resellers.sell(),
      spendUser: () => this.#resellers.spend(gateway()),
      give: () => this.#resellers.give(),
      take: () => this.#resellers.take(),
      remove: () => this.#resellers.remove(gateway()),
      returnReserves: () => this.#resellers.returnReserves(),
      program: () => logins.program(gateway()),
      topUp: () => this.#topUps.run(dice.whole(1, 2)),
      charged: () => this.#topUps.notify(),
      decline: () => this.#topUps.trouble(),
      confirm: () => this.#topUps.confirm(),
      refuse: () => this.#topUps.refuse(),
      expire: (): Act => () =>
        this.#try('expiries', () => expireInvoices(this.#world.database.db, this.#world.now)),
      // For the database, the hours of simulated days are months old or already closed.
      keep: (): Act => () =>
        this.#try('books kept', () => keepBooks(this.#world.database.db, { hourMonths: 1, dayMonths: null })),
      clock: (): Act => {
        this.#world.skewMs = this.#world.skewMs === 0 ? dice.pick(wrongClocksMs) : 0
        return done
      },
      downtime: (): Act => {
        // The shop answers nothing for days, after which the processors stop their retries.
        this.#post.hurry()
        customers.confirmCoins()
        this.#world.trueMs += dice.whole(1, 5) * 24 * hourMs
        return done
      },
    }
  }

  async #try(what: string, work: () => Promise<unknown>): Promise<void> {
    await this.#world.attempt(what, work)
  }

  /** Between rounds: leases and reports of gateways go on meanwhile. */
  async #look(): Promise<void> {
    const { model } = this.#world
    const seen = await this.#world.attempt('looks', () => wrongNow(this.#world))
    if (seen !== 'away' && 'done' in seen)
      model.surprises.push(...seen.done.map((what) => `in round ${this.#world.round}: ${what}`))
  }

  #start(gateway: SimulatedGateway): Promise<void> {
    // Two actions of a round may start the same gateway.
    return gateway.isUp ? Promise.resolve() : (this.#starting.get(gateway) ?? this.#begin(gateway))
  }

  readonly #starting = new Map<SimulatedGateway, Promise<void>>()

  #begin(gateway: SimulatedGateway): Promise<void> {
    const started = gateway.start().finally(() => this.#starting.delete(gateway))
    this.#starting.set(gateway, started)
    return started
  }

  #spend(gateway: SimulatedGateway): Act {
    const { dice, model, database } = this.#world
    const person = dice.pick(model.people)
    const paid = model.orders.filter(({ paidMicros, pool }) => paidMicros > 0n && pool !== 'balance')
    const order = dice.percent(70) && paid.length > 0 ? dice.pick(paid) : null
    const payload = dice.weighted({ small: 5, large: 3, huge: 2 })
    const most = { small: 5000, large: 3_000_000, huge: 400_000_000 }[payload]
    const bytes = dice.whole(1, most)
    const multiplier = dice.whole(1, 2)
    const who = order === null ? { person, pool: 'residential' } : order
    return () =>
      this.#try('visits', async () => {
        const access = await database.db
          .selectFrom('access')
          .select('id')
          .where('account_id', '=', who.person.accountId)
          .where('pool', '=', who.pool)
          .executeTakeFirst()
        if (access !== undefined) await gateway.spend(access.id, bytes, multiplier)
      })
  }

  #poll(workers: number): Act {
    const { database, deps, now } = this.#world
    return async () => {
      await Promise.all(
        Array.from({ length: workers }, async () => {
          await this.#try('polls', () => reconcileInvoices(database, deps, now))
          await this.#try('refunds told', () => sendRefunds(database, deps, now))
          await this.#try('returns watched', () => watchReturns(database, deps, now))
          await this.#try('refunds asked for', () => askForRefunds(database, deps, now))
          await this.#try('fees asked for', () => askForFees(database, deps, now))
        }),
      )
    }
  }

  /**
   * The database loses every connection, now or shortly. Sometimes the whole server is restarted, which
   * affects all concurrent seeds.
   */
  #blow(): Act {
    const { dice, model } = this.#world
    const afterMs = dice.percent(50) ? dice.whole(0, 3) : dice.whole(0, 25)
    const isRestart = dice.percent(3)
    return async () => {
      await sleep(afterMs)
      model.count(isRestart ? 'database restarts' : 'connections cut')
      await (isRestart ? this.#blows.restart() : this.#blows.cut())
    }
  }

  /** All faults end, and all actors get the time to finish. */
  async quiet(): Promise<void> {
    const world = this.#world
    world.skewMs = 0
    this.#customers.confirmCoins()
    world.processors.approve()
    this.#operator.decide()
    world.processors.accept('succeeded')
    for (const { name } of world.deps.methods.list())
      world.processors.fake(name as Parameters<typeof world.processors.fake>[0])?.calm()
    for (const gateway of this.#gateways) {
      gateway.isDiskFull = false
      gateway.lossPercent = 0
    }
    await Promise.all(this.#gateways.map((gateway) => this.#start(gateway)))
    await Promise.all(this.#gateways.map((gateway) => gateway.stop()))
    // A granted lease whose answer was lost is returned by the next boot.
    await Promise.all(this.#gateways.map((gateway) => this.#start(gateway).then(() => gateway.stop())))
    await this.#insist()
    await this.#resellers.insistOnReserves()
    // The poller's next runs, and its last checks of everything.
    for (const minutes of [11, 11, 3 * 24 * 60, 90]) {
      world.trueMs += minutes * 60_000
      await this.#try('expiries', () => expireInvoices(world.database.db, world.now))
      await this.#pollUntilAnswered()
      await this.#topUps.run(1)()
    }
    await this.#endCharges()
  }

  /** Pending charges have had a day. */
  async #endCharges(): Promise<void> {
    for (const minutes of [24 * 60, 11]) {
      this.#world.trueMs += minutes * 60_000
      await this.#try('expiries', () => expireInvoices(this.#world.database.db, this.#world.now))
      await this.#pollUntilAnswered()
      await this.#topUps.run(1)()
    }
  }

  /** Prepares the customers before anything can fail. */
  async furnish(): Promise<void> {
    await this.#topUps.furnish()
    await this.#customers.begin()
    for (const act of this.#post.due()) await act()
    await this.#customers.beginToBuy()
    await this.#resellers.begin()
  }

  /** The violations at rest besides the books. */
  async violations(): Promise<string[]> {
    return [
      ...(await this.#topUps.violations()),
      ...(await this.#resellers.violations()),
      ...(await this.#logins.violations()),
      ...(await this.#forgotten()),
    ]
  }

  /** The books also verify without the proxy users that were deleted, whose rows are removed years later. */
  async #forgotten(): Promise<string[]> {
    const { dice, database, model } = this.#world
    if (!dice.percent(30)) return []
    const now = new Date(Date.now() + 900 * 24 * hourMs)
    model.count(
      'proxy users forgotten',
      await forgetDeletedUsers(database.db, { now, months: 13, recordDays: 30 }),
    )
    const findings = await verifyBooks(database.db)
    return findings.map(
      ({ check, subject }) => `${check}: ${subject}, after deleted proxy users were removed`,
    )
  }

  /**
   * The processors no longer fail, but on an overloaded machine an answer may be late: then another run
   * follows.
   */
  async #pollUntilAnswered(): Promise<void> {
    const { model } = this.#world
    for (let attempts = 0; attempts < 30; attempts++) {
      const before = model.counts.get('processor faults')
      await this.#poll(1)()
      if (model.counts.get('processor faults') === before) return
      this.#world.trueMs += 11 * 60_000
    }
  }

  async #insist(): Promise<void> {
    const { model } = this.#world
    this.#post.hurry()
    for (let attempts = 0; attempts < 60; attempts++) {
      this.#world.round++
      const again = this.#customers.again() ?? this.#resellers.again() ?? this.#logins.again()
      const refunds = model.orders.filter(({ wish }) => wish !== null)
      if (again === null && refunds.length === 0 && this.#post.pressing === 0) return
      for (const act of this.#post.due()) await act()
      for (const order of refunds) await this.#operator.insist(order)
      await again?.()
    }
    model.surprises.push('a request was not answered at rest')
  }

  end(): void {
    for (const gateway of this.#gateways) {
      gateway.kill()
      gateway.remove()
    }
  }
}

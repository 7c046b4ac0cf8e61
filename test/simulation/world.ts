/** A small shop with everything that can fail in it: the shared state of a simulation's actors. */
import { randomBytes } from 'node:crypto'
import { seedDemoCatalog } from '#catalog'
import { pools } from '#contract/wire'
import { isDatabaseAway, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { secretsOf } from '#lib/secret'
import { PaymentMethods } from '#payments'
import { setRate } from '#rates'
import { createCode } from '#promo'
import { ensureAccess } from '#proxies'
import type { PurchaseDeps } from '#purchase'
import { storeSetting } from '#settings'
import { creditTraffic, openMeter } from '#traffic'
import type { Dice } from './dice.ts'
import { Model, type Person } from './model.ts'
import type { SeedDatabase } from './server.ts'
import { type Processors, startProcessors } from './processors.ts'

/**
 * The initial credit of every customer, so that gateways have work from the start: a bonus close to its end.
 */
export const firstBonusBytes = 5_000_000n

const startMs = Date.UTC(2026, 4, 17, 12)
const processorTimeoutMs = 250

/** One action of an actor: decided when it is created, executed when it is called. */
export type Act = () => Promise<void>

export class World {
  readonly dice: Dice
  readonly database: SeedDatabase
  readonly processors: Processors
  readonly deps: PurchaseDeps
  readonly model = new Model()
  readonly discountCodes: string[] = []
  readonly trafficCodes: string[] = []
  round = 0
  /** The right time, and the error of the shop's clock. */
  trueMs = startMs
  skewMs = 0
  /** Milliseconds of a monotonic clock, for the gateways' measurements. */
  monotonicMs = 0

  private constructor(dice: Dice, database: SeedDatabase, processors: Processors) {
    this.dice = dice
    this.database = database
    this.processors = processors
    this.deps = {
      methods: new PaymentMethods(processors.methods),
      secrets: secretsOf('a test key of more than thirty-two characters'),
      receipts: null,
      takesBack: () => Promise.resolve(true),
      noteFault: () => this.model.count('processor faults'),
      noteSale: () => undefined,
    }
  }

  static async make(dice: Dice, database: SeedDatabase): Promise<World> {
    const world = new World(dice, database, await startProcessors(processorTimeoutMs))
    await world.#furnish(dice.of('furniture'))
    return world
  }

  /** The time of the processors' clocks: always right. */
  get trueNow(): Date {
    return new Date(this.trueMs)
  }

  /** The time of the shop's clock. */
  get now(): Date {
    return new Date(this.trueMs + this.skewMs)
  }

  /**
   * Runs an action that may be refused, or fail because the database is unreachable. Anything else is a bug,
   * and recorded.
   */
  async attempt<T>(
    what: string,
    work: () => Promise<T>,
  ): Promise<{ done: T } | { refused: string } | 'away'> {
    try {
      const done = await work()
      this.model.count(what)
      return { done }
    } catch (error) {
      if (error instanceof Refusal) {
        this.model.count(`${what}: ${error.code}`)
        return { refused: error.code }
      }
      if (isDatabaseAway(error)) {
        this.model.count(`${what}: database away`)
        return 'away'
      }
      const text = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error)
      this.model.surprises.push(`${what} failed: ${text}`)
      return 'away'
    }
  }

  async close(): Promise<void> {
    this.processors.close()
    await this.database.close()
  }

  async #furnish(dice: Dice): Promise<void> {
    const { db } = this.database
    await seedDemoCatalog(db)
    await setRate(db, {
      currency: 'RUB',
      perUsdMicros: BigInt(dice.whole(60, 110)) * 1_000_001n,
      setAt: this.now,
    })
    // Simulated days pass without anyone entering exchange rates.
    const anyAge = { name: 'rate_close_days', value: 0n, by: 'simulation', reason: null } as const
    await transaction(db, (tx) => storeSetting(tx, anyAge, this.now))
    const people = dice.whole(2, 5)
    for (let index = 0; index < people; index++) await this.#move(dice, index)
    for (let index = dice.whole(1, 2); index > 0; index--) {
      const discountPpm = dice.whole(1, 9) * 77_777
      const grant = { kind: 'discount' as const, discountPpm, minGb: 1n }
      this.discountCodes.push(await this.#newCode(`LESS${index}`, dice, grant))
    }
    const pool = dice.pick(pools)
    const grant = { kind: 'traffic' as const, pool, bytes: BigInt(dice.whole(1, 3_000_000)) }
    this.trafficCodes.push(await this.#newCode('GIFT', dice, grant))
  }

  async #newCode(
    code: string,
    dice: Dice,
    grant: Parameters<typeof createCode>[1]['grant'],
  ): Promise<string> {
    await createCode(this.database.db, { code, grant, maxUses: BigInt(dice.whole(1, 2)), expiresAt: null })
    return code
  }

  /** Adds a customer, possibly invited by an existing one. */
  async #move(dice: Dice, index: number): Promise<void> {
    const { db } = this.database
    const { people } = this.model
    const invitedBy: Person | null = people.length > 0 && dice.percent(60) ? dice.pick(people) : null
    const sharePpm = dice.percent(50) ? 100_000 : dice.whole(1, 300_000)
    const email = `person${index}@example.com`
    const { id: accountId } = await db
      .insertInto('account')
      .values({
        ref_code: randomBytes(8).toString('hex'),
        email,
        email_key: email,
        invited_by: invitedBy?.accountId ?? null,
        pers_percent_ppm: sharePpm,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    people.push({ index, accountId, invitedBy, sharePpm })
    const pool = 'residential'
    const { id: accessId } = await ensureAccess(db, this.deps.secrets, { accountId, pool })
    await openMeter(db, { accessId, accountId, pool })
    const credit = { accessId, part: 'bonus' as const, bytes: firstBonusBytes, kind: 'welcome' }
    await creditTraffic(db, { ...credit, reference: String(accountId) })
  }
}

/**
 * The states of an address, compared with a model for any order of actions of customers and others, and of
 * time.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import { secretsOf } from '#lib/secret'
import { ensureAccess } from '#proxies'
import { testDatabase } from '#test/database'
import { newAccount } from '#test/people'
import {
  addAddress,
  addressesOf,
  addressesToProve,
  expireClaims,
  proveAddress,
  removeAddress,
  whitelistedAccess,
} from '#whitelist'
import { sized } from '#test/size'

const secrets = secretsOf('a test key of more than thirty-two characters')
const pools = ['residential', 'mobile'] as const satisfies Pool[]
const ports = ['entry', 'slot'] as const
const heldHours = 7 * 24

interface Person {
  accountId: bigint
  accessIds: Record<(typeof pools)[number], bigint>
}
let database: Database
let people: Person[]
let runs = 0

beforeAll(async () => {
  database = await testDatabase()
  people = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const accountId = await newAccount(database.db)
      const [residential, mobile] = await Promise.all(
        pools.map((pool) => ensureAccess(database.db, secrets, { accountId, pool })),
      )
      return { accountId, accessIds: { residential: residential?.id ?? 0n, mobile: mobile?.id ?? 0n } }
    }),
  )
})
afterAll(() => database.close())

/** An entry of the model: ages in hours. */
interface Entry {
  claimed: number
  proven: number | null
  used: number | null
}
/** By person. */
type List = Map<number, Entry>
type Model = Record<(typeof pools)[number], List>

const lastSign = ({ proven, used }: Entry) => Math.min(proven ?? Infinity, used ?? Infinity)
const isHeld = (entry: Entry) => entry.proven !== null && lastSign(entry) < heldHours
const isHeldByAnother = (list: List, who: number) =>
  [...list].some(([person, entry]) => person !== who && isHeld(entry))

function standsAt(port: (typeof ports)[number], list: List): number | null {
  for (const [person, { proven }] of list) if (proven !== null) return person
  const [only] = list.keys()
  return port === 'slot' && list.size === 1 && only !== undefined ? only : null
}

function prove(model: Model, who: number): void {
  for (const pool of pools) {
    const own = model[pool].get(who)
    if (own === undefined || (own.proven === null && isHeldByAnother(model[pool], who))) continue
    if (own.proven === null) model[pool] = new Map([[who, own]])
    own.proven = 0
  }
}

type Step =
  | { kind: 'add' | 'addFrom' | 'remove'; who: number; pool: (typeof pools)[number] }
  | { kind: 'connect'; who: number; pool: (typeof pools)[number] }
  | { kind: 'use'; pool: (typeof pools)[number]; port: (typeof ports)[number] }
  | { kind: 'pass'; hours: number }
  | { kind: 'expire' }

const who = fc.nat(2)
const pool = fc.constantFrom(...pools)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), who, pool }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('addFrom' as const), who, pool }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), who, pool }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('connect' as const), who, pool }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('use' as const), pool, port: fc.constantFrom(...ports) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.constantFrom(1, 25, 169) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'expire' as const }) },
)

/** Applies the step to the model; true: it is refused with `ip_taken`. */
function expected(model: Model, done: Step): boolean {
  if (done.kind === 'pass') {
    for (const entry of pools.flatMap((each) => [...model[each].values()])) {
      entry.claimed += done.hours
      if (entry.proven !== null) entry.proven += done.hours
      if (entry.used !== null) entry.used += done.hours
    }
  } else if (done.kind === 'expire') {
    for (const each of pools)
      for (const [person, { proven, claimed, used }] of model[each])
        if (proven === null && Math.min(claimed, used ?? Infinity) > 24) model[each].delete(person)
  } else if (done.kind === 'use') {
    const person = standsAt(done.port, model[done.pool])
    const entry = person === null ? undefined : model[done.pool].get(person)
    if (entry !== undefined) entry.used = 0
  } else if (done.kind === 'remove') {
    model[done.pool].delete(done.who)
  } else if (done.kind === 'connect') {
    prove(model, done.who)
  } else {
    const list = model[done.pool]
    if (!list.has(done.who)) {
      if (isHeldByAnother(list, done.who)) return true
      list.set(done.who, { claimed: 0, proven: null, used: null })
    }
    if (done.kind === 'addFrom') prove(model, done.who)
  }
  return false
}

async function act(address: string, done: Step): Promise<void> {
  const { db } = database
  if (done.kind === 'expire') {
    await expireClaims(db)
  } else if (done.kind === 'pass') {
    const past = sql`make_interval(hours => ${done.hours})`
    await sql`
      update whitelist set claimed_at = claimed_at - ${past}, proven_at = proven_at - ${past},
        last_used_at = last_used_at - ${past} where address = ${address}`.execute(db)
  } else if (done.kind === 'use') {
    const key = { pool: done.pool, address, port: done.port }
    await whitelistedAccess(db, key, { hasTraffic: async () => true })
  } else {
    const person = people[done.who] as Person
    const owner = { accountId: person.accountId, pool: done.pool }
    if (done.kind === 'remove') await removeAddress(db, owner, address)
    else if (done.kind === 'connect')
      await proveAddress(db, { accessId: person.accessIds[done.pool], address })
    else
      await addAddress(db, owner, address, {
        from: done.kind === 'addFrom' ? address : null,
        now: new Date(),
      })
  }
}

/** The customer that the address stands for, without recording a use. */
async function standing(address: string) {
  const found: Record<string, number | null> = {}
  for (const each of pools)
    for (const port of ports) {
      const key = { pool: each, address, port }
      const access = await whitelistedAccess(database.db, key, { hasTraffic: async () => false })
      found[`${each} ${port}`] =
        access === null ? null : people.findIndex(({ accountId }) => accountId === access.accountId)
    }
  return found
}

it('the states follow from the actions, in any order; no claim changes whom an entry port admits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      const address = `45.1.${runs >> 8}.${runs++ & 255}`
      const model: Model = { residential: new Map(), mobile: new Map() }
      // Refused additions are counted per customer, whatever the address: those of other runs do not count
      // here.
      await database.db.deleteFrom('attempt').execute()
      let before = await standing(address)
      for (const done of steps) {
        const refused = await act(address, done).then(
          () => null,
          (fault: unknown) => (fault instanceof Refusal ? fault.code : Promise.reject(fault)),
        )
        expect(refused, JSON.stringify(done)).toBe(expected(model, done) ? 'ip_taken' : null)
        const after = await standing(address)
        for (const each of pools) {
          for (const port of ports)
            expect(after[`${each} ${port}`], JSON.stringify(done)).toBe(standsAt(port, model[each]))
          for (const [index, { accountId }] of people.entries()) {
            const listed = await addressesOf(database.db, { accountId, pool: each })
            expect(listed.includes(address)).toBe(model[each].has(index))
          }
          // Independent of the model: neither an unproven listing nor time changes anything for others.
          const isClaim = done.kind === 'add' || done.kind === 'use' || done.kind === 'pass'
          if (isClaim || done.kind === 'expire') expect(after[`${each} entry`]).toBe(before[`${each} entry`])
        }
        before = after
      }
      for (const [index, { accessIds }] of people.entries()) {
        const toProve = (await addressesToProve(database.db, accessIds.mobile)).includes(address)
        const own = pools.flatMap((each) => model[each].get(index) ?? [])
        expect(toProve).toBe(own.some((entry) => entry.proven === null || lastSign(entry) >= 24))
      }
    }),
    { numRuns: sized(12, 40) },
  )
}, 120_000)

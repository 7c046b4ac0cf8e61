/**
 * The demo: prices, promo codes, exits, an inventory, a customer with traffic and an owner, whose passwords
 * are in DATA_DIR.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findAccount, signUp } from '#accounts'
import { seedDemoCatalog } from '#catalog'
import { seedDemoContent } from '#content'
import type { Pool } from '#contract/wire'
import { transaction } from '#db'
import { addCost, costHistory, decimalGb, seedDemoExits, showExits } from '#exits'
import { seedDemoInventory } from '#inventory'
import { countMargin } from '#margin'
import { createCode, type NewCode } from '#promo'
import { ensureAccess, accessesOf } from '#proxies'
import { seedDemoOwner } from '#staff'
import { addUpHours, creditTraffic, openMeter } from '#traffic'
import { fillPast, type FillingServices } from './history.ts'

export interface DemoPeople {
  customer: { username: string; password: string }
  operator: { username: string; password: string }
}

const gift: { pool: Pool; gb: bigint }[] = [
  { pool: 'residential', gb: 5n },
  { pool: 'datacenter', gb: 10n },
]

const unlimited = { maxUses: null, expiresAt: null }

/** One promo code of each kind. */
export const demoCodes: { discount: NewCode; traffic: NewCode } = {
  discount: { code: 'OPENROAD', grant: { kind: 'discount', discountPpm: 150_000, minGb: 1n }, ...unlimited },
  traffic: {
    code: 'TOLLFREE',
    grant: { kind: 'traffic', pool: 'mobile', bytes: 500_000_000n },
    ...unlimited,
  },
}

const newPassword = () => randomBytes(12).toString('base64url')

interface Demo extends DemoPeople {
  /** `kept`: the demo has no invented month, because the shop had entries of its own before. */
  past: 'filled' | 'known' | 'kept' | 'none'
}

interface DemoServices extends FillingServices {
  settings: { dataDir: string; demoHistory: boolean }
}

/**
 * Creates the missing parts of the demo; a second start changes nothing. The past takes some seconds, and is
 * written first: the ledger takes none after the customer's gift.
 */
export async function seedDemo(services: DemoServices): Promise<Demo> {
  const { db } = services.database
  await seedDemoCatalog(db)
  // A code that was ended is not created again, because its name is taken.
  for (const code of Object.values(demoCodes)) await createCode(db, code)
  await seedDemoContent(db)
  await seedDemoExits(db)
  await setCosts(services)
  await seedDemoInventory(services.database)
  const people = readPeople(services.settings.dataDir)
  await ensureCustomer(services, people.customer)
  await seedDemoOwner(db, people.operator)
  const { username: name } = people.customer
  const past = services.settings.demoHistory ? await writePast(services, name) : 'none'
  await giveTraffic(services, name)
  return { ...people, past }
}

async function writePast(services: DemoServices, name: string) {
  const past = await fillPast(services, { name, promocode: demoCodes.discount.code })
  if (past !== 'filled') return past
  const { db, clock } = services.database
  await addUpHours(db)
  await countMargin(db, clock.now())
  return past
}

/** What the exits of the demo cost, in micro-USD: by the GB, and for a month. */
const costs: Record<Pool, { perGbMicros: bigint; monthMicros: bigint }> = {
  residential: { perGbMicros: 1_200_000n, monthMicros: 0n },
  residential_premium: { perGbMicros: 1_900_000n, monthMicros: 0n },
  datacenter: { perGbMicros: 150_000n, monthMicros: 29_000_000n },
  mobile: { perGbMicros: 2_600_000n, monthMicros: 0n },
}
/** Longer than the demo's month. */
const costDays = 62
const dayMs = 86_400_000

/** Sets the costs of the demo's exits that have never had one. */
async function setCosts({ database: { db, clock }, secrets }: DemoServices): Promise<void> {
  const known = new Set((await costHistory(db)).map(({ exitId }) => exitId))
  const now = clock.now()
  const fromDay = new Date(now.getTime() - costDays * dayMs).toISOString().slice(0, 10)
  for (const { id, name, pool } of await showExits(db, secrets))
    if (name === 'demo' && !known.has(id))
      await addCost(db, id, { fromDay, ...costs[pool], gbBytes: decimalGb, rounding: 'none' }, now)
}

/**
 * The passwords are written before the accounts are created, so that an interrupted start cannot lose them.
 */
function readPeople(dataDir: string): DemoPeople {
  const file = path.join(dataDir, 'demo.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoPeople
  const people: DemoPeople = {
    customer: { username: 'customer', password: newPassword() },
    operator: { username: 'operator', password: newPassword() },
  }
  writeFileSync(`${file}.new`, `${JSON.stringify(people, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return people
}

async function ensureCustomer(
  { database: { db } }: DemoServices,
  { username, password }: { username: string; password: string },
): Promise<void> {
  if ((await findAccount(db, username)) !== null) return
  await signUp(db, {
    username,
    email: `${username}@example.com`,
    password,
    lang: 'rus',
    referralCode: null,
    adminReferralCode: null,
  })
}

/** The gift is posted once: its reference is the account and the pool. */
async function giveTraffic({ database: { db }, secrets }: DemoServices, username: string): Promise<void> {
  const account = await findAccount(db, username)
  if (account === null) throw new Error('the demo customer was just made')
  for (const { pool, gb } of gift) {
    await transaction(db, async (tx) => {
      const access = await ensureAccess(tx, secrets, { accountId: account.id, pool })
      await openMeter(tx, { accessId: access.id, accountId: account.id, pool })
      await creditTraffic(tx, {
        accessId: access.id,
        bytes: gb * 1_000_000_000n,
        part: 'paid',
        kind: 'demo_gift',
        reference: `${account.id}:${pool}`,
      })
    })
  }
}

/** The customer's login and proxy password in the pool of the printed example. */
export async function demoLine({ database: { db }, secrets }: DemoServices, username: string, pool: Pool) {
  const account = await findAccount(db, username)
  const accesses = account === null ? [] : await accessesOf(db, secrets, account.id)
  return accesses.find((access) => access.pool === pool) ?? null
}

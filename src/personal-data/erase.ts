/**
 * The erasure of a person's data: one transaction removes identifying data and closes the account; a later
 * job deletes the connection records, of which there may be millions, writes off traffic that gateways return
 * late, and removes again what calls under way during the erasure wrote after it.
 */
import type { Kysely, Transaction } from 'kysely'
import { eraseAccount, erasureAskedAt, lockPerson, type Names, personNames } from '#accounts'
import { erasePriceList } from '#catalog'
import { languageOfCode } from '#contract/language'
import { type Pool, pools } from '#contract/wire'
import { type Database, type DB, transaction } from '#db'
import { addJob, dropJobsOf } from '#db/jobs'
import { eraseBuyer } from '#documents'
import { countPersonal, type PersonalPart } from '#db/personal'
import { referralBalance } from '#ledger'
import { eraseLimits } from '#limits'
import { eraseUsers } from '#proxy-users'
import { eraseNotices } from '#customer-notices'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { eraseLetters, sendMail } from '#mail'
import { eraseProxies } from '#proxies'
import { eraseInvoices, erasureObstacles, moneyOf, type Obstacle, takeOffBalance } from '#purchase'
import { eraseCurrency } from '#rates'
import { eraseReceipts } from '#receipts'
import { erasePayouts, hasOpenPayout, takeMoney } from '#referral'
import { eraseRequests } from '#requests'
import { eraseResellerToken } from '#reseller'
import { eraseTraces } from '#staff'
import { eraseTeams } from '#teams'
import { eraseTopUps } from '#topup'
import {
  balancesOf,
  callLeasesBack,
  cutSessions,
  eraseActivity,
  releaseAllReserves,
  takeBalance,
  userReserve,
} from '#traffic'
import { eraseWhitelist } from '#whitelist'
import { personalParts } from './all.parts.ts'

type Tx = Transaction<DB>

export interface ErasureDeps {
  secrets: Secrets
  /** Deletes the stored answers to an account's repeatable calls. */
  forgetAnswers: (tx: Tx, accountId: bigint) => Promise<void>
}

/** The remaining balances of an account. */
export interface Left {
  /** Bytes by pool, without zeros. */
  traffic: Map<Pool, bigint>
  /** Micro-USD on the referral balance. */
  micros: bigint
  /** Micro-USD on the money balance, without what disputes withhold: those are obstacles. */
  moneyMicros: bigint
}

export interface ErasurePreview {
  erasedAt: Date | null
  askedAt: Date | null
  /** The obstacles that have to be settled first. */
  obstacles: { obstacle: Obstacle | 'open_payout'; numbers: string[] }[]
  left: Left
  /** The parts that have data, with the number of rows, at most `mostCounted`. */
  parts: (Pick<PersonalPart, 'name' | 'atErasure'> & { rows: number })[]
}

/**
 * Previews an erasure: the data that it would remove or keep, and its obstacles. Refuses with
 * `customer_not_found`.
 */
export async function previewErasure(db: Kysely<DB>, accountId: bigint): Promise<ErasurePreview> {
  const person = await personNames(db, accountId)
  if (person === null) throw new Refusal('customer_not_found')
  const parts = []
  for (const part of personalParts) {
    const rows = await countPersonal(db, part, accountId)
    if (rows > 0) parts.push({ name: part.name, atErasure: part.atErasure, rows })
  }
  return {
    erasedAt: person.erasedAt,
    askedAt: await erasureAskedAt(db, accountId),
    obstacles: [
      ...(await erasureObstacles(db, accountId)),
      ...((await hasOpenPayout(db, accountId)) ? [{ obstacle: 'open_payout' as const, numbers: [] }] : []),
    ],
    left: await leftOf(db, accountId),
    parts,
  }
}

async function leftOf(db: Kysely<DB>, accountId: bigint): Promise<Left> {
  const balances = await balancesOf(db, accountId)
  const traffic = pools.flatMap((pool) => {
    const held = balances.get(pool)
    const bytes = held === undefined ? 0n : held.total + held.reserved
    return bytes > 0n ? [[pool, bytes] as const] : []
  })
  const { micros: moneyMicros } = await moneyOf(db, accountId)
  return { traffic: new Map(traffic), micros: await referralBalance(db, accountId), moneyMicros }
}

/** The result of an erasure. */
export interface Erasure {
  writtenOff: Left
}

/** What a preview showed to the person who decides. */
export type Seen = Pick<ErasurePreview, 'askedAt' | 'left'>

/**
 * Erases the data of a customer; gateways cut their tunnels when it commits. Remaining balances are written
 * off, or the erasure is refused with `balance_left`. `recorded` runs in the same transaction, after the
 * audit trail has been cleared of the person's data. Refuses with `customer_not_found`, `customer_erased`,
 * `erasure_obstacle`, `erasure_payout`, with `erasure_changed` when the request is not the one that was seen
 * or a balance is larger, and with `reason_names_person` when the reason contains data that is erased.
 */
export async function erasePerson(
  { db }: Database,
  deps: ErasureDeps,
  {
    accountId,
    writesOff,
    reason,
    seen,
  }: { accountId: bigint; writesOff: boolean; reason: string; seen: Seen },
  now: Date,
  recorded: (tx: Tx, erasure: Erasure) => Promise<void>,
): Promise<Erasure> {
  if (writesOff) await recallAll(db, accountId)
  return transaction(db, async (tx) => {
    const person = await lockPerson(tx, accountId)
    if (person === null) throw new Refusal('customer_not_found')
    if (person.erasedAt !== null) throw new Refusal('customer_erased')
    await refuseObstacles(tx, accountId)
    await erasePayouts(tx, accountId)
    if (writesOff) await releaseAllReserves(tx, accountId)
    const left = await leftOf(tx, accountId)
    if (isChanged(seen, { askedAt: await erasureAskedAt(tx, accountId), left }))
      throw new Refusal('erasure_changed')
    const isLeft = left.micros > 0n || left.moneyMicros > 0n || left.traffic.size > 0
    if (isLeft && !writesOff) throw new Refusal('balance_left')
    const writtenOff = isLeft ? await writeOff(tx, accountId, 'at once') : noneLeft()
    await eraseAll(tx, deps, { accountId, person, reason }, now)
    for (const [phase, runAt] of [
      ['first', now],
      ['second', new Date(now.getTime() + secondMs)],
    ] as const)
      await addJob(
        tx,
        finishErasureTask,
        { account: String(accountId), phase, writes_off: writesOff },
        { key: `erasure of ${accountId}, ${phase}`, runAt },
      )
    const erasure = { writtenOff }
    await recorded(tx, erasure)
    return erasure
  })
}

/**
 * Whether the customer asked anew or withdrew the request, or has received anything since. Smaller balances
 * are no change: open tunnels use traffic all the time.
 */
function isChanged(seen: Seen, { askedAt, left }: Seen): boolean {
  return (
    seen.askedAt?.getTime() !== askedAt?.getTime() ||
    left.micros > seen.left.micros ||
    left.moneyMicros > seen.left.moneyMicros ||
    [...left.traffic].some(([pool, bytes]) => bytes > (seen.left.traffic.get(pool) ?? 0n))
  )
}

async function recallAll(db: Kysely<DB>, accountId: bigint): Promise<void> {
  const { traffic } = await leftOf(db, accountId)
  await Promise.all([...traffic.keys()].map((pool) => callLeasesBack(db, { accountId, pool })))
}

async function refuseObstacles(tx: Tx, accountId: bigint): Promise<void> {
  const obstacles = await erasureObstacles(tx, accountId)
  if (obstacles.length === 0) return
  const invoices = obstacles.flatMap(({ numbers }) => numbers)
  throw new Refusal('erasure_obstacle', { invoices: [...new Set(invoices)].slice(0, 5).join(', ') })
}

async function eraseAll(
  tx: Tx,
  deps: ErasureDeps,
  { accountId, person, reason }: { accountId: bigint; person: Names; reason: string },
  now: Date,
): Promise<void> {
  if (person.email !== null) {
    await eraseLetters(tx, { email: person.email })
    const language = languageOfCode(person.lang)
    // Of no account: it must outlive the erasure, and is deleted when it is sent.
    await sendMail(tx, { template: 'data_erased', accountId: null, to: person.email, language, data: {} })
  }
  const login = await removeData(tx, deps, accountId, now)
  const words = wordsOf(person, login)
  const folded = reason.toLowerCase()
  if (words.some((word) => folded.includes(word.toLowerCase()))) throw new Refusal('reason_names_person')
  await eraseTraces(tx, { accountId, words }, now)
  await eraseAccount(tx, accountId, now)
}

/** Removes what the person's own calls write, except in the account's row; returns their login, if any. */
async function removeData(
  tx: Tx,
  { secrets, forgetAnswers }: ErasureDeps,
  accountId: bigint,
  now: Date,
): Promise<string | null> {
  await eraseInvoices(tx, accountId)
  await eraseReceipts(tx, accountId)
  await eraseCurrency(tx, accountId)
  await erasePriceList(tx, accountId)
  await eraseBuyer(tx, accountId)
  await eraseWhitelist(tx, accountId)
  await eraseLimits(tx, accountId)
  await eraseNotices(tx, accountId)
  await eraseResellerToken(tx, accountId)
  await eraseTeams(tx, accountId)
  await forgetAnswers(tx, accountId)
  await dropJobsOf(tx, accountId)
  await eraseLetters(tx, { accountId })
  // After the transaction: asks the processor to delete the saved methods.
  await eraseTopUps(tx, accountId, now)
  await eraseUsers(tx, { secrets, reserve: userReserve }, accountId)
  const login = await eraseProxies(tx, secrets, accountId)
  if (login !== null) await cutSessions(tx, login, null)
  return login
}

/** The minimum length of a name to search for: a shorter one would match unrelated texts. */
const leastLetters = 4

/** The words that identify a person in any text. */
function wordsOf({ username, email, telegramUserId }: Names, login: string | null): string[] {
  const words = [username, email, telegramUserId === null ? null : String(telegramUserId), login]
  return words.filter((word): word is string => word !== null && word.length >= leastLetters)
}

const noneLeft = (): Left => ({ traffic: new Map(), micros: 0n, moneyMicros: 0n })

/** Writes off the balances, except the bytes that gateways hold. */
async function writeOff(tx: Tx, accountId: bigint, phase: string): Promise<Left> {
  const kind = 'erasure'
  const { traffic, micros, moneyMicros } = await leftOf(tx, accountId)
  const taken = noneLeft()
  for (const [pool, bytes] of traffic) {
    const reference = `${accountId} ${pool} ${phase}`
    taken.traffic.set(pool, await takeBalance(tx, bytes, { accountId, pool, kind, reference }))
  }
  if (micros > 0n)
    taken.micros = await takeMoney(tx, { accountId, micros, kind, reference: `${accountId} money ${phase}` })
  if (moneyMicros > 0n)
    taken.moneyMicros = await takeOffBalance(tx, {
      accountId,
      micros: moneyMicros,
      kind,
      reference: `${accountId} money balance ${phase}`,
    })
  return taken
}

/**
 * The delay of the job's second run: by then gateways have reported all usage, their leases are closed, and
 * no call of the erasure's time is under way.
 */
const secondMs = 60 * 60_000

/** The job after an erasure; it runs at once, and again an hour later. */
export const finishErasureTask = 'finish_erasure'

/**
 * Deletes connection records, writes off traffic returned by gateways, and repeats the removals: a call that
 * was admitted before the erasure may write after it. Safe to repeat.
 */
export async function finishErasure(
  { db }: Database,
  deps: ErasureDeps,
  payload: unknown,
  now: Date,
): Promise<void> {
  const {
    account,
    phase,
    writes_off: writesOff,
  } = payload as {
    account: string
    phase: string
    writes_off: boolean
  }
  const accountId = BigInt(account)
  await transaction(db, async (tx) => {
    const person = await lockPerson(tx, accountId)
    if (person === null || person.erasedAt === null) return
    await removeData(tx, deps, accountId, now)
    await eraseAccount(tx, accountId, person.erasedAt)
  })
  await eraseRequests(db, accountId)
  await eraseActivity(db, accountId)
  if (writesOff) await transaction(db, (tx) => writeOff(tx, accountId, phase))
}

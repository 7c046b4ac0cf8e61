/**
 * Conditions that need the attention of staff: Today shows them, and alerts report them. Each condition is
 * written once, in the slice whose rows it is about; here are their names, limits and pages.
 */
import { waitingForErasure } from '#accounts'
import { groupState, type Need, type NeedSubject, machineNeeds } from '#staff-alerts'
import { alertKinds } from '#contract/desk/alerts'
import { type Database, lastBackup } from '#db'
import { isSellerSet } from '#documents'
import { exitsDown, showExits } from '#exits'
import type { Secrets } from '#lib/secret'
import { listRefusedWishes, withdrawnIn } from '#payments'
import { countFailedMail, countStuckMail } from '#mail'
import { countDue, needyInvoices } from '#purchase'
import { displayCurrencies, listRates, rateState } from '#rates'
import { needyReceipts } from '#receipts'
import { costCurrencies } from '#margin'
import { waitingPayouts } from '#referral'
import { type PinnedSettings, readShopSettings, type ShopSettings } from '#settings'
import { deniedMethods } from '#topup'
import { sellerNeeds } from './network/sellers.needs.ts'
import { belowCostNow } from './shop/below.cost.ts'

export interface NeedDeps {
  secrets: Secrets
  /** Settings of the environment that take the place of stored ones. */
  pinned: PinnedSettings
  /** Its database is the embedded one, which no other tool backs up. */
  hasOwnDatabase: boolean
  /** Its payment methods, whether they are offered or not, with the currencies that they collect. */
  collecting: readonly { name: string; currency: string }[]
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A dispute that must be answered within this number of days is reported separately. */
const disputeDays = 3
/** A document is made within seconds; an hour covers a restart. */
const documentMs = hourMs
/** Fewer failed letters are wrong addresses, not a fault of the mail. */
const leastFailedLetters = 3

const ago = (now: Date, amount: bigint | number, unitMs: number) =>
  new Date(now.getTime() - Number(amount) * unitMs)

interface Looked {
  now: Date
  limits: ShopSettings
  /** The maximum number of subjects named for each kind. */
  most: number
}

const ofName = (name: string): NeedSubject => ({ key: name, label: name })
const ofInvoice = (number: string): NeedSubject => ({ ...ofName(number), page: `/invoices/${number}` })
const need = (kind: Need['kind'], subjects: NeedSubject[], count = subjects.length): Need[] =>
  count === 0 ? [] : [{ kind, count, subjects }]
/** A need with a single subject leads to the page of that subject. */
const toOne = (needs: Need[]): Need[] =>
  needs.map((one) => {
    const page = one.count === 1 ? one.subjects[0]?.page : undefined
    return page === undefined ? one : { ...one, page }
  })
/** A need without subjects. */
const whole = (kind: Need['kind'], holds: boolean, count = 1): Need[] =>
  holds ? [{ kind, count, subjects: [{ key: '', label: '' }] }] : []

/**
 * All needs for a member of staff, in the order of the kinds. At most `most` subjects of a kind are named; a
 * larger `count` includes those that are not named.
 */
export async function findNeeds(
  { db }: Pick<Database, 'db'>,
  { secrets, pinned, hasOwnDatabase, collecting }: NeedDeps,
  { now, most }: { now: Date; most: number },
): Promise<Need[]> {
  const looked = { now, most, limits: await readShopSettings(db, pinned) }
  const found = await Promise.all([
    ofMoney(db, looked),
    ofExits(db, secrets, looked),
    ofPrices(db, looked),
    ofRates(db, collecting, looked),
    ofOperation(db, hasOwnDatabase, looked),
    machineNeeds(db, now),
  ])
  return found.flat().toSorted((one, other) => alertKinds.indexOf(one.kind) - alertKinds.indexOf(other.kind))
}

async function ofMoney(db: Database['db'], { now, most }: Looked): Promise<Need[]> {
  const [invoices, receipts, overdue, hasSeller, denied, payouts, refused] = await Promise.all([
    needyInvoices(db, { now, soon: ago(now, -disputeDays, dayMs), most }),
    needyReceipts(db, { now, most }),
    countDue(db, ago(now, 1, documentMs)),
    isSellerSet(db),
    deniedMethods(db, now),
    waitingPayouts(db, most),
    listRefusedWishes(db),
  ])
  const receiptKind = { trouble: 'receipt_failed', by_hand: 'receipt_by_hand' } as const
  return [
    ...invoices.flatMap(({ need: kind, count, numbers }) =>
      need(kind, numbers.map(ofInvoice), Number(count)),
    ),
    ...receipts.flatMap(({ need: kind, count, numbers }) =>
      need(receiptKind[kind], [...new Set(numbers)].map(ofInvoice), count),
    ),
    ...need(
      'payout_waiting',
      payouts.ids.map((id) => ({ key: String(id), label: `#${id}` })),
      payouts.count,
    ),
    ...need('processor_denied', denied.map(ofName)),
    ...need(
      'wish_refused',
      refused.map(({ method, wish }) => ofName(`${method}: ${wish}`)),
    ),
    // Without a seller all documents wait; `turnpike doctor` and the page of today say so.
    ...whole('document_failed', hasSeller && overdue > 0n, Number(overdue)),
  ]
}

async function ofExits(db: Database['db'], secrets: Secrets, { now, limits }: Looked): Promise<Need[]> {
  const [exits, down] = await Promise.all([
    showExits(db, secrets),
    exitsDown(db, { now, minutes: limits.exit_down_minutes }),
  ])
  const known = exits.filter(({ enabled }) => enabled)
  const ofExit = ({ id, name }: { id: bigint; name: string }): NeedSubject => ({
    key: String(id),
    label: name,
    page: `/exits?exit=${id}`,
  })
  return [
    ...need('pool_down', down.pools.map(ofName)),
    ...toOne(need('exit_down', down.exits.map(ofExit))),
    ...toOne(need('exit_fault', known.filter(({ fault }) => fault !== null).map(ofExit))),
    ...(await sellerNeeds(db, known, now)),
  ]
}

/** One subject for each pool, whatever the number of its volume tiers, with the smallest order below cost. */
const salesOf = (sales: readonly { pool: string; gb: number }[]): NeedSubject[] =>
  [...Map.groupBy(sales, ({ pool }) => pool)].map(([pool, some]) => ({
    key: pool,
    label: `${pool} ${Math.min(...some.map(({ gb }) => gb))} GB`,
  }))

const listPage = '/prices?tab=lists'

async function ofPrices(db: Database['db'], { now }: Looked): Promise<Need[]> {
  const { sales, lists, codes } = await belowCostNow(db, now)
  const ofLists = lists.map(({ id, name }) => ({ key: `list ${id}`, label: name, page: listPage }))
  return need('below_cost', [...salesOf(sales), ...ofLists, ...codes.map(ofName)]).map((one) => {
    if (sales.length > 0) return one
    return { ...one, page: lists.length > 0 ? listPage : '/promo-codes' }
  })
}

/**
 * The rates of currencies that offered methods collect, or that are shown, and of those in which exits have
 * costs. For a cost an old rate still counts, and a missing one leaves the margin unknown. Other currencies are
 * not checked.
 */
async function ofRates(
  db: Database['db'],
  collecting: NeedDeps['collecting'],
  { now, limits }: Looked,
): Promise<Need[]> {
  const withdrawn = withdrawnIn(limits)
  const offered = collecting.filter(({ name }) => !withdrawn.has(name))
  const charged = new Set(offered.map(({ currency }) => currency))
  const [rates, shown, costing] = await Promise.all([
    listRates(db),
    displayCurrencies(db),
    costCurrencies(db, now.toISOString().slice(0, 10)),
  ])
  const ages = { warnDays: limits.rate_old_days, closeDays: limits.rate_close_days }
  const inState = (state: 'old' | 'closed') =>
    rates
      .filter(({ currency }) => charged.has(currency) || shown.includes(currency))
      .filter((rate) => rateState(rate, ages, now) === state)
      .map(({ currency }) => ofName(currency))
  const isUsed = ({ key }: NeedSubject) => charged.has(key) || shown.includes(key)
  const oldOfCosts = rates
    .filter((rate) => costing.includes(rate.currency) && rateState(rate, ages, now) !== 'fresh')
    .map(({ currency }) => ofName(currency))
    .filter((one) => !isUsed(one))
  const known = new Set(['USD', ...rates.map(({ currency }) => currency)])
  return [
    ...need('rate_closed', inState('closed')),
    ...need('rate_old', [...inState('old'), ...oldOfCosts]),
    ...need('rate_missing', costing.filter((currency) => !known.has(currency)).map(ofName)),
  ]
}

async function ofOperation(
  db: Database['db'],
  hasOwnDatabase: boolean,
  { now, limits }: Looked,
): Promise<Need[]> {
  const [backup, stuck, failed, group, erasures] = await Promise.all([
    lastBackup(db),
    countStuckMail(db, ago(now, limits.letters_stuck_minutes, minuteMs)),
    countFailedMail(db, ago(now, 1, dayMs)),
    groupState(db),
    waitingForErasure(db),
  ])
  return [
    ...whole(
      'backup_old',
      backup === null ? hasOwnDatabase : backup < ago(now, limits.backup_old_hours, hourMs),
    ),
    ...whole('letters_stuck', stuck > 0, stuck),
    ...whole('letters_failed', failed >= leastFailedLetters, failed),
    ...whole('group_lost', group?.brokenAt != null),
    ...need(
      'erasure',
      erasures.map(({ id }) => ({ ...ofName(`#${id}`), page: `/customers/${id}` })),
    ),
  ]
}

/** The desk's calls about accounts at sellers. */
import type { DeskOutput } from '#contract/desk/contract'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { addDays } from '#lib/zone'
import {
  listSellerAccounts,
  type SellerAccount,
  sellerAdapters,
  sellerAnswers,
  sellerBill,
  type SellerStock,
  sellerStocks,
} from '#sellers'
import { authorOf, type DeskContext, type DeskHandlers } from '#staff/call'
import { binaryGb } from '#exits'
import { amount, iso } from '../lists/page.ts'
import {
  checkSellerAccount,
  createSellerAccount,
  decideSellerPlaces,
  dropSellerAccount,
  knownAccount,
  type SellerBases,
  setSellerAccount,
} from './sellers.acts.ts'

export interface SellerCallDeps {
  secrets: Secrets
  sellerBases: SellerBases
}

const ids = (texts: readonly string[]) => texts.map((text) => BigInt(text))

const shown = (
  account: SellerAccount,
  stock: SellerStock | undefined,
): DeskOutput<'seller_accounts'>[number] => ({
  id: String(account.id),
  seller: account.seller,
  title: account.title,
  label: account.label,
  counts: account.counts,
  exits: account.exits.map(({ id, name, pool }) => ({ id: String(id), name, pool })),
  left_bytes: account.leftBytes === null ? null : amount(account.leftBytes),
  left_micros: account.leftMicros === null ? null : amount(account.leftMicros),
  days_left: stock?.daysLeft ?? null,
  is_low: stock?.isLow ?? false,
  short: (stock?.short ?? []).map(({ pool, heldBytes, leftBytes }) => ({
    pool,
    held_bytes: amount(heldBytes),
    left_bytes: amount(leftBytes),
  })),
  readings: account.readings.map(({ part, readAt, dueAt, failures, fault }) => ({
    part,
    read_at: iso(readAt),
    due_at: iso(dueAt),
    failures,
    fault: fault && { kind: fault.kind, message: fault.message, at: fault.at.toISOString() },
  })),
  places: account.places && {
    rows: amount(account.places.rows),
    addresses: amount(account.places.addresses),
  },
  asked: account.asked && {
    rows: amount(account.asked.rows),
    addresses: amount(account.asked.addresses),
    at: account.asked.at.toISOString(),
    list: account.asked.list,
  },
})

const billDays = 31
const mostBillDays = 400
const longestAnswer = 50_000
const mostAnswers = 6

const reads = {
  sellers: async (_input, { language }) =>
    sellerAdapters.map(({ name, title, fields, gbBytes, usage, places, meter }) => ({
      name,
      title,
      fields: fields.map(({ key, label, isSecret, isOptional }) => ({
        key,
        label: label[language],
        secret: isSecret,
        optional: isOptional === true,
      })),
      offers: [
        'balance' as const,
        ...(usage === null ? [] : (['usage'] as const)),
        ...(places === null ? [] : (['places'] as const)),
      ],
      binary_gb: gbBytes === binaryGb,
      meter: meter ?? null,
    })),
  seller_accounts: async (_input, { database: { db }, now }) => {
    const accounts = await listSellerAccounts(db)
    const stocks = await sellerStocks(db, accounts, now())
    return accounts.map((account) =>
      shown(
        account,
        stocks.find((stock) => stock.account.id === account.id),
      ),
    )
  },
  seller_bill: async ({ id, from, until }, { database: { db }, now }) => {
    const today = now().toISOString().slice(0, 10)
    const to = until ?? today
    const period = { from: from ?? addDays(to, 1 - billDays), to }
    if (period.from > to || period.from < addDays(to, -mostBillDays))
      throw new Refusal('invalid_field', { field: 'from' })
    const days = await sellerBill(db, await knownAccount(db, BigInt(id)), period)
    return {
      rows: days.map(({ day, theirBytes, ourBytes, isComplete, differs, isByBalance, unclear }) => ({
        day,
        their_bytes: theirBytes === null ? null : amount(theirBytes),
        our_bytes: amount(ourBytes),
        difference_bytes: theirBytes === null ? null : amount(theirBytes - ourBytes),
        complete: isComplete,
        differs,
        by_balance: isByBalance,
        unclear,
      })),
      next: null,
    }
  },
  seller_answers: async ({ id, day }, { database: { db } }) => {
    await knownAccount(db, BigInt(id))
    const answers = await sellerAnswers(db, BigInt(id), { day, limit: mostAnswers })
    return answers.map(({ body, at, ...rest }) => ({
      ...rest,
      at: at.toISOString(),
      body: body.slice(0, longestAnswer),
    }))
  },
} satisfies Partial<DeskHandlers>

export function sellerCalls({ secrets, sellerBases: bases }: SellerCallDeps) {
  const byOf = (context: DeskContext) => ({ secrets, bases, author: authorOf(context) })
  return {
    ...reads,
    add_seller_account: async ({ exits, ...given }, context) => {
      const order = { ...given, exitIds: ids(exits) }
      const id = await createSellerAccount(context.database.db, byOf(context), order, context.now())
      return { id: String(id) }
    },
    set_seller_account: async ({ id, exits, ...given }, context) => {
      const change = { ...given, id: BigInt(id), exitIds: exits && ids(exits) }
      await setSellerAccount(context.database.db, byOf(context), change, context.now())
      return true as const
    },
    check_seller_account: async ({ id }, context) => {
      const read = await checkSellerAccount(context.database, byOf(context), BigInt(id), context.now())
      return { parts: read.map(({ part, fault }) => ({ part, fault: fault?.message ?? null })) }
    },
    decide_seller_places: async ({ id, ...given }, context) => {
      const order = { ...given, id: BigInt(id) }
      await decideSellerPlaces(context.database, byOf(context), order, context.now())
      return true as const
    },
    remove_seller_account: async ({ id, reason }, context) => {
      const order = { id: BigInt(id), reason }
      await dropSellerAccount(context.database.db, authorOf(context), order, context.now())
      return true as const
    },
  } satisfies Partial<DeskHandlers>
}

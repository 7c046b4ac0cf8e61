/** The desk's calls that change a customer's account. */
import { standingOf } from '#accounts'
import { may } from '#contract/desk/roles'
import { transaction } from '#db'
import type { Secrets } from '#lib/secret'
import { givenSince } from '#staff'
import { type ActLimits, authorOf, type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { giveTraffic, moveMoney, takeTrafficOf } from './balances.ts'
import {
  addTagTo,
  blockCustomer,
  dropNote,
  endCustomerSessions,
  noteCustomer,
  sendLetter,
  tagCustomer,
  unblockCustomer,
} from './customers.acts.ts'
import { timeOf } from '../lists/page.ts'

export interface ActDeps {
  secrets: Secrets
  limits: () => Promise<ActLimits>
}

/** Gifts of so long count together for the limit from which the second factor must be fresh. */
const giftWindowMs = 10 * 60_000

export function actCalls({ secrets, limits }: ActDeps) {
  return {
    ...accountActs,
    give_traffic: async ({ id, pool, bytes, reason, key }, context) => {
      const { role, id: staffId } = memberOf(context)
      const move = { accountId: BigInt(id), pool, bytes: BigInt(bytes), reason, key }
      const { stepUpBytes, supportBytesPerDay } = await limits()
      // Many small gifts are a large one.
      const given = await transaction(context.database.db, (tx) =>
        givenSince(
          tx,
          { staffId, action: 'give_traffic', field: 'bytes' },
          new Date(context.now().getTime() - giftWindowMs),
        ),
      )
      if (given + move.bytes >= stepUpBytes) context.needStepUp()
      const limitBytes = may(role, 'customers.adjust') ? null : supportBytesPerDay
      return giveTraffic(context.database, { secrets, limitBytes }, authorOf(context), move, context.now())
    },
    take_traffic: async ({ id, pool, bytes, reason, key }, context) => {
      const move = { accountId: BigInt(id), pool, bytes: BigInt(bytes), reason, key }
      return takeTrafficOf(context.database, authorOf(context), move, context.now())
    },
    give_money: async ({ id, micros, reason, key }, context) => {
      const move = { accountId: BigInt(id), micros: BigInt(micros), reason, key }
      if (move.micros >= (await limits()).stepUpMicros) context.needStepUp()
      return moveMoney(context.database, 'give_money', authorOf(context), move, context.now())
    },
    take_money: async ({ id, micros, reason, key }, context) => {
      const move = { accountId: BigInt(id), micros: BigInt(micros), reason, key }
      return moveMoney(context.database, 'take_money', authorOf(context), move, context.now())
    },
  } satisfies Partial<DeskHandlers>
}

const dbOf = ({ database }: DeskContext) => database.db

const accountActs = {
  block_customer: async ({ id, until, reason, tell }, context) => ({
    changed: await blockCustomer(
      dbOf(context),
      authorOf(context),
      { accountId: BigInt(id), until: timeOf(until, context.zone), reason, tells: tell },
      context.now(),
    ),
  }),
  unblock_customer: async ({ id, reason }, context) => ({
    changed: await unblockCustomer(
      dbOf(context),
      authorOf(context),
      { accountId: BigInt(id), reason },
      context.now(),
    ),
  }),
  end_customer_sessions: async ({ id, reason }, context) => ({
    ended: await endCustomerSessions(
      dbOf(context),
      authorOf(context),
      { accountId: BigInt(id), reason },
      context.now(),
    ),
  }),
  add_note: async ({ id, text }, context) => {
    const author = authorOf(context)
    const now = context.now()
    const noteId = await noteCustomer(dbOf(context), author, { accountId: BigInt(id), text }, now)
    const by = { kind: author.kind, staff_id: String(author.staffId), name: author.name }
    return { id: String(noteId), text, by, at: now.toISOString() }
  },
  remove_note: async ({ note_id: id }, context) => {
    await dropNote(dbOf(context), authorOf(context), BigInt(id), context.now())
    return true as const
  },
  try_bulk: async ({ act, ids, tag }, context) => {
    const asked = [...new Set(ids)]
    const known = await standingOf(dbOf(context), asked.map(BigInt), tag ?? null)
    const will = known.filter(
      ({ isBlocked, hasEmail, hasTag }) =>
        act === 'credit' || (act === 'block' ? !isBlocked : act === 'tag' ? !hasTag : hasEmail),
    ).length
    return { will, unchanged: known.length - will, unknown: asked.length - known.length }
  },
  add_tag: async ({ id, tag }, context) => ({
    changed: await addTagTo(dbOf(context), authorOf(context), { accountId: BigInt(id), tag }, context.now()),
  }),
  send_letter: async ({ id, ...letter }, context) => {
    const isLimited = !may(memberOf(context).role, 'customers.access')
    const by = { author: authorOf(context), isLimited }
    await sendLetter(dbOf(context), by, { accountId: BigInt(id), ...letter }, context.now())
    return true as const
  },
  set_tags: async ({ id, tags }, context) => {
    await tagCustomer(dbOf(context), authorOf(context), { accountId: BigInt(id), tags }, context.now())
    return true as const
  },
} satisfies Partial<DeskHandlers>

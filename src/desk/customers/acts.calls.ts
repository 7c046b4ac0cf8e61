/** The desk's calls that change a customer's account. */
import { standingOf } from '#accounts'
import { priceListNames } from '#catalog'
import { may } from '#contract/desk/roles'
import type { Secrets } from '#lib/secret'
import { authorOf, type DeskContext, type DeskHandlers, limitsOf, memberOf } from '#staff/call'
import { giveTraffic, moveMoney, takeTrafficOf } from './balances.ts'
import {
  addTagTo,
  blockCustomer,
  dropNote,
  endCustomerSessions,
  noteCustomer,
  removeFromTeam,
  sendLetter,
  tagCustomer,
  unblockCustomer,
} from './customers.acts.ts'
import { ownersOf } from '../lists/owners.ts'
import { timeOf } from '../lists/page.ts'

export interface ActDeps {
  secrets: Secrets
}

export function actCalls({ secrets }: ActDeps) {
  return {
    ...accountActs,
    give_traffic: async ({ id, pool, bytes, reason, key }, context) => {
      const { role } = memberOf(context)
      const move = { accountId: BigInt(id), pool, bytes: BigInt(bytes), reason, key }
      const limitBytes = may(role, 'customers.adjust') ? null : limitsOf(context).supportBytesPerDay
      return giveTraffic(context.database, { secrets, limitBytes }, authorOf(context), move, context.now())
    },
    take_traffic: async ({ id, pool, bytes, reason, key }, context) => {
      const move = { accountId: BigInt(id), pool, bytes: BigInt(bytes), reason, key }
      return takeTrafficOf(context.database, authorOf(context), move, context.now())
    },
    give_money: async ({ id, micros, of, reason, key }, context) => {
      const move = { accountId: BigInt(id), micros: BigInt(micros), of, reason, key }
      return moveMoney(context.database, 'give_money', authorOf(context), move, context.now())
    },
    take_money: async ({ id, micros, of, reason, key }, context) => {
      const move = { accountId: BigInt(id), micros: BigInt(micros), of, reason, key }
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
  remove_team_member: async ({ id, member_id: memberId, reason }, context) => ({
    changed: await removeFromTeam(
      dbOf(context),
      authorOf(context),
      { accountId: BigInt(id), memberId: BigInt(memberId), reason },
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
  try_bulk: async ({ act, ids, tag, list_id: listId = null }, context) => {
    const asked = [...new Set(ids)]
    const known = await standingOf(dbOf(context), asked.map(BigInt), tag ?? null)
    const standing = new Map(known.map((one) => [String(one.id), one]))
    const owners = await ownersOf(
      dbOf(context),
      known.map(({ id }) => id),
    )
    const lists = await priceListNames(
      dbOf(context),
      known.map(({ id }) => id),
    )
    const people = asked.map((id) => {
      const one = standing.get(id)
      const name = owners.get(BigInt(id))?.username ?? null
      if (one === undefined) return { id, name, outcome: 'unknown' as const }
      const { isBlocked, hasEmail, hasTag, isErased } = one
      const changes = {
        credit: true,
        block: !isBlocked,
        tag: !hasTag,
        letter: hasEmail,
        price_list: !isErased && String(lists.get(one.id)?.id ?? '') !== (listId ?? ''),
      }
      return { id, name, outcome: changes[act] ? ('will' as const) : ('unchanged' as const) }
    })
    const count = (outcome: (typeof people)[number]['outcome']) =>
      people.filter((one) => one.outcome === outcome).length
    return { will: count('will'), unchanged: count('unchanged'), unknown: count('unknown'), people }
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

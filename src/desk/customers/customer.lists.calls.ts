/** The desk's calls for the lists of one customer: usage by hour, country and host, promo codes, letters. */
import * as z from 'zod'
import { customerFacts } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { Refusal } from '#lib/refusal'
import { lettersTo } from '#mail'
import { usesOf } from '#promo'
import { sumsOfCustomer } from '#requests'
import type { DeskContext, DeskHandlers } from '#staff/call'
import { usageBy } from '#traffic'
import { recordLook } from './connections.calls.ts'
import { customerOf } from './customers.acts.ts'
import { letterState } from './timeline.ts'
import { amount, cursorOf, iso, numbersAfter, pageOf, partsAfter, wholeHours } from '../lists/page.ts'

async function listUsageBy(
  { id, by, from, until, pool }: DeskParsed<'customer_usage_by'>,
  { database: { db }, zone }: DeskContext,
): Promise<DeskOutput<'customer_usage_by'>> {
  const accountId = BigInt(id)
  await customerOf(db, accountId)
  const period = wholeHours(from, until, zone)
  if (by === 'country') {
    const sums = await sumsOfCustomer(db, { by, account: accountId, pool, ...period })
    const rows = sums.map(({ key, connections, chargedBytes, relayedBytes }) => ({
      key: key ?? '',
      charged_bytes: amount(chargedBytes),
      relayed_bytes: amount(relayedBytes),
      requests: amount(connections),
    }))
    return { rows, next: null }
  }
  const sums = await usageBy(db, { by, accountId, pool, ...period })
  const rows = sums.map(({ key, chargedBytes, relayedBytes, requests }) => ({
    key,
    charged_bytes: amount(chargedBytes),
    relayed_bytes: amount(relayedBytes),
    requests: amount(requests),
  }))
  return { rows, next: null }
}

/** Which hosts a customer reached: each look is recorded with its reason. */
async function listHosts(
  { id, from, until, pool, reason }: DeskParsed<'customer_hosts'>,
  context: DeskContext,
): Promise<DeskOutput<'customer_hosts'>> {
  const { db } = context.database
  const accountId = BigInt(id)
  await customerOf(db, accountId)
  const period = wholeHours(from, until, context.zone)
  const subject = { kind: 'connections', id: 'hosts' } as const
  await recordLook(context, {
    action: 'customer_hosts',
    subject,
    accountId,
    after: { from, until, pool },
    reason,
  })
  const sums = await sumsOfCustomer(db, { by: 'host', account: accountId, pool, ...period })
  const rows = sums.map(({ key, connections, chargedBytes, relayedBytes }) => ({
    host: key,
    charged_bytes: amount(chargedBytes),
    relayed_bytes: amount(relayedBytes),
    connections: amount(connections),
  }))
  return { rows, next: null }
}

async function listPromoUses(
  { id, after, limit = 50 }: DeskParsed<'customer_promo_uses'>,
  { database: { db } }: DeskContext,
): Promise<DeskOutput<'customer_promo_uses'>> {
  const place = numbersAfter(after)
  const from = place === null ? null : { promocodeId: place[0], nth: Number(place[1]) }
  const rows = await usesOf(db, BigInt(id), { after: from, limit: limit + 1 })
  return pageOf(rows, limit, {
    next: ({ promocodeId, nth }) => cursorOf(String(promocodeId), String(nth)),
    shown: ({ code, kind, at, isUsed, invoice }) => ({
      code,
      kind,
      state: isUsed ? ('used' as const) : ('held' as const),
      at: at.toISOString(),
      invoice_number: invoice,
    }),
  })
}

/** The letter after which a page begins. */
function letterAfter(after: string | undefined): { createdAt: string; id: string } | null {
  const place = partsAfter(after, 2)
  if (place === null) return null
  const [createdAt = '', id = ''] = place
  const time = new Date(createdAt)
  const isTime = !Number.isNaN(time.getTime()) && time.toISOString() === createdAt
  if (!isTime || !z.uuid().safeParse(id).success) throw new Refusal('invalid_field', { field: 'after' })
  return { createdAt, id }
}

async function listLetters(
  { id, after, limit = 50 }: DeskParsed<'customer_letters'>,
  { database: { db } }: DeskContext,
): Promise<DeskOutput<'customer_letters'>> {
  const facts = await customerFacts(db, BigInt(id))
  if (facts === null || facts.email === null) return { rows: [], next: null }
  const rows = await lettersTo(db, facts.email, { after: letterAfter(after), limit: limit + 1 })
  return pageOf(rows, limit, {
    next: (last) => cursorOf(last.createdAt.toISOString(), last.id),
    shown: (letter) => ({
      id: letter.id,
      template: letter.template,
      language: letter.language === 'en' ? ('en' as const) : ('ru' as const),
      state: letterState(letter),
      created_at: letter.createdAt.toISOString(),
      done_at: iso(letter.sentAt ?? letter.failedAt),
      fault: letter.failure,
    }),
  })
}

export const customerListCalls = {
  customer_usage_by: listUsageBy,
  customer_hosts: listHosts,
  customer_promo_uses: listPromoUses,
  customer_letters: listLetters,
} satisfies Partial<DeskHandlers>

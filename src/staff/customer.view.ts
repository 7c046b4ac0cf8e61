/**
 * Views: a member of staff sees the shop as one customer sees it, read-only. A view belongs to a sign-in at
 * the desk and ends with it, with the member's block and with the permission; it is no session of the
 * customer's, and use makes neither longer.
 */
import type { Kysely, Transaction } from 'kysely'
import { may, type Role } from '#contract/desk/roles'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, sha256 } from '#lib/secret'
import { record } from './audit.ts'
import { idleMs } from './session.ts'

const linkLifeMs = 60_000
const viewLifeMs = 15 * 60_000

/** An open view. */
export interface View {
  id: bigint
  /** The customer. */
  accountId: bigint
  staff: { id: bigint; name: string }
  endsAt: Date
}

interface Arrival {
  ip: string
  requestId: string
}

const tokenLooks = /^[\w-]{43}$/

/**
 * Makes the token of a link, good once within a minute, for a sign-in at the desk. The caller records why.
 */
export async function offerView(
  tx: Transaction<DB>,
  { sessionId, accountId }: { sessionId: bigint; accountId: bigint },
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + linkLifeMs)
  await tx
    .insertInto('customer_view')
    .values({
      token_sha256: sha256(token),
      staff_session_id: sessionId,
      account_id: accountId,
      created_at: now,
      ends_at: expiresAt,
    })
    .execute()
  return { token, expiresAt }
}

/** Views whose sign-in at the desk is complete and has not ended, and whose member is not blocked. */
const standing = (db: Kysely<DB>, now: Date) =>
  db
    .selectFrom('customer_view')
    .innerJoin('staff_session', 'staff_session.id', 'customer_view.staff_session_id')
    .innerJoin('staff', 'staff.id', 'staff_session.staff_id')
    .select([
      'customer_view.id',
      'customer_view.account_id as accountId',
      'customer_view.staff_session_id as sessionId',
      'customer_view.ends_at as endsAt',
      'staff.id as staffId',
      'staff.name as staffName',
      'staff.role',
    ])
    .where('customer_view.ends_at', '>', now)
    .where('staff_session.is_complete', '=', true)
    .where('staff_session.ends_at', '>', now)
    .where('staff_session.used_at', '>', new Date(now.getTime() - idleMs))
    .where('staff.blocked_at', 'is', null)

const maySee = (role: string) => may(role as Role, 'customers.see_as')

/**
 * Uses a link: opens its view in the browser that gets the new token, and ends the other views of the same
 * sign-in. Refuses with `view_link_invalid`: unknown, used, older than a minute, or its member may not see
 * customers' accounts any more.
 */
export function openView(
  db: Kysely<DB>,
  token: unknown,
  arrival: Arrival,
  now: Date,
): Promise<{ view: View; token: string }> {
  if (typeof token !== 'string' || !tokenLooks.test(token)) throw new Refusal('view_link_invalid')
  return transaction(db, async (tx) => {
    const row = await standing(tx, now)
      .where('customer_view.token_sha256', '=', sha256(token))
      .where('customer_view.opened_at', 'is', null)
      .forUpdate(['customer_view'])
      .executeTakeFirst()
    if (row === undefined || !maySee(row.role)) throw new Refusal('view_link_invalid')
    const { id, accountId, sessionId, staffId, staffName } = row
    const own = randomToken()
    const endsAt = new Date(now.getTime() + viewLifeMs)
    await tx
      .updateTable('customer_view')
      .set({ token_sha256: sha256(own), opened_at: now, ends_at: endsAt })
      .where('id', '=', id)
      .execute()
    await tx
      .deleteFrom('customer_view')
      .where('staff_session_id', '=', sessionId)
      .where('opened_at', 'is not', null)
      .where('id', '<>', id)
      .execute()
    const view = { id, accountId, staff: { id: staffId, name: staffName }, endsAt }
    await recordView(tx, 'open_view', view, arrival, now)
    return { view, token: own }
  })
}

/**
 * The open view that a token belongs to; null: unknown or ended, or its member may not see customers'
 * accounts any more.
 */
export async function authenticateView(
  db: Kysely<DB>,
  { id, token }: { id: bigint; token: string },
  now: Date,
): Promise<View | null> {
  const row = await standing(db, now)
    .where('customer_view.id', '=', id)
    .where('customer_view.token_sha256', '=', sha256(token))
    .where('customer_view.opened_at', 'is not', null)
    .executeTakeFirst()
  if (row === undefined || !maySee(row.role)) return null
  const { accountId, staffId, staffName, endsAt } = row
  return { id, accountId, staff: { id: staffId, name: staffName }, endsAt }
}

/** Ends a view. */
export function endView(db: Kysely<DB>, view: View, arrival: Arrival, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('customer_view')
      .where('id', '=', view.id)
      .executeTakeFirstOrThrow()
    if (numDeletedRows > 0n) await recordView(tx, 'end_view', view, arrival, now)
  })
}

function recordView(
  tx: Transaction<DB>,
  action: 'open_view' | 'end_view',
  { accountId, staff }: View,
  { ip, requestId }: Arrival,
  now: Date,
): Promise<void> {
  const author = { kind: 'staff', staffId: staff.id, name: staff.name, ip, requestId } as const
  const subject = { kind: 'customer', id: String(accountId) } as const
  return record(tx, author, { action, subject, accountId }, now)
}

/** Deletes links and views that have ended. */
export async function forgetEndedViews(db: Kysely<DB>, now: Date): Promise<void> {
  await db.deleteFrom('customer_view').where('ends_at', '<=', now).execute()
}

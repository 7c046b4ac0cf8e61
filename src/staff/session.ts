/** Sign-ins to the desk: opaque tokens of 256 bits, of which the database stores only the SHA-256. */
import type { Kysely, Transaction } from 'kysely'
import type { Role } from '#contract/desk/roles'
import type { DB } from '#db'
import { randomToken, sha256 } from '#lib/secret'
import type { Member } from './call.ts'

const minuteMs = 60_000
/** A session expires after this time without a call. */
export const idleMs = 30 * minuteMs
/** The maximum lifetime of a session. */
const lifeMs = 12 * 60 * minuteMs
/** A sign-in without its second factor expires after this time. */
const incompleteMs = 5 * minuteMs
/** How long a second factor counts as fresh. */
export const stepUpMs = 10 * minuteMs
/** Not every call causes a write. */
const noteUseEveryMs = minuteMs

interface Arrival {
  staffId: bigint
  isComplete: boolean
  /** The second factor was proved with it. */
  withFactor: boolean
  ip: string
  userAgent: string | null
}

/** Opens a session and returns its token: 43 characters of base64url, shown once. */
export async function openSession(tx: Transaction<DB>, arrival: Arrival, now: Date): Promise<string> {
  const token = randomToken()
  await tx
    .insertInto('staff_session')
    .values({
      token_sha256: sha256(token),
      staff_id: arrival.staffId,
      is_complete: arrival.isComplete,
      created_at: now,
      used_at: now,
      ends_at: new Date(now.getTime() + (arrival.isComplete ? lifeMs : incompleteMs)),
      factor_at: arrival.withFactor ? now : null,
      ip: arrival.ip,
      user_agent: arrival.userAgent?.slice(0, 300) ?? null,
    })
    .execute()
  if (arrival.isComplete)
    await tx.updateTable('staff').set({ seen_at: now }).where('id', '=', arrival.staffId).execute()
  return token
}

/** The member that a token belongs to; null: unknown, ended, or the member is blocked. */
export async function authenticate(db: Kysely<DB>, token: string, now: Date): Promise<Member | null> {
  const row = await db
    .selectFrom('staff_session')
    .innerJoin('staff', 'staff.id', 'staff_session.staff_id')
    .select([
      'staff.id',
      'staff.name',
      'staff.role',
      'staff_session.id as sessionId',
      'staff_session.is_complete as isComplete',
      'staff_session.used_at as usedAt',
      'staff_session.ends_at as endsAt',
      'staff_session.factor_at as factorAt',
    ])
    .where('staff_session.token_sha256', '=', sha256(token))
    .where('staff_session.ends_at', '>', now)
    .where('staff_session.used_at', '>', new Date(now.getTime() - idleMs))
    .where('staff.blocked_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return null
  const { id, name, role, sessionId, isComplete, usedAt, endsAt, factorAt } = row
  if (Math.abs(now.getTime() - usedAt.getTime()) > noteUseEveryMs) {
    await db.updateTable('staff_session').set({ used_at: now }).where('id', '=', sessionId).execute()
    await db.updateTable('staff').set({ seen_at: now }).where('id', '=', id).execute()
  }
  return {
    id,
    name,
    role: role as Role,
    session: { id: sessionId, isComplete, usedAt: now, endsAt, factorAt },
  }
}

/** Until when calls that need a fresh factor are open; null: they are closed. */
export function steppedUpUntil({ session: { factorAt } }: Member, now: Date): Date | null {
  if (factorAt === null) return null
  const until = new Date(factorAt.getTime() + stepUpMs)
  return until > now && factorAt <= now ? until : null
}

/**
 * Replaces the token of a session whose second factor was just proved: an incomplete one becomes complete.
 * Null: it has ended meanwhile.
 */
export async function renewSession(tx: Transaction<DB>, member: Member, now: Date): Promise<string | null> {
  const token = randomToken()
  const { id, isComplete, endsAt } = member.session
  const renewed = await tx
    .updateTable('staff_session')
    .set({
      token_sha256: sha256(token),
      is_complete: true,
      used_at: now,
      factor_at: now,
      ends_at: isComplete ? endsAt : new Date(now.getTime() + lifeMs),
      challenge: null,
    })
    .where('id', '=', id)
    .executeTakeFirst()
  if (renewed.numUpdatedRows === 0n) return null
  await tx.updateTable('staff').set({ seen_at: now }).where('id', '=', member.id).execute()
  return token
}

/** The sessions of a member that have not ended, the latest used first. */
export function sessionsOf(db: Kysely<DB>, staffId: bigint, now: Date) {
  return db
    .selectFrom('staff_session')
    .select(['id', 'created_at', 'used_at', 'ip', 'user_agent'])
    .where('staff_id', '=', staffId)
    .where('is_complete', '=', true)
    .where('ends_at', '>', now)
    .where('used_at', '>', new Date(now.getTime() - idleMs))
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Ends sessions of a member: one of them, all but one, or all. Answers how many. */
export async function endSessions(
  tx: Kysely<DB>,
  staffId: bigint,
  { only, except }: { only?: bigint; except?: bigint } = {},
): Promise<number> {
  let query = tx.deleteFrom('staff_session').where('staff_id', '=', staffId)
  if (only !== undefined) query = query.where('id', '=', only)
  if (except !== undefined) query = query.where('id', '<>', except)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

/** Deletes sessions and links that have ended. */
export async function forgetEndedSessions(db: Kysely<DB>, now: Date): Promise<void> {
  await db.deleteFrom('staff_session').where('ends_at', '<=', now).execute()
  await db.deleteFrom('staff_link').where('expires_at', '<=', now).execute()
}

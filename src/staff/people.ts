/** The people behind the shop: inviting them, their roles, ending their access. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { checkPassword, hashPassword, nameKey } from '#accounts'
import type { Role } from '#contract/desk/roles'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, sha256 } from '#lib/secret'
import { type Author, record } from './audit.ts'
import { endSessions, idleMs } from './session.ts'

const linkLifeMs = 24 * 60 * 60_000

/** A link that was made: the token is shown once. */
export interface MadeLink {
  staffId: bigint
  token: string
  expiresAt: Date
}

const subjectOf = (staffId: bigint) => ({ kind: 'staff', id: String(staffId) }) as const

/** 2 to 64 letters, digits, dots, dashes and underscores of any script. */
function checkName(name: string): string {
  const trimmed = name.trim()
  if (!/^[\p{L}\p{N}._-]{2,64}$/u.test(trimmed)) throw new Refusal('invalid_staff_name')
  return trimmed
}

/**
 * Makes a member of staff, who sets a password and a second factor at the link. Refuses with
 * `staff_name_taken`.
 */
export function inviteStaff(
  db: Kysely<DB>,
  author: Author,
  given: { name: string; role: Role },
  now: Date,
): Promise<MadeLink> {
  const name = checkName(given.name)
  return transaction(db, async (tx) => {
    const row = await tx
      .insertInto('staff')
      .values({ name, name_key: nameKey(name), role: given.role, created_at: now, updated_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (row === undefined) throw new Refusal('staff_name_taken')
    const after = { name, role: given.role }
    await record(tx, author, { action: 'invite_staff', subject: subjectOf(row.id), after }, now)
    return issueLink(tx, row.id, now)
  })
}

async function issueLink(tx: Transaction<DB>, staffId: bigint, now: Date): Promise<MadeLink> {
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + linkLifeMs)
  const values = {
    token_sha256: sha256(token),
    created_at: now,
    expires_at: expiresAt,
    challenge: null,
    totp_sealed: null,
  }
  await tx
    .insertInto('staff_link')
    .values({ staff_id: staffId, ...values })
    .onConflict((conflict) => conflict.column('staff_id').doUpdateSet(values))
    .execute()
  return { staffId, token, expiresAt }
}

/**
 * Gives a member a new link. Password, factors and sessions end at once: the link may be needed because
 * another person has them.
 */
export function resetStaff(db: Kysely<DB>, author: Author, staffId: bigint, now: Date): Promise<MadeLink> {
  return transaction(db, async (tx) => {
    await lockStaff(tx, staffId)
    await tx
      .updateTable('staff')
      .set({ password_hash: null, totp_sealed: null, totp_last_step: null, updated_at: now })
      .where('id', '=', staffId)
      .execute()
    await tx.deleteFrom('staff_webauthn_credential').where('staff_id', '=', staffId).execute()
    await tx.deleteFrom('staff_recovery_code').where('staff_id', '=', staffId).execute()
    const ended = await endSessions(tx, staffId)
    const after = { sessions_ended: ended }
    await record(tx, author, { action: 'reset_staff', subject: subjectOf(staffId), after }, now)
    return issueLink(tx, staffId, now)
  })
}

async function lockStaff(tx: Transaction<DB>, staffId: bigint) {
  const row = await tx
    .selectFrom('staff')
    .select(['id', 'name', 'role', 'blocked_at'])
    .where('id', '=', staffId)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('staff_not_found')
  return row
}

/**
 * Refuses with `last_owner` when nobody else could manage the staff. All owners are locked, lest two remove
 * each other.
 */
async function keepAnOwner(tx: Transaction<DB>, staffId: bigint): Promise<void> {
  const owners = await tx
    .selectFrom('staff')
    .select('id')
    .where('role', '=', 'owner')
    .where('blocked_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (owners.length > 0 && owners.every(({ id }) => id === staffId)) throw new Refusal('last_owner')
}

/** Changes a role, from the next call on. Refuses with `staff_not_found` and `last_owner`. */
export function setStaffRole(
  db: Kysely<DB>,
  author: Author,
  { staffId, role }: { staffId: bigint; role: Role },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    if (role !== 'owner') await keepAnOwner(tx, staffId)
    const before = await lockStaff(tx, staffId)
    await tx.updateTable('staff').set({ role, updated_at: now }).where('id', '=', staffId).execute()
    const entry = { action: 'set_staff_role', subject: subjectOf(staffId) }
    await record(tx, author, { ...entry, before: { role: before.role }, after: { role } }, now)
  })
}

/**
 * Ends a member's access at once; their link and sessions with it. Refuses with `staff_not_found` and
 * `last_owner`.
 */
export function blockStaff(db: Kysely<DB>, author: Author, staffId: bigint, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await keepAnOwner(tx, staffId)
    await lockStaff(tx, staffId)
    await tx
      .updateTable('staff')
      .set({ blocked_at: now, updated_at: now })
      .where('id', '=', staffId)
      .where('blocked_at', 'is', null)
      .execute()
    await tx.deleteFrom('staff_link').where('staff_id', '=', staffId).execute()
    const ended = await endSessions(tx, staffId)
    const after = { sessions_ended: ended }
    await record(tx, author, { action: 'block_staff', subject: subjectOf(staffId), after }, now)
  })
}

/** Gives access back; the member signs in with what they had. Refuses with `staff_not_found`. */
export function unblockStaff(db: Kysely<DB>, author: Author, staffId: bigint, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    await lockStaff(tx, staffId)
    await tx
      .updateTable('staff')
      .set({ blocked_at: null, updated_at: now })
      .where('id', '=', staffId)
      .execute()
    await record(tx, author, { action: 'unblock_staff', subject: subjectOf(staffId) }, now)
  })
}

/** Ends all sessions of a member. Refuses with `staff_not_found`. */
export function endStaffSessions(
  db: Kysely<DB>,
  author: Author,
  staffId: bigint,
  now: Date,
): Promise<number> {
  return transaction(db, async (tx) => {
    await lockStaff(tx, staffId)
    const ended = await endSessions(tx, staffId)
    const after = { sessions_ended: ended }
    await record(tx, author, { action: 'end_staff_sessions', subject: subjectOf(staffId), after }, now)
    return ended
  })
}

/** All members, the oldest first. */
export async function listStaff(db: Kysely<DB>, now: Date) {
  const { rows } = await sql<{
    id: bigint
    name: string
    role: Role
    has_password: boolean
    has_totp: boolean
    passkeys: bigint
    codes: bigint
    sessions: bigint
    blocked_at: Date | null
    created_at: Date
    seen_at: Date | null
    link_expires_at: Date | null
  }>`
    select s.id, s.name, s.role, s.password_hash is not null as has_password, s.totp_sealed is not null as has_totp,
      (select count(*) from staff_webauthn_credential c where c.staff_id = s.id) as passkeys,
      (select count(*) from staff_recovery_code c where c.staff_id = s.id and c.used_at is null) as codes,
      (select count(*) from staff_session t where t.staff_id = s.id and t.is_complete and t.ends_at > ${now}
        and t.used_at > ${new Date(now.getTime() - idleMs)}) as sessions,
      s.blocked_at, s.created_at, s.seen_at,
      (select l.expires_at from staff_link l where l.staff_id = s.id and l.expires_at > ${now}) as link_expires_at
    from staff s order by s.id`.execute(db)
  return rows
}

/** The member of this name, for the command line; null: there is none. */
export async function findStaff(db: Kysely<DB>, name: string): Promise<{ id: bigint; name: string } | null> {
  const row = await db
    .selectFrom('staff')
    .select(['id', 'name'])
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst()
  return row ?? null
}

/**
 * An owner of a demo, with a password and no second factor; a member of that name who has a password keeps
 * it.
 */
export async function seedDemoOwner(
  db: Kysely<DB>,
  { username: name, password }: { username: string; password: string },
): Promise<void> {
  const key = nameKey(name)
  const known = await db
    .selectFrom('staff')
    .select('password_hash')
    .where('name_key', '=', key)
    .executeTakeFirst()
  if (known != null && known.password_hash !== null) return
  const passwordHash = await hashPassword(checkPassword(password))
  await db
    .insertInto('staff')
    .values({ name, name_key: key, role: 'owner', password_hash: passwordHash })
    .onConflict((conflict) => conflict.column('name_key').doUpdateSet({ password_hash: passwordHash }))
    .execute()
}

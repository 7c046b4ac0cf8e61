/**
 * Invitations to a team, by letter. The link works once, for an account that has confirmed the invited
 * address. Nothing here looks up whether that address has an account, so no answer reveals it.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import {
  accountSubject,
  addressesOf,
  checkEmail,
  countAttempt,
  nameKey,
  nameSubject,
  personOf,
  takeBack,
  tellOfChange,
  tokenLimits,
} from '#accounts'
import { languageOfCode } from '#contract/language'
import { invitationDays, invitationsPerDay, mostInTeam, type TeamRole } from '#contract/acting/roles'
import { type DB, lockName, transaction } from '#db'
import type { Caller } from '#db/call'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets, sha256 } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { needOwnerFor } from './rights.ts'

/** Letters of one team, and letters to one mailbox from all teams: our mailer must not serve spam. */
const letterLimits = (teamId: bigint, emailKey: string) => [
  { kind: 'team_letter', subject: accountSubject(teamId), max: invitationsPerDay, windowMinutes: 24 * 60 },
  { kind: 'team_mailbox', subject: nameSubject(emailKey), max: 3, windowMinutes: 24 * 60 },
]

/** A name for an account without one. */
const nameOf = ({ username, id }: { username: string | null; id: bigint }) => username ?? `#${id}`

/** Sets the token of an invitation and writes its letter. */
async function sendInvitation(
  tx: Transaction<DB>,
  secrets: Secrets,
  { teamId, email, role }: { teamId: bigint; email: string; role: TeamRole },
  now: Date,
): Promise<void> {
  const token = randomToken()
  const expiresAt = new Date(now.getTime() + invitationDays * 24 * 60 * 60_000)
  const sent = { email, role, token_sha256: sha256(token), sent_at: now, expires_at: expiresAt }
  await tx
    .insertInto('team_invitation')
    .values({ team_id: teamId, email_key: nameKey(email), ...sent })
    .onConflict((conflict) => conflict.columns(['team_id', 'email_key']).doUpdateSet(sent))
    .execute()
  const team = await personOf(tx, teamId)
  await sendMail(tx, {
    template: 'team_invitation',
    to: email,
    // The language of the inviting account: that of the invited person is not looked up.
    language: languageOfCode(team.lang),
    data: { team: nameOf(team), role, sealed_token: sealToken(secrets, token, email) },
    expiresAt,
  })
}

/**
 * Invites a person, or sends an open invitation again with another role, and notifies the owner. Refuses with
 * `role_forbids`, `invalid_email`, `invitation_of_owner`, `member_exists`, `team_full`, `team_needs_email`
 * and `too_many_attempts`.
 */
export async function inviteMember(
  db: Kysely<DB>,
  secrets: Secrets,
  given: { caller: Caller; email: string; role: TeamRole; ip: string },
  now: Date,
): Promise<void> {
  const { caller, role, ip } = given
  const teamId = caller.id
  needOwnerFor(caller, role)
  const email = checkEmail(given.email)
  const key = nameKey(email)
  const owner = await addressesOf(db, teamId)
  if (owner.email === null) throw new Refusal('team_needs_email')
  if (nameKey(owner.email) === key) throw new Refusal('invitation_of_owner')
  await countAttempt(db, letterLimits(teamId, key), now)
  await transaction(db, async (tx) => {
    await lockName(tx, `team ${teamId}`)
    needOwnerFor(caller, ...(await rolesOffered(tx, teamId, key)))
    if (await isMember(tx, teamId, key)) throw new Refusal('member_exists')
    await refuseFull(tx, teamId, key, now)
    await sendInvitation(tx, secrets, { teamId, email, role }, now)
    await tellOfChange(tx, teamId, { event: 'team_member_invited', ip, isHeld: false }, now)
  })
}

/** The role that an earlier invitation of this address offers. */
async function rolesOffered(tx: Kysely<DB>, teamId: bigint, emailKey: string): Promise<TeamRole[]> {
  const rows = await tx
    .selectFrom('team_invitation')
    .select('role')
    .where('team_id', '=', teamId)
    .where('email_key', '=', emailKey)
    .execute()
  return rows.map(({ role }) => role as TeamRole)
}

/** Whether a member, whose address the team sees, has this address. */
async function isMember(tx: Kysely<DB>, teamId: bigint, emailKey: string): Promise<boolean> {
  const row = await tx
    .selectFrom('team_member')
    .innerJoin('account', 'account.id', 'team_member.member_id')
    .select('member_id')
    .where('team_id', '=', teamId)
    .where('email_key', '=', emailKey)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Refuses with `team_full` when members and open invitations to other addresses are as many as allowed. */
async function refuseFull(tx: Kysely<DB>, teamId: bigint, emailKey: string, now: Date): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from team_member where team_id = ${teamId})::int
      + (select count(*) from team_invitation
        where team_id = ${teamId} and email_key <> ${emailKey} and expires_at > ${now})::int as count`.execute(
    tx,
  )
  if ((rows[0]?.count ?? 0) >= mostInTeam) throw new Refusal('team_full', { most: mostInTeam })
}

/**
 * Sends an invitation again with a new link; that of the earlier letter ends. Refuses with
 * `invitation_not_found`, `team_full` and `too_many_attempts`, and as `allowed` does for the role.
 */
export async function resendInvitation(
  db: Kysely<DB>,
  secrets: Secrets,
  { teamId, id, allowed }: { teamId: bigint; id: bigint; allowed: (role: TeamRole) => void },
  now: Date,
): Promise<void> {
  const found = await invitationIn(db, teamId, id)
  allowed(found.role)
  await countAttempt(db, letterLimits(teamId, nameKey(found.email)), now)
  await transaction(db, async (tx) => {
    await lockName(tx, `team ${teamId}`)
    const { email, role } = await invitationIn(tx, teamId, id, true)
    // Another member may have given it another role meanwhile.
    allowed(role)
    await refuseFull(tx, teamId, nameKey(email), now)
    await sendInvitation(tx, secrets, { teamId, email, role }, now)
  })
}

async function invitationIn(db: Kysely<DB>, teamId: bigint, id: bigint, isLocked = false) {
  let query = db
    .selectFrom('team_invitation')
    .select(['email', 'role'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
  if (isLocked) query = query.forUpdate()
  const row = await query.executeTakeFirst()
  if (row === undefined) throw new Refusal('invitation_not_found')
  return { email: row.email, role: row.role as TeamRole }
}

/** Ends an invitation. Refuses with `invitation_not_found`, and as `allowed` does for the role. */
export function revokeInvitation(
  db: Kysely<DB>,
  { teamId, id, allowed }: { teamId: bigint; id: bigint; allowed: (role: TeamRole) => void },
): Promise<void> {
  return transaction(db, async (tx) => {
    allowed((await invitationIn(tx, teamId, id, true)).role)
    await tx.deleteFrom('team_invitation').where('id', '=', id).execute()
  })
}

export interface OpenInvitation {
  id: bigint
  email: string
  role: TeamRole
  sentAt: Date
  expiresAt: Date
}

/** The invitations of a team that were not accepted, the oldest first; some have expired. */
export async function invitationsOf(db: Kysely<DB>, teamId: bigint): Promise<OpenInvitation[]> {
  const rows = await db
    .selectFrom('team_invitation')
    .select(['id', 'email', 'role', 'sent_at', 'expires_at'])
    .where('team_id', '=', teamId)
    .orderBy('id')
    .limit(100)
    .execute()
  return rows.map(({ sent_at: sentAt, expires_at: expiresAt, role, ...row }) => ({
    ...row,
    role: role as TeamRole,
    sentAt,
    expiresAt,
  }))
}

const found = (db: Kysely<DB>, token: string, now: Date) =>
  db
    .selectFrom('team_invitation')
    .innerJoin('account', 'account.id', 'team_invitation.team_id')
    .select(['team_invitation.id', 'team_id', 'team_invitation.email', 'team_invitation.email_key', 'role'])
    .select(['expires_at', 'account.username', 'account.blocked_at'])
    .where('token_sha256', '=', sha256(token))
    .where('expires_at', '>', now)

/** What the invitation of a letter offers. Refuses with `invitation_invalid`. */
export async function invitationOf(
  db: Kysely<DB>,
  token: string,
  now: Date,
): Promise<{ team: string; email: string; role: TeamRole; expiresAt: Date }> {
  const row = await found(db, token, now).executeTakeFirst()
  if (row === undefined) throw new Refusal('invitation_invalid')
  return {
    team: nameOf({ username: row.username, id: row.team_id }),
    email: row.email,
    role: row.role as TeamRole,
    expiresAt: row.expires_at,
  }
}

/**
 * Makes an account a member of the team that invited its confirmed address, and notifies the team's owner.
 * Uses the invitation up. Refuses with `invitation_invalid`, `invitation_other_email`, `team_closed`,
 * `member_exists` and `too_many_attempts`.
 */
export async function acceptInvitation(
  db: Kysely<DB>,
  { token, caller, ip }: { token: string; caller: Caller; ip: string },
  now: Date,
): Promise<bigint> {
  const counted = await countAttempt(db, tokenLimits(ip), now)
  const teamId = await transaction(db, async (tx) => {
    const row = await found(tx, token, now).forUpdate('team_invitation').executeTakeFirst()
    if (row === undefined) throw new Refusal('invitation_invalid')
    const { email, isClosed } = await addressesOf(tx, caller.id)
    if (isClosed || email === null || nameKey(email) !== row.email_key)
      throw new Refusal('invitation_other_email')
    if (row.blocked_at !== null) throw new Refusal('team_closed')
    if (row.team_id === caller.id) throw new Refusal('invitation_of_owner')
    const joined = await tx
      .insertInto('team_member')
      .values({ team_id: row.team_id, member_id: caller.id, role: row.role, joined_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (joined.numInsertedOrUpdatedRows !== 1n) throw new Refusal('member_exists')
    await tx.deleteFrom('team_invitation').where('id', '=', row.id).execute()
    await tellOfChange(tx, row.team_id, { event: 'team_member_joined', ip }, now)
    return row.team_id
  })
  await takeBack(db, counted)
  return teamId
}

/** Expired invitations stay in the list for another week, to be sent again. */
export async function forgetExpiredInvitations(db: Kysely<DB>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - invitationDays * 24 * 60 * 60_000)
  await db.deleteFrom('team_invitation').where('expires_at', '<', before).execute()
}

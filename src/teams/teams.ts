/**
 * Teams: customers who may act on the account of another one, each within a role. The account itself is the
 * owner; which role may make which call stands in the call's declaration (`contract/acting/roles.ts`).
 */
import { type Kysely, sql } from 'kysely'
import { tellOfChange } from '#accounts'
import type { TeamRole } from '#contract/acting/roles'
import { type DB, transaction } from '#db'
import type { Caller } from '#db/call'
import { Refusal } from '#lib/refusal'
import { needOwnerFor } from './rights.ts'

export { actsOf, forgetOldActs, noteAct } from './acts.ts'
export { needOwnerFor } from './rights.ts'
export { eraseTeams, teamParts } from './export.and.erase.ts'
export {
  acceptInvitation,
  forgetExpiredInvitations,
  invitationOf,
  invitationsOf,
  inviteMember,
  resendInvitation,
  revokeInvitation,
} from './invitations.ts'

export interface TeamMemberRow {
  accountId: bigint
  name: string | null
  /** Null: not confirmed. */
  email: string | null
  role: TeamRole
  joinedAt: Date
}

/** The members of a team, the first to join first. */
export async function membersOf(db: Kysely<DB>, teamId: bigint): Promise<TeamMemberRow[]> {
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('account', 'account.id', 'team_member.member_id')
    .select(['member_id', 'role', 'joined_at', 'username', 'email', 'email_confirmed_at'])
    .where('team_id', '=', teamId)
    .orderBy('joined_at')
    .orderBy('member_id')
    .execute()
  return rows.map((row) => ({
    accountId: row.member_id,
    name: row.username,
    email: row.email_confirmed_at === null ? null : row.email,
    role: row.role as TeamRole,
    joinedAt: row.joined_at,
  }))
}

export interface Membership {
  teamId: bigint
  name: string | null
  role: TeamRole
  joinedAt: Date
  /** False: the account of the team is blocked or erased. */
  isOpen: boolean
}

/** The teams of which an account is a member. */
export async function teamsOf(db: Kysely<DB>, memberId: bigint): Promise<Membership[]> {
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('account', 'account.id', 'team_member.team_id')
    .select(['team_id', 'role', 'joined_at', 'username', 'blocked_at'])
    .where('member_id', '=', memberId)
    .orderBy('team_id')
    .execute()
  return rows.map((row) => ({
    teamId: row.team_id,
    name: row.username,
    role: row.role as TeamRole,
    joinedAt: row.joined_at,
    isOpen: row.blocked_at === null,
  }))
}

/** The role of a member, locked until the transaction ends. Refuses with `member_not_found`. */
async function lockRole(tx: Kysely<DB>, teamId: bigint, memberId: bigint): Promise<TeamRole> {
  const row = await tx
    .selectFrom('team_member')
    .select('role')
    .where('team_id', '=', teamId)
    .where('member_id', '=', memberId)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('member_not_found')
  return row.role as TeamRole
}

/**
 * Changes the role of a member, from the next call of each of their sessions on, and notifies the owner.
 * Refuses with `member_not_found` and `role_forbids`.
 */
export function changeMember(
  db: Kysely<DB>,
  caller: Caller,
  { memberId, role, ip }: { memberId: bigint; role: TeamRole; ip: string },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const before = await lockRole(tx, caller.id, memberId)
    needOwnerFor(caller, before, role)
    if (before === role) return
    await tx
      .updateTable('team_member')
      .set({ role })
      .where('team_id', '=', caller.id)
      .where('member_id', '=', memberId)
      .execute()
    await tellOfChange(tx, caller.id, { event: 'team_role_changed', ip, isHeld: false }, now)
  })
}

/** Removes a member; their sessions stop acting on the account. Refuses as changeMember does. */
export function removeMember(db: Kysely<DB>, caller: Caller, memberId: bigint): Promise<void> {
  return transaction(db, async (tx) => {
    needOwnerFor(caller, await lockRole(tx, caller.id, memberId))
    await endMembership(tx, { teamId: caller.id, memberId })
  })
}

/** Ends a membership; false: there is none. Sessions that act on the team return to the member's account. */
export async function endMembership(
  db: Kysely<DB>,
  { teamId, memberId }: { teamId: bigint; memberId: bigint },
): Promise<boolean> {
  const ended = await db
    .deleteFrom('team_member')
    .where('team_id', '=', teamId)
    .where('member_id', '=', memberId)
    .executeTakeFirst()
  return ended.numDeletedRows > 0n
}

/**
 * Chooses the account on which a session acts: the person's own, or that of a team. Refuses with
 * `not_a_member` and `team_closed`.
 */
export async function actOn(
  db: Kysely<DB>,
  { id: personId, tokenSha256 }: Caller,
  accountId: bigint,
): Promise<void> {
  if (accountId !== personId) {
    const team = (await teamsOf(db, personId)).find(({ teamId }) => teamId === accountId)
    if (team === undefined) throw new Refusal('not_a_member')
    if (!team.isOpen) throw new Refusal('team_closed')
  }
  await db
    .updateTable('session')
    .set({
      // Null when the membership has ended since.
      acts_on: sql<bigint | null>`(select team_id from team_member
        where team_id = ${accountId} and member_id = ${personId} for key share)`,
    })
    .where('token_sha256', '=', tokenSha256)
    .execute()
}

/** The account on which a session acts; null: the person's own. */
export async function actedOn(db: Kysely<DB>, tokenSha256: Buffer): Promise<bigint | null> {
  const row = await db
    .selectFrom('session')
    .select('acts_on')
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst()
  return row?.acts_on ?? null
}

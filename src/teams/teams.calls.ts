import { personOf } from '#accounts'
import type { Output } from '#contract/contract'
import { descriptions } from '#contract/openapi/descriptions'
import type { membershipWire, teamWire } from '#contract/teams/calls'
import { mostInTeam, type TeamRole } from '#contract/acting/roles'
import { type Name, wire } from '#contract/wire'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import {
  acceptInvitation,
  actedOn,
  actOn,
  actsOf,
  changeMember,
  endMembership,
  invitationOf,
  invitationsOf,
  inviteMember,
  membersOf,
  needOwnerFor,
  removeMember,
  resendInvitation,
  revokeInvitation,
  teamsOf,
} from './teams.ts'

/** What a call does, in the language of the reader; the name of one that no longer exists. */
const whatOf = (call: string, language: Context['language']) =>
  call in wire ? descriptions[call as Name].summary[language] : call

async function teamFor(context: Context): Promise<Output<'get_team'>> {
  const caller = callerOf(context)
  const { db } = context.database
  const [members, invitations, acts] = await Promise.all([
    membersOf(db, caller.id),
    invitationsOf(db, caller.id),
    actsOf(db, caller.id),
  ])
  return {
    members: members.map(({ accountId, name, email, role, joinedAt }) => ({
      account: String(accountId),
      name,
      email,
      role,
      joined_at: joinedAt.toISOString(),
    })),
    invitations: invitations.map(({ id, email, role, sentAt, expiresAt }) => ({
      id: String(id),
      email,
      role,
      sent_at: sentAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    })),
    acts: acts.map(({ at, by, call }) => ({
      at: at.toISOString(),
      by,
      call,
      what: whatOf(call, context.language),
    })),
    most: mostInTeam,
    manages_admins: caller.member === undefined,
  }
}

async function myTeams(context: Context): Promise<Output<'my_teams'>> {
  const { id, tokenSha256, view } = callerOf(context)
  const { db } = context.database
  const [own, acted, teams] = await Promise.all([
    personOf(db, id),
    view === undefined ? actedOn(db, tokenSha256) : null,
    teamsOf(db, id),
  ])
  return {
    own: { account: String(id), name: own.username },
    acts_on: String(acted ?? id),
    teams: teams.map(({ teamId, name, role, joinedAt, isOpen }) => ({
      account: String(teamId),
      name,
      role,
      joined_at: joinedAt.toISOString(),
      open: isOpen,
    })),
  }
}

const ofTeam = (context: Context, id: string) => {
  const caller = callerOf(context)
  return { teamId: caller.id, id: BigInt(id), allowed: (role: TeamRole) => needOwnerFor(caller, role) }
}

/** The calls of teams: members and invitations for owners, memberships for members. */
export function teamCalls({ secrets }: { secrets: Secrets }) {
  return {
    get_team: async (_input, context) => teamFor(context),
    invite_member: async ({ email, role }, context) => {
      const given = { caller: callerOf(context), email, role, ip: context.ip }
      await inviteMember(context.database.db, secrets, given, context.now())
      return true
    },
    resend_invitation: async ({ id }, context) => {
      await resendInvitation(context.database.db, secrets, ofTeam(context, id), context.now())
      return true
    },
    revoke_invitation: async ({ id }, context) => {
      await revokeInvitation(context.database.db, ofTeam(context, id))
      return true
    },
    change_member: async ({ account, role }, context) => {
      const given = { memberId: BigInt(account), role, ip: context.ip }
      await changeMember(context.database.db, callerOf(context), given, context.now())
      return true
    },
    remove_member: async ({ account }, context) => {
      await removeMember(context.database.db, callerOf(context), BigInt(account))
      return true
    },
    invitation: async ({ invitation_token: token }, { database, now }) => {
      const { expiresAt, ...offer } = await invitationOf(database.db, token, now())
      return { ...offer, expires_at: expiresAt.toISOString() }
    },
    accept_invitation: async ({ invitation_token: token }, context) => {
      const given = { token, caller: callerOf(context), ip: context.ip }
      return { account: String(await acceptInvitation(context.database.db, given, context.now())) }
    },
    my_teams: async (_input, context) => myTeams(context),
    act_on_account: async ({ account }, context) => {
      await actOn(context.database.db, callerOf(context), BigInt(account))
      return true
    },
    leave_team: async ({ account }, context) => {
      const ended = await endMembership(context.database.db, {
        teamId: BigInt(account),
        memberId: callerOf(context).id,
      })
      if (!ended) throw new Refusal('not_a_member')
      return true
    },
  } satisfies HandlersOf<typeof teamWire & typeof membershipWire>
}

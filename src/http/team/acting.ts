/** The account that a call of a session is about, and whether the role of a member allows the call. */
import type { FastifyRequest } from 'fastify'
import { accountHeader } from '#contract/acting/account'
import type { Members, TeamRole } from '#contract/acting/roles'
import { type Name, wire } from '#contract/wire'
import type { Caller } from '#db/call'
import { Refusal } from '#lib/refusal'

/** Whether a role in a team allows a call on the team's account; null: the account's own session. */
export function roleMay(name: Name, role: TeamRole | null): boolean {
  if (role === null) return true
  const members: Members = wire[name].members
  return typeof members !== 'string' && members.includes(role)
}

/**
 * The caller of a call that concerns an account. A call about the person is about their own account,
 * whichever one their session acts on. Any other is refused with `other_account` when the page shows another
 * account than the one acted on, with `team_closed`, and with `role_forbids`.
 */
export function actingFor(name: Name, caller: Caller, { headers }: Pick<FastifyRequest, 'headers'>): Caller {
  const { member, ...own } = caller
  if (wire[name].members === 'self') return member === undefined ? caller : { ...own, id: member.id }
  const shown = headers[accountHeader]
  // A program that names no account means the person's own one.
  const isShown = shown === undefined ? member === undefined : shown === String(caller.id)
  if (!isShown) throw new Refusal('other_account')
  if (member === undefined) return caller
  if (member.isClosed) throw new Refusal('team_closed')
  if (!roleMay(name, member.role)) throw new Refusal('role_forbids')
  return caller
}

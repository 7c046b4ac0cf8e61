/** What teams hold about a person, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const teamParts: readonly PersonalPart[] = [
  {
    name: 'team_memberships',
    // The names and addresses of the other people of a team are theirs.
    tables: ['team_member'],
    atErasure: 'removed',
    rows: (id) => sql`
      select team_id, member_id, role, joined_at from team_member where team_id = ${id} or member_id = ${id}`,
    key: { team_id: 'bigint', member_id: 'bigint' },
  },
  {
    name: 'team_invitations',
    tables: ['team_invitation'],
    atErasure: 'removed',
    rows: (id) => sql`
      select id, email, role, sent_at, expires_at from team_invitation where team_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'team_acts',
    tables: ['team_act'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select id, team_id, at, call, case when member_id = ${id} then ip end as ip from team_act
      where team_id = ${id} or member_id = ${id}`,
    key: { id: 'bigint' },
  },
]

/**
 * Ends the team of an account and its memberships in others, with the invitations of both. Its acts in other
 * teams stay, under the number of the account and without addresses. Before the account loses its address.
 */
export async function eraseTeams(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await sql`delete from team_member where team_id = ${accountId} or member_id = ${accountId}`.execute(tx)
  await sql`
    delete from team_invitation i using account a
    where a.id = ${accountId} and (i.team_id = a.id or i.email_key = a.email_key)`.execute(tx)
  await sql`delete from team_act where team_id = ${accountId}`.execute(tx)
  await sql`update team_act set ip = null where member_id = ${accountId}`.execute(tx)
}

/** What members changed on the account of a team: a row for each call, written with its change. */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import type { Caller } from '#db/call'

/** How long the acts are kept. */
const keptMs = 180 * 24 * 60 * 60_000

/** The acts that are shown. */
const mostShown = 50

/** Notes a change that a member made on the account of their team. */
export async function noteAct(
  db: Kysely<DB>,
  { id: teamId, member }: Caller,
  { call, ip }: { call: string; ip: string },
  now: Date,
): Promise<void> {
  if (member === undefined) return
  await db
    .insertInto('team_act')
    .values({ team_id: teamId, member_id: member.id, at: now, call, ip })
    .execute()
}

export interface Act {
  at: Date
  /** The member's address, else their name; null: their data was erased. */
  by: string | null
  call: string
}

/** The last acts of the members of a team, the newest first. */
export async function actsOf(db: Kysely<DB>, teamId: bigint): Promise<Act[]> {
  const rows = await db
    .selectFrom('team_act')
    .innerJoin('account', 'account.id', 'team_act.member_id')
    .select([
      'team_act.at',
      'team_act.call',
      'account.username',
      'account.email',
      'account.email_confirmed_at',
    ])
    .where('team_act.team_id', '=', teamId)
    .orderBy('team_act.id', 'desc')
    .limit(mostShown)
    .execute()
  return rows.map(({ at, call, username, email, email_confirmed_at: confirmed }) => ({
    at,
    call,
    by: (confirmed === null ? null : email) ?? username,
  }))
}

export async function forgetOldActs(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('team_act')
    .where('at', '<', new Date(now.getTime() - keptMs))
    .execute()
}

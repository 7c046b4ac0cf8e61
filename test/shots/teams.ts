/** Teams: members and invitations, the account of a team as a member sees it, and the page of an invitation. */
import { withDatabase } from './database.ts'
import type { Shot, Stage } from './shot.ts'

const tab = '/account?tab=team'

/** The number of the account that the page shows. */
const shown = ({ page }: Stage): Promise<string> =>
  page.evaluate(() => {
    const { user_id: id } = JSON.parse(localStorage.getItem('user') ?? '{}') as { user_id?: number }
    return String(id)
  })

/** Runs statements in which $1 is the account of the page, and $2 that of another customer. */
async function arrange(stage: Stage, statements: readonly string[]): Promise<() => Promise<void>> {
  const id = await shown(stage)
  await withDatabase(async ({ pool }) => {
    const { rows } = await pool.query<{ id: bigint }>(
      'select min(id) as id from account where id <> $1 and username is not null and blocked_at is null and not is_test',
      [id],
    )
    const both = [id, String(rows[0]?.id)]
    for (const text of statements)
      await pool.query(`with i as (select $1::bigint as own, $2::bigint as other) ${text}`, both)
  })
  return () =>
    withDatabase(async ({ pool }) => {
      for (const table of ['team_act', 'team_invitation', 'team_member'])
        await pool.query(`delete from ${table}`)
    })
}

const member = (team: 'own' | 'other', role: string) =>
  `insert into team_member select ${team}, ${team === 'own' ? 'other' : 'own'}, '${role}', now() from i`
const invitation = `
  insert into team_invitation (team_id, email, email_key, role, token_sha256, sent_at, expires_at)
  select own, 'books@example.com', 'books@example.com', 'billing', sha256('shown'), now(), now() + interval '6 days' from i`
const act = `
  insert into team_act (team_id, member_id, at, call) select own, other, now(), 'reset_password' from i`

/** Opens the account of a team, as its member. */
const work = async ({ page, text }: Stage): Promise<void> => {
  await page.getByRole('listitem').getByText(text('team:mine.act'), { exact: true }).click()
  await page.getByRole('region', { name: text('team:banner.title') }).waitFor()
}

export const teamShots: readonly Shot[] = [
  { name: 'team-invitation', path: '/team_invitation' },
  {
    name: 'account-team-members',
    who: 'partner',
    path: tab,
    breaks: (stage) => arrange(stage, [member('own', 'proxies'), invitation, act]),
  },
  {
    name: 'account-team-remove',
    who: 'partner',
    path: tab,
    breaks: (stage) => arrange(stage, [member('own', 'viewer')]),
    act: async ({ page, text, dialog }) => {
      await page.getByRole('listitem').getByText(text('team:members.remove'), { exact: true }).click()
      await dialog.waitFor()
    },
    shows: 'team/Removal',
  },
  {
    name: 'account-team-leave',
    who: 'partner',
    path: tab,
    breaks: (stage) => arrange(stage, [member('other', 'billing')]),
    act: async ({ page, text, dialog }) => {
      await page.getByRole('listitem').getByText(text('team:mine.leave'), { exact: true }).click()
      await dialog.waitFor()
    },
    shows: 'team/MembershipRow',
  },
  {
    name: 'account-team-offer',
    who: 'partner',
    path: '/team_invitation?invitation_token=shown',
    breaks: (stage) => arrange(stage, [invitation]),
  },
  {
    name: 'account-acting',
    who: 'partner',
    path: tab,
    breaks: (stage) => arrange(stage, [member('other', 'viewer')]),
    act: work,
  },
]

/** The calls of teams: an owner, a member, and somebody who is neither. */
import { sql } from 'kysely'
import { accountCalled, blockAccount, unblockAccount } from '#accounts'
import type { RefusalCode } from '#contract/refusals'
import type { Name } from '#contract/wire'
import { nameSubject, tokenLimits } from '../../src/accounts/signin/throttle.ts'
import { tokenInLetter } from '../letters.ts'
import { askAtChangeLimit } from './change.limit.ts'
import type { Story } from './story.ts'

const [as, member, stranger] = ['anna_smith', 'boris_ivanov', 'carol_jones'] as const

async function idOf({ shop }: Story, name: string): Promise<bigint> {
  const account = await accountCalled(shop.database.db, name)
  if (account === null) throw new Error(`there is no ${name}`)
  return account.id
}

/** Records as many attempts as any limit admits. */
async function attempts({ shop }: Story, kind: string, subject: string): Promise<void> {
  await sql`
    insert into attempt (kind, subject, at)
    select ${kind}, ${subject}, ${shop.clock.now} from generate_series(1, 40)`.execute(shop.database.db)
}

/** The token in the last invitation to an address. */
async function invited(story: Story, email: string, name: string): Promise<string> {
  const token = await tokenInLetter(story.shop, { template: 'team_invitation', to: email })
  story.know(name, token)
  return token
}

/** Asks, and expects a refusal where there is one. */
const asking =
  (story: Story) =>
  (
    name: Name,
    file: string,
    who: string | null,
    input: object,
    more: { ends?: RefusalCode; of?: bigint } = {},
  ) =>
    story.ask(name, file, {
      ...(who === null ? {} : { as: who }),
      input: input as Record<string, unknown>,
      headers: more.of === undefined ? {} : { 'x-account': String(more.of) },
      ...(more.ends === undefined ? {} : { ends: more.ends }),
    })

export async function teams(story: Story): Promise<void> {
  const { db } = story.shop.database
  const ask = asking(story)
  const emails = []
  for (const name of [as, member, stranger]) emails.push((await story.customer(name)).email)
  const [ownEmail = '', email = '', otherEmail = ''] = emails
  const [team, person] = [await idOf(story, as), await idOf(story, member)]
  await ask('invite_member', 'team-needs-email', as, { email, role: 'viewer' }, { ends: 'team_needs_email' })
  await sql`update account set email_confirmed_at = ${story.shop.clock.now}`.execute(db)
  await ask('invite_member', 'success', as, { email, role: 'viewer' })
  const owns = { ends: 'invitation_of_owner' } as const
  await ask('invite_member', 'invitation-of-owner', as, { email: ownEmail, role: 'viewer' }, owns)
  const token = await invited(story, email, 'the token of the first letter')
  const invitation = { invitation_token: token }
  await ask('invitation', 'success', null, invitation)
  await ask('accept_invitation', 'other-email', stranger, invitation, { ends: 'invitation_other_email' })
  await blockAccount(db, { accountId: team }, story.shop.clock.now)
  await ask('accept_invitation', 'team-closed', member, invitation, { ends: 'team_closed' })
  await unblockAccount(db, team, story.shop.clock.now)
  story.know(`token of ${as}`, await signedIn(story, as))
  await ask('accept_invitation', 'success', member, invitation)
  await ask('accept_invitation', 'invalid', member, invitation, { ends: 'invitation_invalid' })
  await ask('invitation', 'invalid', null, invitation, { ends: 'invitation_invalid' })
  await ask('invite_member', 'member-exists', as, { email, role: 'viewer' }, { ends: 'member_exists' })
  await ofInvitations(story, otherEmail)
  await asMember(story, { team, person })
  await ask('leave_team', 'success', member, { account: String(team) })
  await ask('leave_team', 'not-a-member', member, { account: String(team) }, { ends: 'not_a_member' })
  await ask('remove_member', 'not-found', as, { account: '999' }, { ends: 'member_not_found' })
}

async function signedIn({ shop }: Story, username: string): Promise<string> {
  return shop.anyone('signin', { username, password: `password of ${username}` })
}

async function ofInvitations(story: Story, email: string): Promise<void> {
  const ask = asking(story)
  const { db } = story.shop.database
  await ask('invite_member', 'success-of-an-administrator', as, { email, role: 'admin' })
  const { rows } = await sql<{ id: bigint }>`select max(id) as id from team_invitation`.execute(db)
  const id = String(rows[0]?.id)
  await ask('get_team', 'success', as, {})
  await ask('resend_invitation', 'success', as, { id })
  const gone = { ends: 'invitation_not_found' } as const
  await ask('resend_invitation', 'not-found', as, { id: '999' }, gone)
  await ask('revoke_invitation', 'success', as, { id })
  await ask('revoke_invitation', 'not-found', as, { id }, gone)
  await sql`
    insert into team_invitation (team_id, email, email_key, role, token_sha256, sent_at, expires_at)
    select ${await idOf(story, as)}, n || '@example.com', n || '@example.com', 'viewer', sha256(n::text::bytea),
      ${story.shop.clock.now}, ${story.shop.clock.now}::timestamptz + interval '7 days' from generate_series(1, 19) n`.execute(
    db,
  )
  await ask('invite_member', 'team-full', as, { email, role: 'viewer' }, { ends: 'team_full' })
  const most = await sql<{ id: bigint }>`select max(id) as id from team_invitation`.execute(db)
  const many = { ends: 'too_many_attempts' } as const
  await attempts(story, 'team_mailbox', nameSubject('19@example.com'))
  await ask('resend_invitation', 'too-many-attempts', as, { id: String(most.rows[0]?.id) }, many)
  await ask('invite_member', 'too-many-attempts', as, { email: '19@example.com', role: 'viewer' }, many)
  await sql`delete from team_invitation`.execute(db)
  await attempts(story, 'token_ip', tokenLimits('127.0.0.1')[0]?.subject ?? '')
  await ask('accept_invitation', 'too-many-attempts', stranger, { invitation_token: 'x' }, many)
  await sql`delete from attempt`.execute(db)
}

async function asMember(story: Story, { team, person }: { team: bigint; person: bigint }): Promise<void> {
  const ask = asking(story)
  const { db } = story.shop.database
  const account = String(team)
  await ask('act_on_account', 'not-a-member', stranger, { account }, { ends: 'not_a_member' })
  await ask('act_on_account', 'success', member, { account })
  await ask('my_teams', 'success', member, {})
  await ask('get_team', 'other-account', member, {}, { ends: 'other_account' })
  const forbidden = { ends: 'role_forbids', of: team } as const
  await ask('get_team', 'role-forbids', member, {}, forbidden)
  await ask(
    'invite_member',
    'role-forbids',
    member,
    { email: 'friend@example.com', role: 'viewer' },
    forbidden,
  )
  await ask('resend_invitation', 'role-forbids', member, { id: '1' }, forbidden)
  await ask('revoke_invitation', 'role-forbids', member, { id: '1' }, forbidden)
  await ask('change_member', 'role-forbids', member, { account: String(person), role: 'admin' }, forbidden)
  await ask('remove_member', 'role-forbids', member, { account: String(person) }, forbidden)
  const promoted = { account: String(person), role: 'admin' }
  await askAtChangeLimit(story, 'change_member', { as, input: promoted })
  await ask('change_member', 'success', as, promoted)
  await ask('change_member', 'not-found', as, { account: '999', role: 'admin' }, { ends: 'member_not_found' })
  await sql`update session set proved_at = null`.execute(db)
  const unproved = { ends: 'proof_needed' } as const
  await ask('change_member', 'proof-needed', as, { account: String(person), role: 'viewer' }, unproved)
  await ask('invite_member', 'proof-needed', as, { email: 'friend@example.com', role: 'viewer' }, unproved)
  await blockAccount(db, { accountId: team }, story.shop.clock.now)
  await ask('get_team', 'team-closed', member, {}, { ends: 'team_closed', of: team })
  await ask('act_on_account', 'team-closed', member, { account }, { ends: 'team_closed' })
  await unblockAccount(db, team, story.shop.clock.now)
  story.know(`token of ${as}`, await signedIn(story, as))
  await ask('remove_member', 'success', as, { account: String(person) })
  await sql`
    insert into team_member (team_id, member_id, role, joined_at)
    values (${team}, ${person}, 'viewer', ${story.shop.clock.now})`.execute(db)
}

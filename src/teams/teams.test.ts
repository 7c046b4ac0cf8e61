/** Teams through the API: invitations, roles, the account that a session acts on, and attacks on them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#contract/client'
import { teamRoles, type TeamRole } from '#contract/acting/roles'
import { type Name, wire } from '#contract/wire'
import { descriptions } from '#contract/openapi/descriptions'
import { blockAccount, eraseAccount, unblockAccount } from '#accounts'
import { lockName, transaction } from '#db'
import { accountIdOf, type App, app, type Customer, refusalOf } from '#test/app'
import { tokenInLetter } from '#test/letters'
import { oneWaitsForLock } from '#test/waiting.statement'
import { eraseTeams, forgetExpiredInvitations, forgetOldActs } from './teams.ts'

let shop: App
let owner: Customer
let teamId: string
beforeAll(async () => {
  shop = await app()
  owner = await person()
  teamId = await accountIdOf(owner)
  await shop.buy(owner, { pool: 'residential', gb: 1 })
})
afterAll(() => shop.close())

const db = () => shop.database.db
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code

const confirm = async ({ email }: Customer) =>
  db().updateTable('account').set({ email_confirmed_at: shop.clock.now }).where('email', '=', email).execute()

/** A customer with a confirmed address. */
async function person(): Promise<Customer> {
  const customer = await shop.customer()
  await confirm(customer)
  return customer
}

/** A client whose pages show an account. */
const showing = ({ token }: Customer, account: string) =>
  createClient({
    baseUrl: shop.origin,
    token: () => token,
    language: () => 'en',
    account: () => Number(account),
    fetch: shop.fetch,
  })

const lettersTo = (email: string, template: string) =>
  db()
    .selectFrom('mail')
    .select(['data', 'recipient'])
    .where('recipient', '=', email)
    .where('template', '=', template)
    .orderBy('created_at')
    .execute()

const tokenTo = (to: string) => tokenInLetter(shop, { template: 'team_invitation', to })

/** Makes a customer a member, and their session act on the team. */
async function memberOf(boss: Customer, role: TeamRole, member?: Customer) {
  const team = await accountIdOf(boss)
  const joined = member ?? (await person())
  const id = await accountIdOf(joined)
  await boss.call('invite_member', { email: joined.email, role })
  await joined.call('accept_invitation', { invitation_token: await tokenTo(joined.email) })
  await joined.call('act_on_account', { account: team })
  return { member: joined, id, call: showing(joined, team) }
}

const later = (ms: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + ms)
}
const dayMs = 24 * 60 * 60_000

describe('an invitation', () => {
  it('is accepted once, by the account that has confirmed the address, and the owner is notified', async () => {
    const [boss, invited, other] = [await person(), await shop.customer(), await person()]
    await boss.call('invite_member', { email: invited.email, role: 'viewer' })
    const token = await tokenTo(invited.email)
    expect(await shop.anyone('invitation', { invitation_token: token })).toMatchObject({
      team: boss.username,
      email: invited.email,
      role: 'viewer',
    })
    const accept = { invitation_token: token }
    expect(await codeOf(other.call('accept_invitation', accept))).toBe('invitation_other_email')
    expect(await codeOf(invited.call('accept_invitation', accept))).toBe('invitation_other_email')
    await confirm(invited)
    const answers = await Promise.allSettled([1, 2, 3].map(() => invited.call('accept_invitation', accept)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await codeOf(invited.call('accept_invitation', accept))).toBe('invitation_invalid')
    const { members, invitations } = await boss.call('get_team', {})
    expect([members.map(({ email, role }) => [email, role]), invitations]).toEqual([
      [[invited.email, 'viewer']],
      [],
    ])
    const told = (await lettersTo(boss.email, 'security_changed')).map(({ data }) => data)
    expect(told).toMatchObject([{ event: 'team_member_invited' }, { event: 'team_member_joined' }])
  })

  it('ends when it is sent again, revoked, or a week old', async () => {
    const [boss, invited] = [await person(), await person()]
    const email = invited.email
    await boss.call('invite_member', { email, role: 'viewer' })
    const first = await tokenTo(email)
    const id = (await boss.call('get_team', {})).invitations[0]?.id ?? ''
    await boss.call('resend_invitation', { id })
    const second = await tokenTo(email)
    const accept = (token: string) => codeOf(invited.call('accept_invitation', { invitation_token: token }))
    expect(await accept(first)).toBe('invitation_invalid')
    await boss.call('revoke_invitation', { id })
    expect(await accept(second)).toBe('invitation_invalid')
    expect(await codeOf(boss.call('resend_invitation', { id }))).toBe('invitation_not_found')
    expect(await codeOf(owner.call('revoke_invitation', { id }))).toBe('invitation_not_found')
    await boss.call('invite_member', { email, role: 'viewer' })
    const third = await tokenTo(email)
    later(7 * dayMs)
    expect(await accept(third)).toBe('invitation_invalid')
    await forgetExpiredInvitations(db(), new Date(shop.clock.now.getTime() + 8 * dayMs))
    const call = shop.client((await again(boss)).token)
    expect((await call('get_team', {})).invitations).toEqual([])
  })

  it('is not sent again by an admin when the owner has made it one for an admin meanwhile', async () => {
    const [boss, invited] = [await person(), await person()]
    const admin = await memberOf(boss, 'admin')
    await boss.call('invite_member', { email: invited.email, role: 'viewer' })
    const id = (await boss.call('get_team', {})).invitations[0]?.id ?? ''
    const team = await accountIdOf(boss)
    const sent = await db()
      .transaction()
      .execute(async (tx) => {
        await lockName(tx, `team ${team}`)
        const sending = codeOf(admin.call('resend_invitation', { id }))
        await oneWaitsForLock(db())
        await tx.updateTable('team_invitation').set({ role: 'admin' }).where('id', '=', BigInt(id)).execute()
        return { sending }
      })
    expect(await sent.sending).toBe('role_forbids')
  })

  it('answers alike for an address with and without an account, and is limited for a mailbox', async () => {
    const [boss, known] = [await person(), await person()]
    for (const email of [known.email, 'nobody-knows@example.com'])
      expect(await boss.call('invite_member', { email, role: 'viewer' })).toBe(true)
    const invite = () => boss.call('invite_member', { email: known.email, role: 'viewer' })
    await invite()
    await invite()
    expect(await codeOf(invite())).toBe('too_many_attempts')
    const stranger = await person()
    expect(await codeOf(stranger.call('invite_member', { email: known.email, role: 'viewer' }))).toBe(
      'too_many_attempts',
    )
    expect(await codeOf(boss.call('invite_member', { email: boss.email, role: 'viewer' }))).toBe(
      'invitation_of_owner',
    )
    const fresh = await shop.customer()
    expect(await codeOf(fresh.call('invite_member', { email: known.email, role: 'viewer' }))).toBe(
      'team_needs_email',
    )
    later(11 * 60_000)
    expect(await codeOf(boss.call('invite_member', { email: 'late@example.com', role: 'viewer' }))).toBe(
      'proof_needed',
    )
  })
})

/** A customer with a new session. */
async function again(customer: Customer): Promise<Customer> {
  const { username, password } = customer
  const token = await shop.anyone('signin', { username, password })
  return { ...customer, token, call: shop.client(token) }
}

describe('a session', () => {
  it('acts on the account that its page shows, and on no other', async () => {
    owner = await again(owner)
    const { member, id, call } = await memberOf(owner, 'viewer')
    expect(await call('legacy_profile', {})).toMatchObject([{ user_id: Number(teamId) }])
    // Another tab still shows the member’s own account, or names none.
    const otherTab = showing(member, id)
    expect(await codeOf(otherTab('legacy_profile', {}))).toBe('other_account')
    expect(await codeOf(member.call('legacy_profile', {}))).toBe('other_account')
    expect((await otherTab('my_teams', {})).acts_on).toBe(teamId)
    await otherTab('act_on_account', { account: id })
    expect(await otherTab('legacy_profile', {})).toMatchObject([{ user_id: Number(id) }])
    expect(await codeOf(call('legacy_profile', {}))).toBe('other_account')
    // A second session of the member is their own.
    const second = await again(member)
    expect(await second.call('legacy_profile', {})).toMatchObject([{ user_id: Number(id) }])
    const stranger = await person()
    expect(await codeOf(stranger.call('act_on_account', { account: teamId }))).toBe('not_a_member')
    expect(await codeOf(showing(stranger, teamId)('legacy_profile', {}))).toBe('other_account')
  })

  it('stops acting when the member leaves, is removed, or the account is blocked', async () => {
    owner = await again(owner)
    const first = await memberOf(owner, 'admin')
    const colleague = await memberOf(owner, 'viewer')
    await colleague.member.call('leave_team', { account: teamId })
    expect(await codeOf(colleague.call('legacy_profile', {}))).toBe('other_account')
    expect(await codeOf(colleague.member.call('leave_team', { account: teamId }))).toBe('not_a_member')
    await blockAccount(db(), { accountId: BigInt(teamId) }, shop.clock.now)
    expect(await codeOf(first.call('get_overview', {}))).toBe('team_closed')
    await unblockAccount(db(), BigInt(teamId), shop.clock.now)
    owner = await again(owner)
    expect(await first.call('get_overview', {})).toBeDefined()
    await owner.call('remove_member', { account: first.id })
    expect(await codeOf(first.call('get_overview', {}))).toBe('other_account')
    expect(await codeOf(first.member.call('act_on_account', { account: teamId }))).toBe('not_a_member')
    await blockAccount(db(), { accountId: BigInt(first.id) }, shop.clock.now)
    expect(await codeOf(first.call('my_teams', {}))).toBe('unauthorized')
  })

  it('with an open stream of requests ends it when the role no longer allows it', async () => {
    owner = await again(owner)
    const { member, id } = await memberOf(owner, 'viewer')
    const stop = new AbortController()
    const response = await fetch(`${shop.origin}/api/rpc/live_requests`, {
      headers: { authorization: `Bearer ${member.token}`, 'x-account': teamId },
      signal: stop.signal,
    })
    expect(response.status).toBe(200)
    await owner.call('remove_member', { account: id })
    const reader = response.body?.getReader()
    const isOver = async () => {
      for (;;) if ((await reader?.read())?.done !== false) return true
    }
    // The server closes the connection in the middle of the stream.
    expect(await isOver().catch(({ name }: Error) => name === 'TypeError')).toBe(true)
    stop.abort()
  })
})

/** The input of a call in the documentation. */
const inputOf = (name: Name) => (descriptions[name] as unknown as { input: never }).input

describe('a role', () => {
  it('makes the calls of its list only', async () => {
    owner = await again(owner)
    for (const role of teamRoles) {
      const { call } = await memberOf(owner, role)
      const names = (Object.keys(wire) as Name[]).filter((name) => {
        const { members } = wire[name] as { members: string | readonly string[] }
        return members !== 'public' && members !== 'self' && !members.includes(role)
      })
      for (const name of names)
        expect(await codeOf(call(name, inputOf(name))), `${role} ${name}`).toBe('role_forbids')
    }
  })

  it('without secrets gets none, by any call', async () => {
    owner = await again(owner)
    const pool = 'residential' as const
    const made = await owner.call('create_proxy_user', { pool, label: 'of the team' })
    await owner.call('create_invoice_web', { payment_method: 'sandbox', amount: 1, pool } as never)
    const [profile] = await owner.call('legacy_profile', {})
    const token = await owner.call('reseller_token', {})
    const [unpaid] = await owner.call('invoices', {})
    const secrets = [
      made.password,
      profile?.residential.password,
      profile?.tgcode,
      token,
      unpaid?.payment_url,
    ]
    for (const secret of secrets) expect(secret).toMatch(/.{6}/)
    const seen = async (role: TeamRole) => {
      const { call } = await memberOf(owner, role)
      const names = (Object.keys(wire) as Name[]).filter(
        (name) =>
          wire[name].effect === 'reads' &&
          wire[name].answer !== 'blob' &&
          (wire[name].members as readonly string[]).includes(role),
      )
      const answers: string[] = []
      for (const name of names) {
        const given = name === 'get_proxy_users' ? { pool, passwords: true } : inputOf(name)
        answers.push(
          JSON.stringify(await call(name, given as never).catch(({ code }: { code: string }) => code)),
        )
      }
      return secrets.map((secret) => answers.some((answer) => answer.includes(secret ?? '-')))
    }
    expect(await seen('viewer')).toEqual([false, false, false, false, false])
    // It is told in which pools there was traffic.
    const [shown] = await (await memberOf(owner, 'viewer')).call('legacy_profile', {})
    expect([shown?.residential.password, shown?.mobile.password]).toEqual(['', null])
    expect(await seen('billing')).toEqual([false, false, false, false, true])
    expect(await seen('proxies')).toEqual([true, true, false, false, false])
    expect(await seen('admin')).toEqual([true, true, false, false, true])
  })

  it('of an administrator gives and takes no administrators, nor raises itself', async () => {
    owner = await again(owner)
    const boss = await memberOf(owner, 'admin')
    const peer = await memberOf(owner, 'admin')
    const viewer = await memberOf(owner, 'viewer')
    expect((await boss.call('get_team', {})).manages_admins).toBe(false)
    const tries = [
      () => boss.call('invite_member', { email: 'friend@example.com', role: 'admin' }),
      () => boss.call('change_member', { account: viewer.id, role: 'admin' }),
      () => boss.call('change_member', { account: peer.id, role: 'viewer' }),
      () => boss.call('remove_member', { account: peer.id }),
      () => viewer.call('change_member', { account: viewer.id, role: 'admin' }),
    ]
    for (const each of tries) expect(await codeOf(each())).toBe('role_forbids')
    await owner.call('invite_member', { email: 'deputy@example.com', role: 'admin' })
    expect(await codeOf(boss.call('invite_member', { email: 'deputy@example.com', role: 'viewer' }))).toBe(
      'role_forbids',
    )
    await boss.call('change_member', { account: viewer.id, role: 'proxies' })
    expect(await viewer.call('get_presets', {})).toBeDefined()
    await boss.call('change_member', { account: viewer.id, role: 'billing' })
    expect(await codeOf(viewer.call('get_presets', {}))).toBe('role_forbids')
    const stranger = await person()
    const account = await accountIdOf(stranger)
    expect(await codeOf(boss.call('remove_member', { account }))).toBe('member_not_found')
  })

  it('does not matter to an API token, which acts for its own account and manages no team', async () => {
    owner = await again(owner)
    const { member } = await memberOf(owner, 'admin')
    const own = await again(member)
    const program = shop.client(await own.call('reseller_token', {}))
    expect(await program('legacy_profile', {})).toMatchObject([{ username: member.username }])
    expect(await codeOf(program('act_on_account', { account: teamId }))).toBe('not_for_reseller_token')
    expect(await codeOf(program('get_team', {}))).toBe('not_for_reseller_token')
  })
})

describe('an act of a member', () => {
  it('is listed with its member; a proof is the member’s own', async () => {
    const boss = await person()
    const { member, call } = await memberOf(boss, 'admin')
    await call('set_display_currency', { currency: 'USD' } as never).catch(() => undefined)
    await call('set_host_privacy', { keep: false } as never).catch(() => undefined)
    await call('invite_member', { email: 'third@example.com', role: 'viewer' })
    const { acts } = await boss.call('get_team', {})
    expect(acts[0]).toMatchObject({ by: member.email, call: 'invite_member', what: 'Пригласить в команду' })
    later(11 * 60_000)
    const invite = { email: 'fourth@example.com', role: 'viewer' } as const
    expect(await codeOf(call('invite_member', invite))).toBe('proof_needed')
    expect(
      await codeOf(call('prove_owner', { proof: { kind: 'password', password: 'not the password' } })),
    ).toBe('wrong_password')
    await call('prove_owner', { proof: { kind: 'password', password: member.password } })
    await call('invite_member', invite)
    await forgetOldActs(db(), new Date(shop.clock.now.getTime() + 181 * dayMs))
    expect((await call('get_team', {})).acts).toEqual([])
  })

  it('under an Idempotency-Key is answered to this member only', async () => {
    const boss = await person()
    const [one, two] = [await memberOf(boss, 'admin'), await memberOf(boss, 'admin')]
    const input = { email: 'keyed@example.com', role: 'viewer' } as const
    const keyed = { idempotencyKey: 'same-key' }
    await one.call('invite_member', input, keyed)
    await one.call('invite_member', input, keyed)
    expect(await lettersTo(input.email, 'team_invitation')).toHaveLength(1)
    expect(await codeOf(two.call('invite_member', input, keyed))).toBe('idempotency_key_reused')
    expect(await codeOf(boss.call('invite_member', input, keyed))).toBe('idempotency_key_reused')
  })

  it('is kept without addresses after the member’s erasure, which ends the membership', async () => {
    const boss = await person()
    const { id, call } = await memberOf(boss, 'admin')
    await call('invite_member', { email: 'fifth@example.com', role: 'viewer' })
    await transaction(db(), async (tx) => {
      await eraseTeams(tx, BigInt(id))
      await eraseAccount(tx, BigInt(id), shop.clock.now)
    })
    const { members, acts } = await boss.call('get_team', {})
    expect([members, acts]).toMatchObject([[], [{ by: null, call: 'invite_member' }]])
    const rows = await db().selectFrom('team_act').select('ip').where('member_id', '=', BigInt(id)).execute()
    expect(rows).toEqual([{ ip: null }])
  })
})

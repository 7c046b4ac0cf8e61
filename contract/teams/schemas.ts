/** The schemas of teams. */
import * as z from 'zod'
import * as rules from '../schemas.rules.ts'
import { done, empty } from '../schemas.ts'
import { teamRoles } from '../acting/roles.ts'

const role = z.enum(teamRoles)
const moment = z.string()
const account = z.string().regex(/^[1-9]\d{0,17}$/)
const accountInput = z.strictObject({ account })
const tokenInput = z.strictObject({ invitation_token: z.string().max(200) })

const member = z.object({
  account: z.string(),
  /** The user name; null: an account of Telegram. */
  name: z.string().nullable(),
  /** Null: not confirmed. */
  email: z.string().nullable(),
  role,
  joined_at: moment,
})
const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role,
  sent_at: moment,
  /** In the past: it has to be sent again. */
  expires_at: moment,
})
const act = z.object({
  at: moment,
  /** The member’s address or name; null: their data was erased. */
  by: z.string().nullable(),
  /** The name of the call, and what it does, in the language of the request. */
  call: z.string(),
  what: z.string(),
})
const team = z.object({
  members: z.array(member),
  invitations: z.array(invitation),
  /** The last changes that members made on this account, the newest first. */
  acts: z.array(act),
  /** The most members and open invitations together. */
  most: z.number(),
  /** Whether the caller may make members administrators, and change and remove these. */
  manages_admins: z.boolean(),
})

const myTeam = z.object({
  account: z.string(),
  name: z.string().nullable(),
  role,
  joined_at: moment,
  /** False: the account is blocked, so nobody can act on it. */
  open: z.boolean(),
})
const myTeams = z.object({
  /** The account of the person. */
  own: z.object({ account: z.string(), name: z.string().nullable() }),
  /** The account on which the session acts. */
  acts_on: z.string(),
  teams: z.array(myTeam),
})

export const teamSchemas = {
  get_team: { input: empty, output: team },
  invite_member: { input: z.strictObject({ email: rules.email, role }), output: done },
  resend_invitation: { input: z.strictObject({ id: account }), output: done },
  revoke_invitation: { input: z.strictObject({ id: account }), output: done },
  change_member: { input: z.strictObject({ account, role }), output: done },
  remove_member: { input: accountInput, output: done },
  invitation: {
    input: tokenInput,
    output: z.object({ team: z.string(), email: z.string(), role, expires_at: moment }),
  },
  accept_invitation: { input: tokenInput, output: z.object({ account: z.string() }) },
  my_teams: { input: empty, output: myTeams },
  act_on_account: { input: accountInput, output: done },
  leave_team: { input: accountInput, output: done },
} as const

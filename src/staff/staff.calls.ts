/** The desk's calls for signing in, the staff and the audit trail. */
import { may, permissions } from '#contract/desk/roles'
import { transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { record } from './audit.ts'
import {
  type ActLimits,
  authorOf,
  type DeskContext,
  type DeskHandlers,
  type Member,
  memberOf,
} from './call.ts'
import { beginJoining, finishJoining } from './link.ts'
import { ownCalls } from './own.calls.ts'
import { requestOptions } from './passkey.ts'
import {
  blockStaff,
  endStaffSessions,
  inviteStaff,
  listStaff,
  resetStaff,
  setStaffRole,
  unblockStaff,
} from './people.ts'
import { authenticate, endSessions, idleMs, steppedUpUntil } from './session.ts'
import { viewCalls } from './views.calls.ts'
import {
  confirm,
  confirmPassword,
  factorsOf,
  keepChallenge,
  type Proof,
  signIn,
  type SignInDeps,
} from './signin.ts'
import { linkAddress } from './staff.ts'

export interface StaffDeps extends SignInDeps {
  shopUrl: URL
  /** The limits of acts that pages show. */
  limits: () => Promise<ActLimits>
}

const iso = (time: Date | null) => time?.toISOString() ?? null

async function shown(deps: StaffDeps, context: DeskContext, member: Member | null) {
  const limits = await deps.limits()
  const common = {
    demo: deps.isDemo,
    brand: deps.party.name,
    shop_url: deps.shopUrl.href,
    time_zone: context.zone,
    limits: {
      support_bytes_per_day: String(limits.supportBytesPerDay),
      step_up_bytes: String(limits.stepUpBytes),
      step_up_micros: String(limits.stepUpMicros),
    },
  }
  if (member === null)
    return {
      ...common,
      stage: 'signed_out' as const,
      factors: [],
      member: null,
      stepped_up_until: null,
      idle_ends_at: null,
      ends_at: null,
    }
  const { id, name, role, session } = member
  const now = context.now()
  return {
    ...common,
    stage: session.isComplete ? ('signed_in' as const) : ('factor_missing' as const),
    factors: await factorsOf(context.database.db, id),
    member: session.isComplete
      ? { id: String(id), name, role, permissions: permissions.filter((each) => may(role, each)) }
      : null,
    stepped_up_until: iso(steppedUpUntil(member, now)),
    idle_ends_at: iso(new Date(Math.min(now.getTime() + idleMs, session.endsAt.getTime()))),
    ends_at: iso(session.endsAt),
  }
}

const arrivalOf = ({ ip, userAgent, requestId }: DeskContext) => ({ ip, userAgent, requestId })

/** Gives the browser its new token, and returns the state of the session. */
async function arrived(deps: StaffDeps, context: DeskContext, token: string) {
  context.setToken(token)
  const { database, now } = context
  return shown(deps, context, await authenticate(database.db, token, now()))
}

export function staffCalls(deps: StaffDeps) {
  return { ...signInCalls(deps), ...ownCalls(deps), ...peopleCalls(deps), ...viewCalls }
}

function signInCalls(deps: StaffDeps) {
  const proved = async (context: DeskContext, proof: Proof) => {
    const { database, now } = context
    const given = { member: memberOf(context), proof }
    return arrived(deps, context, await confirm(database.db, deps, given, arrivalOf(context), now()))
  }
  return {
    session: (_input, context) => shown(deps, context, context.member),
    sign_in: async (input, context) => {
      const { database, now } = context
      return arrived(deps, context, await signIn(database.db, deps, input, arrivalOf(context), now()))
    },
    sign_out: async (_input, context) => {
      const { id, session } = memberOf(context)
      await transaction(context.database.db, async (tx) => {
        await endSessions(tx, id, { only: session.id })
        const subject = { kind: 'staff', id: String(id) } as const
        await record(tx, authorOf(context), { action: 'sign_out', subject }, context.now())
      })
      context.setToken(null)
      return true as const
    },
    passkey_challenge: async (_input, context) => {
      const member = memberOf(context)
      const { db } = context.database
      const asked = await requestOptions(db, deps.party, member.id)
      if (asked === null) throw new Refusal('wrong_factor')
      await keepChallenge(db, member, asked.challenge, context.now())
      return { options: asked.options }
    },
    confirm_totp: ({ code }, context) => proved(context, { kind: 'totp', code }),
    confirm_recovery_code: ({ code }, context) => proved(context, { kind: 'recovery_code', code }),
    confirm_passkey: ({ response }, context) => proved(context, { kind: 'passkey', response }),
    confirm_password: async ({ password }, context) => {
      const given = { member: memberOf(context), password }
      const { database, now } = context
      return arrived(
        deps,
        context,
        await confirmPassword(database.db, deps, given, arrivalOf(context), now()),
      )
    },
    join_begin: async ({ token }, { database, ip, now }) => {
      const begun = await beginJoining(database.db, deps, { token, ip }, now())
      const { secret, uri } = begun.totp
      const { name, role, expiresAt, passkey } = begun
      return { name, role, expires_at: expiresAt.toISOString(), totp: { secret, uri }, passkey }
    },
    join_finish: async (input, context) => {
      const { database, now } = context
      const { token, recoveryCodes } = await finishJoining(
        database.db,
        deps,
        input,
        arrivalOf(context),
        now(),
      )
      context.setToken(token)
      return { recovery_codes: recoveryCodes }
    },
  } satisfies Partial<DeskHandlers>
}

function peopleCalls({ party }: StaffDeps) {
  const linked = ({ staffId, token, expiresAt }: Awaited<ReturnType<typeof inviteStaff>>) => ({
    id: String(staffId),
    url: linkAddress(party.url, token),
    expires_at: expiresAt.toISOString(),
  })
  return {
    staff: async (_input, { database, now }) =>
      (await listStaff(database.db, now())).map((row) => ({
        id: String(row.id),
        name: row.name,
        role: row.role,
        state: row.blocked_at !== null ? 'blocked' : row.has_password ? 'active' : 'invited',
        factors: [
          ...(row.passkeys > 0n ? (['passkey'] as const) : []),
          ...(row.has_totp ? (['totp'] as const) : []),
          ...(row.codes > 0n ? (['recovery_code'] as const) : []),
        ],
        sessions: Number(row.sessions),
        created_at: row.created_at.toISOString(),
        seen_at: iso(row.seen_at),
        link_expires_at: iso(row.link_expires_at),
      })),
    invite_staff: async (input, context) =>
      linked(await inviteStaff(context.database.db, authorOf(context), input, context.now())),
    set_staff_role: async ({ id, role }, context) => {
      const change = { staffId: BigInt(id), role }
      await setStaffRole(context.database.db, authorOf(context), change, context.now())
      return true as const
    },
    reset_staff: async ({ id }, context) =>
      linked(await resetStaff(context.database.db, authorOf(context), BigInt(id), context.now())),
    block_staff: async ({ id }, context) => {
      await blockStaff(context.database.db, authorOf(context), BigInt(id), context.now())
      return true as const
    },
    unblock_staff: async ({ id }, context) => {
      await unblockStaff(context.database.db, authorOf(context), BigInt(id), context.now())
      return true as const
    },
    end_staff_sessions: async ({ id }, context) => ({
      ended: await endStaffSessions(context.database.db, authorOf(context), BigInt(id), context.now()),
    }),
  } satisfies Partial<DeskHandlers>
}

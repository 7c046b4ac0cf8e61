/**
 * The security log: sign-ins, sign-outs and refusals, with the account, the address, the call and the
 * outcome. No line contains a password, a code or a token, nor an attempted name, because people type
 * passwords into the field of the name.
 */
import type { FastifyRequest } from 'fastify'
import type { RefusalCode } from '#contract/refusals'
import { type Name, wire } from '#contract/wire'
import type { Caller } from '#db/call'

/** Refusals that may be part of an attack. */
const turnedAway: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'unauthorized',
  'invalid_credentials',
  'wrong_password',
  'account_blocked',
  'account_blocked_because',
  'account_blocked_until',
  'too_many_attempts',
  'too_many_requests',
  'not_for_reseller_token',
  'telegram_code_unknown',
  'invalid_confirmation_token',
  'invalid_reset_token',
  'invalid_webhook_signature',
  'not_allowed_here',
  'wrong_origin',
  'no_permission',
  'wrong_factor',
  'proof_needed',
  'link_invalid',
  'view_link_invalid',
  'view_wrong_origin',
  'role_forbids',
  'invitation_invalid',
  'invitation_other_email',
])

/** Logs a call that its declaration assigns to the security log. */
export function noteDone(request: FastifyRequest, name: Name, caller: Caller | null): void {
  if (!wire[name].logs) return
  const member = caller?.member === undefined ? {} : { member: String(caller.member.id) }
  const account = caller === null ? null : String(caller.id)
  request.log.info({ call: name, ip: request.ip, account, ...member }, 'security: done')
}

/** Logs a refusal that may be part of an attack. */
export function noteRefused(request: FastifyRequest, code: RefusalCode): void {
  if (!turnedAway.has(code)) return
  // The route, not the URL, which may contain a customer's number.
  const route = request.routeOptions.url ?? null
  request.log.info({ code, ip: request.ip, route }, 'security: refused')
}

/**
 * What the log tells of people who come, go and are turned away: who, from where, which call, and how it ended. Never
 * what they showed: a password, a code and a token stand in no line, nor does a name that was tried, for people type
 * passwords into the field of the name.
 */
import type { FastifyRequest } from 'fastify'
import type { RefusalCode } from '#contract/refusals'
import { isForResellers, type Name } from '#contract/wire'

/** Besides the calls of people only: what changes a secret that opens something. */
const changingSecrets: ReadonlySet<Name> = new Set<Name>([
  'reset_password',
  'reseller_token',
  'rotate_reseller_token',
  'revoke_reseller_token',
])

/** Refusals to somebody who may be trying doors. */
const turnedAway: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'unauthorized',
  'invalid_credentials',
  'wrong_password',
  'account_blocked',
  'too_many_attempts',
  'too_many_requests',
  'not_for_reseller_token',
  'telegram_code_unknown',
  'invalid_confirmation_token',
  'invalid_reset_token',
  'invalid_webhook_signature',
])

/** Notes a call that let somebody in or out, or changed what lets them in. */
export function noteDone(request: FastifyRequest, name: Name, accountId: bigint | undefined): void {
  if (isForResellers(name) && !changingSecrets.has(name)) return
  request.log.info({ call: name, ip: request.ip, account: accountId?.toString() ?? null }, 'security: done')
}

/** Notes a refusal to somebody who may be trying doors. */
export function noteRefused(request: FastifyRequest, code: RefusalCode): void {
  if (!turnedAway.has(code)) return
  // The route, not the address: that may hold a number of somebody's.
  const route = request.routeOptions.url ?? null
  request.log.info({ code, ip: request.ip, route }, 'security: refused')
}

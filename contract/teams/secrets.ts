/**
 * Types of fields that not every member of a team sees; `src/http/team/secrets.ts` hides them by their type.
 */
import * as z from 'zod'
import { seesPayment, seesProxySecrets, type TeamRole } from '../acting/roles.ts'

/** `proxy`: of a proxy. `payment`: pays or cancels an invoice. `owner`: of the account itself. */
export type Secret = 'proxy' | 'payment' | 'owner'

export const secrets = z.registry<{ secret: Secret }>()

export const proxySecret = z.string().register(secrets, { secret: 'proxy' })
export const paymentSecret = z.string().register(secrets, { secret: 'payment' })
export const ownerSecret = z.string().register(secrets, { secret: 'owner' })

/** Whether a member with this role sees a secret. No member sees those of the owner. */
export const seesSecret = (role: TeamRole, secret: Secret): boolean =>
  secret === 'proxy' ? seesProxySecrets(role) : secret === 'payment' && seesPayment(role)

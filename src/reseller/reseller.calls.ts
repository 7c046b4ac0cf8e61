import type { resellerWire } from '#contract/reseller/calls'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import type { Secrets } from '#lib/secret'
import { resellerToken, revokeResellerToken, rotateResellerToken } from './reseller.ts'

const ownerOf = (context: Context) => ({ accountId: callerOf(context).id, ip: context.ip })

/**
 * reseller_token, rotate_reseller_token, revoke_reseller_token. A token may rotate and revoke itself;
 * revoking never needs a proof, so that a token in wrong hands ends at once.
 */
export function resellerCalls({ secrets }: { secrets: Secrets }) {
  return {
    reseller_token: async (_input, context) =>
      resellerToken(context.database.db, secrets, ownerOf(context), context.now()),
    rotate_reseller_token: async (_input, context) =>
      rotateResellerToken(context.database.db, secrets, ownerOf(context), context.now()),
    revoke_reseller_token: async (_input, context) => {
      await revokeResellerToken(context.database.db, callerOf(context).id)
      return true
    },
  } satisfies HandlersOf<typeof resellerWire>
}

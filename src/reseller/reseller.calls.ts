import { needOwner } from '#accounts'
import { callerOf, type Context, type Handlers } from '#db/call'
import type { Secrets } from '#lib/secret'
import { resellerToken, revokeResellerToken, rotateResellerToken } from './reseller.ts'

/** The account of the call. A session must have proved its owner recently; the token itself need not. */
async function ownerOf(context: Context): Promise<{ accountId: bigint; ip: string }> {
  await needOwner(context)
  return { accountId: callerOf(context).id, ip: context.ip }
}

/**
 * reseller_token, rotate_reseller_token, revoke_reseller_token. A token may rotate and revoke itself;
 * revoking never needs a proof, so that a token in wrong hands ends at once.
 */
export function resellerCalls({ secrets }: { secrets: Secrets }) {
  return {
    reseller_token: async (_input, context) =>
      resellerToken(context.database.db, secrets, await ownerOf(context), context.now()),
    rotate_reseller_token: async (_input, context) =>
      rotateResellerToken(context.database.db, secrets, await ownerOf(context), context.now()),
    revoke_reseller_token: async (_input, context) => {
      await revokeResellerToken(context.database.db, callerOf(context).id)
      return true
    },
  } satisfies Partial<Handlers>
}

import { needFactorProof } from '#accounts'
import { callerOf, type Context, type Handlers } from '#db/call'
import type { Secrets } from '#lib/secret'
import { resellerToken, revokeResellerToken, rotateResellerToken } from './reseller.ts'

/** The account of the call. A session of an account with second factors must have proved one recently; the token itself need not. */
async function ownerOf(context: Context): Promise<bigint> {
  const { id: accountId, tokenSha256, reseller } = callerOf(context)
  if (reseller === undefined)
    await needFactorProof(context.database.db, { accountId, tokenSha256 }, context.now())
  return accountId
}

/**
 * reseller_token, rotate_reseller_token, revoke_reseller_token. A token may rotate and revoke itself; revoking never needs a
 * second factor, so that a token in wrong hands ends at once.
 */
export function resellerCalls({ secrets }: { secrets: Secrets }) {
  return {
    reseller_token: async (_input, context) =>
      resellerToken(context.database.db, secrets, await ownerOf(context)),
    rotate_reseller_token: async (_input, context) =>
      rotateResellerToken(context.database.db, secrets, await ownerOf(context)),
    revoke_reseller_token: async (_input, context) => {
      await revokeResellerToken(context.database.db, callerOf(context).id)
      return true
    },
  } satisfies Partial<Handlers>
}

/** The passkeys of staff; see `#second-factors`. */
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'
import {
  creationOptions as optionsFor,
  type Json,
  type NewPasskey,
  provenPasskey,
  type RelyingParty,
  requestOptions as requestFor,
} from '#second-factors'

/** The passkeys of a member, in the order they were added. */
export function passkeysOf(db: Kysely<DB>, staffId: bigint) {
  return db
    .selectFrom('staff_webauthn_credential')
    .selectAll()
    .where('staff_id', '=', staffId)
    .orderBy('id')
    .execute()
}

/** The options for adding a passkey, and the challenge to store. */
export async function creationOptions(
  db: Kysely<DB>,
  party: RelyingParty,
  { staffId, name }: { staffId: bigint; name: string },
): Promise<{ options: Json; challenge: string }> {
  return optionsFor(party, { userId: String(staffId), name, known: await passkeysOf(db, staffId) })
}

/** Adds a passkey; false: it is known already. */
export async function addPasskey(
  tx: Transaction<DB>,
  { staffId, name, passkey }: { staffId: bigint; name: string; passkey: NewPasskey },
  now: Date,
): Promise<boolean> {
  const added = await tx
    .insertInto('staff_webauthn_credential')
    .values({
      staff_id: staffId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      is_backed_up: passkey.isBackedUp,
      name,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst()
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** The options for proving a passkey, and the challenge to store; null: the member has none. */
export async function requestOptions(
  db: Kysely<DB>,
  party: RelyingParty,
  staffId: bigint,
): Promise<{ options: Json; challenge: string } | null> {
  const known = await passkeysOf(db, staffId)
  return known.length === 0 ? null : requestFor(party, { known })
}

/**
 * Whether the answer of a browser proves one of the member's passkeys for this challenge; its counter moves
 * forward.
 */
export async function provesPasskey(
  tx: Transaction<DB>,
  party: RelyingParty,
  { staffId, response, challenge }: { staffId: bigint; response: Json; challenge: string },
  now: Date,
): Promise<boolean> {
  const passkey = (await passkeysOf(tx, staffId)).find(({ credential_id: id }) => id === response['id'])
  if (passkey === undefined) return false
  const proven = await provenPasskey(party, { passkey, response, challenge })
  if (proven === null) return false
  await tx
    .updateTable('staff_webauthn_credential')
    .set({ counter: proven.counter, is_backed_up: proven.isBackedUp, used_at: now })
    .where('id', '=', passkey.id)
    .execute()
  return true
}

/**
 * Passkeys as the second factor (WebAuthn level 3). User verification is required on both sides: the library's defaults
 * differ between the options and the verification.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'

/** What a passkey is bound to: the host of DESK_URL, and its origin. */
export interface RelyingParty {
  name: string
  url: URL
}

type Json = Record<string, unknown>

/** Loaded when the first passkey is used: with its parsers of certificates it takes longer than the rest of the desk. */
const webauthn = () => import('@simplewebauthn/server')

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
  const known = await passkeysOf(db, staffId)
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.url.hostname,
    userName: name,
    userID: new TextEncoder().encode(String(staffId)),
    excludeCredentials: known.map((passkey) => ({
      id: passkey.credential_id,
      transports: passkey.transports,
    })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
  return { options: options as unknown as Json, challenge: options.challenge }
}

export interface NewPasskey {
  credentialId: string
  publicKey: Buffer
  counter: bigint
  transports: string[]
  isBackedUp: boolean
}

/** The passkey that a browser has made for the challenge; null when its answer is not valid. */
export async function createdPasskey(
  party: RelyingParty,
  { response, challenge }: { response: Json; challenge: string },
): Promise<NewPasskey | null> {
  const { verifyRegistrationResponse } = await webauthn()
  const verified = await validOrNull(() =>
    verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.url.origin,
      expectedRPID: party.url.hostname,
      requireUserVerification: true,
    }),
  )
  if (verified === null || !verified.verified) return null
  const { credential, credentialBackedUp } = verified.registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: BigInt(credential.counter),
    transports: credential.transports ?? [],
    isBackedUp: credentialBackedUp,
  }
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
  if (known.length === 0) return null
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: party.url.hostname,
    allowCredentials: known.map((passkey) => ({ id: passkey.credential_id, transports: passkey.transports })),
    userVerification: 'required',
  })
  return { options: options as unknown as Json, challenge: options.challenge }
}

/** Whether the answer of a browser proves one of the member's passkeys for this challenge; its counter moves forward. */
export async function provesPasskey(
  tx: Transaction<DB>,
  party: RelyingParty,
  { staffId, response, challenge }: { staffId: bigint; response: Json; challenge: string },
  now: Date,
): Promise<boolean> {
  const known = (await passkeysOf(tx, staffId)).find(({ credential_id: id }) => id === response['id'])
  if (known === undefined) return false
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await validOrNull(() =>
    verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.url.origin,
      expectedRPID: party.url.hostname,
      credential: {
        id: known.credential_id,
        publicKey: new Uint8Array(known.public_key),
        counter: Number(known.counter),
        transports: known.transports,
      },
      requireUserVerification: true,
    }),
  )
  if (verified === null || !verified.verified) return false
  const { newCounter, credentialBackedUp } = verified.authenticationInfo
  await tx
    .updateTable('staff_webauthn_credential')
    .set({ counter: BigInt(newCounter), is_backed_up: credentialBackedUp, used_at: now })
    .where('id', '=', known.id)
    .execute()
  return true
}

/** The library throws a plain error for every answer that is not valid. */
async function validOrNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

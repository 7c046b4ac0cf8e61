/**
 * Passkeys (WebAuthn level 3). User verification is required on both sides: the library's defaults differ
 * between the options and the verification.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** What a passkey is bound to: the host of a site, and its origin. */
export interface RelyingParty {
  name: string
  url: URL
}

export type Json = Record<string, unknown>

/**
 * Loaded when the first passkey is used: with its parsers of certificates it takes longer than the rest of a
 * process.
 */
const webauthn = () => import('@simplewebauthn/server')

/** A stored passkey. */
export interface Passkey {
  credential_id: string
  public_key: Buffer
  counter: bigint
  transports: string[]
}

const descriptors = (passkeys: readonly Passkey[]) =>
  passkeys.map((passkey) => ({ id: passkey.credential_id, transports: passkey.transports }))

/**
 * The options for adding a passkey to those that are known, and their challenge. Default: a random challenge.
 */
export async function creationOptions(
  party: RelyingParty,
  given: { userId: string; name: string; known: readonly Passkey[]; challenge?: Uint8Array<ArrayBuffer> },
): Promise<{ options: Json; challenge: string }> {
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.url.hostname,
    userName: given.name,
    userID: new TextEncoder().encode(given.userId),
    excludeCredentials: descriptors(given.known),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    ...(given.challenge === undefined ? {} : { challenge: given.challenge }),
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

/**
 * The options for proving one of these passkeys, and their challenge. Without passkeys, any that the browser
 * has is accepted.
 */
export async function requestOptions(
  party: RelyingParty,
  { known, challenge }: { known: readonly Passkey[]; challenge?: Uint8Array<ArrayBuffer> },
): Promise<{ options: Json; challenge: string }> {
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: party.url.hostname,
    allowCredentials: descriptors(known),
    userVerification: 'required',
    ...(challenge === undefined ? {} : { challenge }),
  })
  return { options: options as unknown as Json, challenge: options.challenge }
}

/**
 * The fields of a stored passkey that a proof updates; null: the browser's answer does not prove it for this
 * challenge.
 */
export async function provenPasskey(
  party: RelyingParty,
  { passkey, response, challenge }: { passkey: Passkey; response: Json; challenge: string },
): Promise<{ counter: bigint; isBackedUp: boolean } | null> {
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await validOrNull(() =>
    verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.url.origin,
      expectedRPID: party.url.hostname,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
        transports: passkey.transports,
      },
      requireUserVerification: true,
    }),
  )
  if (verified === null || !verified.verified) return null
  const { newCounter, credentialBackedUp } = verified.authenticationInfo
  return { counter: BigInt(newCounter), isBackedUp: credentialBackedUp }
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

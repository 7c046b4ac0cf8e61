/**
 * WebAuthn challenges that are not stored when they are issued, so that nobody can fill a table by requesting
 * them: a random part, the time, and a MAC over both and over the purpose. An answered challenge is stored,
 * and not accepted again.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { type Secrets, sameBytes, sha256 } from '#lib/secret'
import type { Json } from './webauthn.ts'

const lifeMs = 5 * 60_000
const randomLength = 16
const timeLength = 6
const macLength = 16

const macOf = (secrets: Secrets, purpose: string, body: Buffer) =>
  createHmac('sha256', secrets.derive('webauthn challenge'))
    .update(body)
    .update(purpose)
    .digest()
    .subarray(0, macLength)

/** A challenge for one purpose, such as one session's proof; valid for five minutes. */
export function newChallenge(secrets: Secrets, purpose: string, now: Date): Uint8Array<ArrayBuffer> {
  const body = Buffer.alloc(randomLength + timeLength)
  randomBytes(randomLength).copy(body)
  body.writeUIntBE(now.getTime(), randomLength, timeLength)
  return new Uint8Array(Buffer.concat([body, macOf(secrets, purpose, body)]))
}

/** The challenge that a browser's answer is for, as it says itself; null: there is none. */
function challengeIn(response: Json): string | null {
  const inner = response['response']
  const text = typeof inner === 'object' && inner !== null ? (inner as Json)['clientDataJSON'] : undefined
  if (typeof text !== 'string') return null
  try {
    const data: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const challenge = typeof data === 'object' && data !== null ? (data as Json)['challenge'] : undefined
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

/**
 * Uses up the challenge of an answer, and returns it; null: it is not ours, for another purpose, older than
 * five minutes, or was answered before. Of concurrent uses one succeeds.
 */
export async function takeChallenge(
  tx: Kysely<DB>,
  secrets: Secrets,
  { response, purpose }: { response: Json; purpose: string },
  now: Date,
): Promise<string | null> {
  const challenge = challengeIn(response)
  if (challenge === null) return null
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== randomLength + timeLength + macLength) return null
  const body = bytes.subarray(0, randomLength + timeLength)
  if (!sameBytes(bytes.subarray(randomLength + timeLength), macOf(secrets, purpose, body))) return null
  const madeAt = body.readUIntBE(randomLength, timeLength)
  const ageMs = now.getTime() - madeAt
  if (ageMs < 0 || ageMs >= lifeMs) return null
  const used = await tx
    .insertInto('used_challenge')
    .values({ challenge_sha256: sha256(bytes), expires_at: new Date(madeAt + lifeMs) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (used.numInsertedOrUpdatedRows ?? 0n) > 0n ? challenge : null
}

/** Deletes answered challenges that have expired; an hour later than necessary, in case clocks differ. */
export async function forgetChallenges(db: Kysely<DB>, now: Date): Promise<void> {
  await db
    .deleteFrom('used_challenge')
    .where('expires_at', '<', new Date(now.getTime() - 60 * 60_000))
    .execute()
}

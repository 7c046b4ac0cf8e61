/**
 * Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, as every authenticator app has
 * them.
 */
import { generateSecret, generateURI, verify } from 'otplib'
import type { Secrets } from '#lib/secret'

export interface NewTotp {
  /** In base32, for typing in. */
  secret: string
  /** The `otpauth:` address of a QR code. */
  uri: string
  sealed: Buffer
}

/**
 * A new secret of 160 bits (RFC 4226 section 4). `about`: whom it is sealed for, see Secrets; copied to
 * another row it does not open.
 */
export function newTotp(
  secrets: Secrets,
  { about, name, issuer }: { about: string; name: string; issuer: string },
): NewTotp {
  const secret = generateSecret({ length: 20 })
  const uri = generateURI({ issuer, label: name, secret })
  return { secret, uri, sealed: secrets.seal(secret, about) }
}

/**
 * The time step of a right code, else null. The current and the previous code are accepted, with `early` the
 * next one too (a phone's clock may be fast), but only steps after `lastStep`: an accepted code is not
 * accepted again (RFC 6238 section 5.2).
 */
export async function totpStep(
  given: { secret: string; code: string; lastStep: bigint | null; early?: boolean },
  now: Date,
): Promise<bigint | null> {
  const { secret, code, lastStep, early = false } = given
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const epoch = Math.floor(now.getTime() / 1000)
  const result = await verify({ secret, token, epoch, epochTolerance: [30, early ? 30 : 0] })
  if (!result.valid || !('timeStep' in result)) return null
  const step = BigInt(result.timeStep)
  return lastStep !== null && step <= lastStep ? null : step
}

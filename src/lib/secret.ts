/**
 * Secrets: generation, comparison, digests, and storage that only the holder of SECRET_KEY can read.
 *
 * A sealed secret is AES-256-GCM (NIST SP 800-38D):
 *   1 byte version · 12 bytes nonce · ciphertext · 16 bytes tag
 * The associated data names the secret and its owner, so that a sealed value copied to another row does not
 * open there.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const version = 1
const nonceBytes = 12
const tagBytes = 16

/** A sealed secret that cannot be opened: another key, another owner, or damaged bytes. */
export class SealBroken extends Error {
  constructor(reason: string) {
    super(`a stored secret cannot be opened: ${reason}`)
    this.name = 'SealBroken'
  }
}

/** The operations under one SECRET_KEY. */
export interface Secrets {
  /** Seals text. `about` must be given again to open it, for example `proxy-password:42:mobile`. */
  seal(text: string, about: string): Buffer
  /** Opens the output of `seal` with the same key and the same `about`; throws SealBroken otherwise. */
  open(sealed: Uint8Array, about: string): string
  /** See deriveKey. */
  derive(purpose: string): Buffer
}

/**
 * The secrets of a SECRET_KEY: text of at least 32 characters. Every key in use is derived from it (HKDF, RFC 5869),
 * so that several purposes share no key material.
 */
export function secretsOf(secretKey: string): Secrets {
  if (secretKey.length < 32) throw new RangeError('SECRET_KEY must have at least 32 characters')
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `turnpike: ${purpose}`, 32))
  const key = derive('sealed secrets')

  return {
    seal(text, about) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(associated(about))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, body, cipher.getAuthTag()])
    },

    open(sealed, about) {
      if (sealed.length < 1 + nonceBytes + tagBytes) throw new SealBroken('it is too short')
      if (sealed[0] !== version) throw new SealBroken(`version ${sealed[0]} is not known here`)
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(associated(about))
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
      try {
        const body = decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        throw new SealBroken('SECRET_KEY or its owner is another one, or the bytes are damaged')
      }
    },

    derive,
  }
}

/**
 * The secrets of SECRET_KEY, or, when it is unset, of the key in DATA_DIR/secret, which is created at the first start.
 * Processes that start concurrently all use the same key.
 */
export function loadSecretKey({
  secretKey,
  dataDir,
}: {
  secretKey: string | null
  dataDir: string
}): Secrets {
  if (secretKey !== null) return secretsOf(secretKey)
  const file = path.join(dataDir, 'secret')
  if (!existsSync(file)) {
    const draft = `${file}.${randomBytes(6).toString('hex')}`
    writeFileSync(draft, `${randomToken()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    try {
      // Unlike a rename, a link never replaces a key that another process has just created.
      linkSync(draft, file)
    } catch (error) {
      if (!existsSync(file)) throw error
    } finally {
      unlinkSync(draft)
    }
  }
  return secretsOf(readFileSync(file, 'utf8').trim())
}

/** A key of 32 bytes for one purpose, which reveals nothing about the keys of others. */
export function deriveKey(secrets: Secrets, purpose: string): Buffer {
  return secrets.derive(purpose)
}

/** The version is part of the authenticated data: it cannot be changed to have the bytes parsed differently. */
function associated(about: string): Buffer {
  return Buffer.from(`${version}:${about}`, 'utf8')
}

/** SHA-256. Suitable for tokens and generated passwords, which are too random to guess; never for chosen passwords. */
export function sha256(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A token of 256 random bits, 43 characters of base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** `length` characters drawn evenly from `alphabet` (2 to 256 characters). */
export function randomText(length: number, alphabet: string): string {
  // Bytes from the incomplete last round of the alphabet are discarded: taking them modulo would favour its start.
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + 8)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/** Compares in a time that reveals nothing about the position of a difference; only different lengths return early. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

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
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import {
  chownSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { memoized } from './memo.ts'

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
  /**
   * Opens what `seal` made with the same `about` and the same key, or with the old one; throws SealBroken
   * otherwise.
   */
  open(sealed: Uint8Array, about: string): string
  /**
   * Seals with the present key a value that the old key has sealed; null: it is already sealed with the
   * present key. Throws SealBroken as `open` does.
   */
  reseal(sealed: Uint8Array, about: string): Buffer | null
  /** Whether there is an old key beside the present one. */
  readonly hasOldKey: boolean
  /** A key of 32 bytes for one purpose, which reveals nothing about the keys of others. */
  derive(purpose: string): KeyObject
  /** HMAC-SHA256 of text that others will store; the same text always gets the same bytes. */
  sign(text: string, purpose: string): Buffer
  /**
   * Whether `sign` made the signature of this text for this purpose, with the same key or with the old one.
   */
  isSigned(text: string, signature: Uint8Array, purpose: string): boolean
}

/**
 * The secrets of a SECRET_KEY: text of at least 32 characters. Every key in use is derived from it (HKDF, RFC
 * 5869), so that several purposes share no key material. `oldKey` opens what it has sealed and does nothing
 * else.
 */
export function secretsOf(secretKey: string, oldKey: string | null = null): Secrets {
  const keys = derivedKeys(secretKey)
  const oldKeys = oldKey === null ? null : derivedKeys(oldKey)
  const present = sealOf(keys)
  const old = oldKeys === null ? null : sealOf(oldKeys)
  const open = (sealed: Uint8Array, about: string) => {
    checkForm(sealed)
    const text = present.open(sealed, about) ?? old?.open(sealed, about) ?? null
    if (text === null)
      throw new SealBroken('SECRET_KEY or its owner is another one, or the bytes are damaged')
    return text
  }
  return {
    seal: present.seal,
    open,
    reseal: (sealed, about) => {
      const text = open(sealed, about)
      return present.open(sealed, about) === null ? present.seal(text, about) : null
    },
    hasOldKey: old !== null,
    derive: keys,
    sign: (text, purpose) => signatureOf(keys(purpose), text),
    isSigned: (text, signature, purpose) =>
      [keys, oldKeys].some((of) => of !== null && sameBytes(signatureOf(of(purpose), text), signature)),
  }
}

const signatureOf = (key: KeyObject, text: string) => createHmac('sha256', key).update(text, 'utf8').digest()

/**
 * The keys derived from a SECRET_KEY, by their purposes, which are constants of this program. They are
 * derived once: a derivation costs more than the HMAC or the decryption that it is for, and so does the
 * import of a key from bytes.
 */
function derivedKeys(secretKey: string): (purpose: string) => KeyObject {
  if (secretKey.length < 32) throw new RangeError('SECRET_KEY must have at least 32 characters')
  return memoized(100, (purpose) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `turnpike: ${purpose}`, 32))),
  )
}

/** Sealing with one key; `open` returns null for a value that it cannot open. */
function sealOf(keys: (purpose: string) => KeyObject) {
  const key = keys('sealed secrets')
  return {
    seal(text: string, about: string): Buffer {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(associated(about))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(version), nonce, body, cipher.getAuthTag()])
    },
    open(sealed: Uint8Array, about: string): string | null {
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(associated(about))
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
      try {
        const body = decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}

function checkForm(sealed: Uint8Array): void {
  if (sealed.length < 1 + nonceBytes + tagBytes) throw new SealBroken('it is too short')
  if (sealed[0] !== version) throw new SealBroken(`version ${sealed[0]} is not known here`)
}

/** The text of a sealed secret; null: it cannot be opened, by this key or at all. */
export function openOrNull(secrets: Secrets, sealed: Uint8Array, about: string): string | null {
  try {
    return secrets.open(sealed, about)
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}

/** The files of keys in DATA_DIR: the present one, and the one before it while both are accepted. */
const keyFiles = (dataDir: string) => ({
  present: path.join(dataDir, 'secret'),
  old: path.join(dataDir, 'secret.old'),
})

/**
 * The secrets of SECRET_KEY, or, when it is unset, of the key in DATA_DIR/secret, which is created at the
 * first start. Processes that start concurrently all use the same key.
 */
export function loadSecretKey({
  secretKey,
  secretKeyOld = null,
  dataDir,
}: {
  secretKey: string | null
  secretKeyOld?: string | null
  dataDir: string
}): Secrets {
  if (secretKey !== null) return secretsOf(secretKey, secretKeyOld)
  const { present, old } = keyFiles(dataDir)
  if (!existsSync(present)) {
    const draft = draftOf(present)
    try {
      // Unlike a rename, a link never replaces a key that another process has just created.
      linkSync(draft, present)
    } catch (error) {
      if (!existsSync(present)) throw error
    } finally {
      unlinkSync(draft)
    }
  }
  return secretsOf(readKey(present), existsSync(old) ? readKey(old) : null)
}

const readKey = (file: string) => readFileSync(file, 'utf8').trim()

/** Writes a new key beside the file that it is for. */
function draftOf(file: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomToken()}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return draft
}

/**
 * Puts a new key in the place of the one in DATA_DIR, which is accepted as the old one from then on. False:
 * there is an old one already. A process killed in between leaves the present key as it was.
 */
export function replaceKeyFile(dataDir: string): boolean {
  const { present, old } = keyFiles(dataDir)
  if (existsSync(old) && readKey(old) !== readKey(present)) return false
  if (!existsSync(old)) linkSync(present, old)
  const draft = draftOf(present)
  // Root may do this for a shop that runs as a user of its own.
  const { uid, gid } = statSync(present)
  if (process.geteuid?.() !== uid) chownSync(draft, uid, gid)
  renameSync(draft, present)
  return true
}

/**
 * The version is part of the authenticated data: it cannot be changed to have the bytes parsed differently.
 */
function associated(about: string): Buffer {
  return Buffer.from(`${version}:${about}`, 'utf8')
}

/**
 * SHA-256. Suitable for tokens and generated passwords, which are too random to guess; never for chosen
 * passwords.
 */
export function sha256(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest()
}

/** A token of 256 random bits, 43 characters of base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** `length` characters drawn evenly from `alphabet` (2 to 256 characters). */
export function randomText(length: number, alphabet: string): string {
  // Bytes from the incomplete last round of the alphabet are discarded: taking them modulo would favour its
  // start.
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + 8)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

/**
 * Compares in a time that reveals nothing about the position of a difference; only different lengths return
 * early.
 */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

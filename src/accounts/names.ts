/** The rules of product.md section 5 for names, addresses and passwords. The browser has them too, but for the list. */
import { looksLikeLink } from '#contract/names'
import { Refusal } from '#lib/refusal'
import { isCommonPassword } from './common.ts'

/** "More than 6 characters", after trimming. */
const minLength = 7
const maxUsernameLength = 64
const maxPasswordLength = 256
/** A compatibility form may be eighteen times as long as its character, and an index entry has its limit. */
const maxKeyLength = 320

/**
 * What "taken" is decided by: compatibility forms and letter case do not make another name. A NUL, which no text of
 * the database may hold and no name has, becomes the replacement character.
 */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim().replaceAll('\0', '\ufffd')
}

/** One `@`, a dot in the domain, no spaces, nothing invisible. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && !/\p{C}/u.test(text) && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)
}

export function checkUsername(username: string): string {
  const trimmed = username.trim()
  const length = [...trimmed].length
  // An `@` would make the name look like somebody's e-mail at sign-in.
  if (
    length < minLength ||
    length > maxUsernameLength ||
    /[\s@\p{C}]/u.test(trimmed) ||
    nameKey(trimmed).length > maxKeyLength ||
    nameKey(trimmed).includes('@')
  ) {
    throw new Refusal('invalid_username')
  }
  if (looksLikeLink(trimmed)) throw new Refusal('username_like_link')
  return trimmed
}

export function checkEmail(email: string): string {
  const trimmed = email.trim()
  if (!isEmail(trimmed) || nameKey(trimmed).length > maxKeyLength) throw new Refusal('invalid_email')
  return trimmed
}

/** Passwords are kept as given: their length is judged, after trimming, and whether everybody has them. */
export function checkPassword(password: string): string {
  if ([...password.trim()].length < minLength || password.length > maxPasswordLength) {
    throw new Refusal('invalid_password')
  }
  if (isCommonPassword(password)) throw new Refusal('password_too_common')
  return password
}

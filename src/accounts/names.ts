/** What the server asks of names, addresses and passwords, beyond the rules the forms check too. */
import { isEmail, isLongEnough } from '#contract/account-rules'
import { looksLikeLink } from '#contract/names'
import { Refusal } from '#lib/refusal'
import { isCommonPassword } from './common.ts'

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

export function checkUsername(username: string): string {
  const trimmed = username.trim()
  // An `@` would make the name look like somebody's e-mail at sign-in.
  if (
    !isLongEnough(trimmed) ||
    [...trimmed].length > maxUsernameLength ||
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
  if (!isLongEnough(password) || password.length > maxPasswordLength) {
    throw new Refusal('invalid_password')
  }
  if (isCommonPassword(password)) throw new Refusal('password_too_common')
  return password
}

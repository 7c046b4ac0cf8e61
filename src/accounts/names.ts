/** Rules for names, e-mail addresses and passwords, beyond those that the forms check as well. */
import { isEmail, isLongEnough } from '#contract/account-rules'
import { looksLikeLink } from '#contract/names'
import { Refusal } from '#lib/refusal'
import { isCommonPassword } from './common.ts'

const maxUsernameLength = 64
const maxPasswordLength = 256
/**
 * A compatibility form may be 18 times as long as its character, and the size of an index entry is limited.
 */
const maxKeyLength = 320

/**
 * The key by which names are unique: compatibility forms and letter case make no difference. NUL, which
 * PostgreSQL does not accept in text, becomes the replacement character.
 */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim().replaceAll('\0', '\ufffd')
}

export function checkUsername(username: string): string {
  const trimmed = username.trim()
  // A name with an `@` could equal another account's e-mail at sign-in.
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

/** Passwords are used as given; the length after trimming is checked, and common ones are refused. */
export function checkPassword(password: string): string {
  if (!isLongEnough(password) || password.length > maxPasswordLength) {
    throw new Refusal('invalid_password')
  }
  if (isCommonPassword(password)) throw new Refusal('password_too_common')
  return password
}

/** A password with fewer characters besides known names is guessable. */
const leastBesidesNames = 6

/**
 * Refuses with `password_too_common` a password that hardly has anything but names that an attacker knows:
 * the user name, the part of the e-mail before its @, the brand. `password of anna` passes for Anna,
 * `Anna2026!` does not.
 */
export function refuseGuessable(password: string, names: readonly (string | null)[]): void {
  const plain = (text: string) => nameKey(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
  const known = names
    .map((name) => plain((name ?? '').split('@')[0] ?? ''))
    .filter((name) => name.length > 2)
    // Longer names first, because they may contain shorter ones.
    .toSorted((a, b) => b.length - a.length)
  const rest = known.reduce((left, name) => left.replaceAll(name, ''), plain(password))
  if (known.length > 0 && rest !== plain(password) && rest.length < leastBesidesNames)
    throw new Refusal('password_too_common')
}

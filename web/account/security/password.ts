/** Checking and generating account passwords. */
import { isLongEnough } from '#contract/account-rules'

export type PasswordError = 'fillFields' | 'shortPassword'

/** The first error of the form; null when there is none. */
export function errorOf(form: { current: string; next: string; hasPassword: boolean }): PasswordError | null {
  if (form.next.trim() === '' || (form.hasPassword && form.current === '')) return 'fillFields'
  return isLongEnough(form.next) ? null : 'shortPassword'
}

/** Without characters that look alike: 0 O, 1 l I. */
const alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const groups = 4
const groupLength = 5

/** Twenty random characters, about 116 bits, in groups of five that can be read out and typed: `k7Rwm-…`. */
export function generatePassword(): string {
  return Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => alphabet[randomBelow(alphabet.length)]).join(''),
  ).join('-')
}

/**
 * A random integer below `limit`, uniformly distributed: bytes beyond the last whole multiple are rejected.
 */
function randomBelow(limit: number): number {
  const bound = 256 - (256 % limit)
  for (;;) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < bound) return byte % limit
  }
}

/** The rules for the fields of an account that the forms and the server both check. */

/** User names and passwords have more than six characters. */
const minLength = 7

/**
 * Long enough for a user name or a password: at least seven characters (code points), surrounding spaces not
 * counted.
 */
export function isLongEnough(text: string): boolean {
  return [...text.trim()].length >= minLength
}

/** RFC 5321 4.5.3.1.3 limits a path to 256 octets, two of which are its angle brackets. */
export const maxEmailLength = 254

/** An e-mail address: one `@`, a dot in the domain, no spaces or control characters. */
export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && !/\p{C}/u.test(text) && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)
}

/**
 * `traffic`: little or nothing is left in a pool; `cap`: a cap that the customer has set is reached; `topup`:
 * a charge failed; `trouble`: exits of a country that the customer uses do not answer; `bill`: once a month,
 * the last hash of the bill.
 */
export const noticeKinds = ['traffic', 'cap', 'topup', 'trouble', 'bill'] as const
export type NoticeKind = (typeof noticeKinds)[number]
export const noticeWays = ['email', 'telegram'] as const
export type NoticeWay = (typeof noticeWays)[number]

/** The account password: what is asked of a new one, and a good one made here. */

export type Fault = 'fillFields' | 'shortPassword'

/** More than six characters, as at registration. */
const shortest = 7

/** The first thing wrong with what was filled in; null when nothing is. */
export function faultOf(form: { old: string; fresh: string; hasPassword: boolean }): Fault | null {
  if (form.fresh.trim() === '' || (form.hasPassword && form.old === '')) return 'fillFields'
  return form.fresh.trim().length < shortest ? 'shortPassword' : null
}

/** No characters that are mistaken for one another: 0 O, 1 l I. */
const alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const groups = 4
const groupLength = 5

/** Twenty random characters, about 116 bits, in groups of five: `k7Rwm-…`, which can be read out and typed. */
export function makePassword(): string {
  return Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => alphabet[below(alphabet.length)]).join(''),
  ).join('-')
}

/** A random number below `limit`, all equally likely. */
function below(limit: number): number {
  const fair = 256 - (256 % limit)
  for (;;) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < fair) return byte % limit
  }
}

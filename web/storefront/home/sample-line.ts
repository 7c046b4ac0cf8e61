/**
 * The proxy line of the hero's miniature: the real grammar (`<login>[-<key>-<value>]…`) with a sample login. Pure, so
 * that the picture of the product cannot drift from the product unnoticed.
 */
export type Session = 'sticky' | 'rotating'

export interface LinePart {
  kind: 'login' | 'cc' | 'sid' | 'password' | 'host'
  text: string
}

interface Sample {
  country: string | null
  session: Session
  sid: string
  /** Where lines of the pool lead, `host:port`; null while it is not known. */
  entry: string | null
}

const stickyMinutes = 10

export function sampleLine({ country, session, sid, entry }: Sample): LinePart[] {
  const parts: LinePart[] = [{ kind: 'login', text: 'tp4k2m9x' }]
  if (country !== null) parts.push({ kind: 'cc', text: `-cc-${country.toLowerCase()}` })
  if (session === 'sticky') parts.push({ kind: 'sid', text: `-sid-${sid}-ttl-${stickyMinutes}` })
  parts.push({ kind: 'password', text: ':Q7vR2mXe' })
  if (entry !== null) parts.push({ kind: 'host', text: `@${entry}` })
  return parts
}

/** The whole line as it would be copied: `login:password@hostname:port`. */
export const lineText = (parts: readonly LinePart[]) => parts.map((part) => part.text).join('')

/** A session id as the generator makes them: six hexadecimal digits. */
export function freshSid(): string {
  return [...crypto.getRandomValues(new Uint8Array(3))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/** How many characters two texts share at their start: what is already typed need not be typed again. */
export function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

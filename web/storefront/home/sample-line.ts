/**
 * The proxy line of the line builder: the grammar of real lines (`<login>[-<key>-<value>]…`) with a sample
 * login.
 */
import { defaultSessionMinutes } from '#contract/session-times'
import { randomHex } from '../../state/random.ts'

export type Session = 'sticky' | 'rotating'

export interface LinePart {
  kind: 'login' | 'cc' | 'sid' | 'password' | 'host'
  text: string
}

interface Sample {
  country: string | null
  session: Session
  sessionId: string
  /** `host:port` of the pool; null while unknown. */
  entryPoint: string | null
}

export function sampleLine({ country, session, sessionId, entryPoint }: Sample): LinePart[] {
  const parts: LinePart[] = [{ kind: 'login', text: 'tp4k2m9x' }]
  if (country !== null) parts.push({ kind: 'cc', text: `-cc-${country.toLowerCase()}` })
  if (session === 'sticky')
    parts.push({ kind: 'sid', text: `-sid-${sessionId}-ttl-${defaultSessionMinutes}` })
  parts.push({ kind: 'password', text: ':Q7vR2mXe' })
  if (entryPoint !== null) parts.push({ kind: 'host', text: `@${entryPoint}` })
  return parts
}

/** The whole line, in the format `login:password@hostname:port`. */
export const lineText = (parts: readonly LinePart[]) => parts.map((part) => part.text).join('')

/** A random session id of six hexadecimal digits, half as long as those of real lines. */
export const newSessionId = () => randomHex(3)

/** The length of the longest common prefix of two texts. */
export function commonPrefixLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

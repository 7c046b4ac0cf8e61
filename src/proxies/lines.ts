/** The user names of proxy lines, and their sessions. */
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { formatLine, type ProxyFormat } from '#contract/proxy-lines'
import { printUsername, type Username } from './grammar.ts'

/** The number of lines made without yielding: a fraction of a millisecond. */
const stretch = 1000

/** The lines of all logins, one per line of text. */
export async function textOfLines(
  format: ProxyFormat,
  logins: readonly string[],
  entry: { password: string; hostname: string; port: number },
): Promise<string> {
  const parts: string[] = []
  for (let at = 0; at < logins.length; at += stretch) {
    if (at > 0) await setImmediate()
    const lines = logins.slice(at, at + stretch).map((login) => formatLine(format, { ...entry, login }))
    parts.push(lines.join('\n'))
  }
  return parts.join('\n')
}

const sidBytes = 6

/** Length of the sessions that `newSessions` makes. */
export const sidLength = 2 * sidBytes

/** `count` random session ids; one draw for all of them, which is twenty times faster than one each. */
export function newSessions(count: number): string[] {
  const hex = randomBytes(count * sidBytes).toString('hex')
  return Array.from({ length: count }, (_, index) => hex.slice(index * sidLength, (index + 1) * sidLength))
}

/**
 * `quantity` user names with the same targeting: each with a session of its own, or all equal where the
 * targeting has no session. The session in the targeting is only a placeholder.
 */
export function usernames({ login, targeting }: Username, quantity: number): string[] {
  const printed = printUsername({ login, targeting })
  if (targeting.session === null) return Array.from({ length: quantity }, () => printed)
  // Values contain no dash, so these letters occur only once.
  const [before = '', after = ''] = printed.split(`-sid-${targeting.session}`)
  return newSessions(quantity).map((session) => `${before}-sid-${session}${after}`)
}

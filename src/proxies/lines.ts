/** The text of proxy lines, and their sessions. */
import { randomBytes } from 'node:crypto'
import { formatLine, type ProxyFormat } from '#contract/proxy-lines'
import { printUsername, type Username } from './grammar.ts'

const sidBytes = 6

/** Length of the sessions that `newSessions` makes. */
export const sidLength = 2 * sidBytes

/** `count` random session ids; one draw for all of them, which is twenty times faster than one each. */
export function newSessions(count: number): string[] {
  const hex = randomBytes(count * sidBytes).toString('hex')
  return Array.from({ length: count }, (_, index) => hex.slice(index * sidLength, (index + 1) * sidLength))
}

/**
 * The lines of an order as one text: each with a session of its own, or all equal where the targeting has no
 * session. The session in the targeting is only a placeholder. What lies between two sessions is the same, so
 * all lines are one join.
 */
export function textOfLines(
  format: ProxyFormat,
  { login, targeting }: Username,
  quantity: number,
  entry: { password: string; hostname: string; port: number },
): string {
  const line = formatLine(format, { ...entry, login: printUsername({ login, targeting }) })
  if (targeting.session === null) return Array.from({ length: quantity }, () => line).join('\n')
  // Values contain no dash, and a host no underscore, so this occurs only once.
  const [before = '', after = ''] = line.split(`-sid-${targeting.session}`)
  const sessions = newSessions(quantity)
  sessions[0] = `${before}-sid-${sessions[0]}`
  sessions[quantity - 1] += after
  // Text added to the whole would make a string of pieces, which takes as long to print as the join itself.
  return sessions.join(`${after}\n${before}-sid-`)
}

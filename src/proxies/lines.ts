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
 * The lines of an order in UTF-8: each with a session of its own, or all equal where the targeting has no
 * session. The session in the targeting is only a placeholder. Made as bytes, because the memory of a string
 * of thousands of lines costs several times what the lines cost.
 */
export function bytesOfLines(
  format: ProxyFormat,
  { login, targeting }: Username,
  quantity: number,
  entry: { password: string; hostname: string; port: number },
): Buffer {
  const text = formatLine(format, { ...entry, login: printUsername({ login, targeting }) })
  const line = Buffer.from(`${text}\n`)
  const bytes = Buffer.allocUnsafe(line.length * quantity)
  bytes.fill(line)
  if (targeting.session !== null) {
    // Values contain no dash, and a host no underscore, so this occurs only once.
    const mark = `-sid-${targeting.session}`
    const at = line.indexOf(mark) + mark.length - sidLength
    writeSessions(bytes, { from: at, every: line.length, count: quantity })
  }
  return bytes.subarray(0, bytes.length - 1)
}

const hexDigits = Buffer.from('0123456789abcdef', 'latin1')

/** Writes random session ids into lines of equal length. */
function writeSessions(
  bytes: Buffer,
  { from, every, count }: { from: number; every: number; count: number },
): void {
  const random = randomBytes(count * sidBytes)
  let at = from
  for (let next = 0; next < random.length; at += every) {
    for (let digit = at; digit < at + sidLength; digit += 2) {
      const byte = random[next++] ?? 0
      bytes[digit] = hexDigits[byte >> 4] ?? 0
      bytes[digit + 1] = hexDigits[byte & 15] ?? 0
    }
  }
}

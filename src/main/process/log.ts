import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import type { BulkLines, Log as AnyLog } from '#lib/log'
import { LineBuffer } from './line.buffer.ts'

const require = createRequire(import.meta.url)

/** Fields that are never logged, at any depth. */
const secrets = [
  'password',
  'token',
  'authorization',
  'proxy-authorization',
  'cookie',
  'secret',
  'connectionString',
]
const secretKey = new RegExp(`"(?:${secrets.join('|')})":`)

/**
 * A line without the values of secret fields. The search in the finished line costs one microsecond and finds
 * them at any depth; pino's `redact` with the same fields at three depths costs as much as the rest of a
 * tunnel.
 */
export function withoutSecrets(line: string): string {
  if (!secretKey.test(line)) return line
  const censor = (key: string, value: unknown): unknown => (secrets.includes(key) ? '[secret]' : value)
  return `${JSON.stringify(JSON.parse(line, censor))}\n`
}

/**
 * Structured logs on stderr, because stdout is for the output of commands. Readable text on a terminal.
 * `buffered`: lines below a warning are written up to a tenth of a second late, several at a time.
 */
export function makeLog(level: string, { buffered = false } = {}): Log {
  const options = { level, hooks: { streamWrite: withoutSecrets }, base: null }
  if (process.stderr.isTTY) {
    // In this thread: a thread of its own would load its code later, when a gateway worker may not be able to
    // read it any more.
    const pretty = require('pino-pretty') as typeof import('pino-pretty')
    return pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }))
  }
  const destination = pino.destination({ dest: 2, sync: true })
  if (!buffered) return pino(options, destination)
  const lines = new LineBuffer(destination)
  // Loggers that pino derives from this one inherit it, each with its own bindings.
  return Object.assign(pino(options, lines), {
    infoInBulk<T>(this: Logger, kind: BulkLines<T>): ((item: T) => void) | null {
      if (!this.isLevelEnabled('info')) return null
      const { [pino.symbols.chindingsSym]: bindings = '' } = this as unknown as Record<symbol, string>
      return lines.inBulk(kind, bindings)
    },
  })
}

export type Log = Logger & Pick<AnyLog, 'infoInBulk'>

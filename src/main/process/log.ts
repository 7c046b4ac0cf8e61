import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import { memoized } from '#lib/memo'

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
 * A line without the values of secret fields. The search in the finished line costs one microsecond and finds them at any
 * depth; pino's `redact` with the same fields at three depths costs as much as the rest of a tunnel.
 */
export function withoutSecrets(line: string): string {
  if (!secretKey.test(line)) return line
  const censor = (key: string, value: unknown): unknown => (secrets.includes(key) ? '[secret]' : value)
  return `${JSON.stringify(JSON.parse(line, censor))}\n`
}

/** The largest write to a pipe that is never mixed with another process's (PIPE_BUF of Linux, pipe(7)); lines are ASCII but for names. */
const mostChars = 4096
const bufferedMs = 100
const warn = 40
/** The messages of `infoJson` are constants. */
const messageJson = memoized(100, (message) => JSON.stringify(message))

/** Collects lines up to the level `info`, of which a gateway writes one for each tunnel: a write costs as much as a line. */
class LineBuffer {
  /** pino sets `lastLevel` before each write. */
  readonly [pino.symbols.needsMetadataGsym] = true
  lastLevel = 0
  readonly #destination: { write: (lines: string) => unknown }
  #lines = ''
  #isTimed = false

  constructor(destination: { write: (lines: string) => unknown }) {
    this.#destination = destination
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    if (this.#lines.length + line.length > mostChars) this.flush()
    this.#lines += line
    if (this.lastLevel >= warn) this.flush()
    else if (!this.#isTimed) {
      this.#isTimed = true
      setTimeout(() => {
        this.#isTimed = false
        this.flush()
      }, bufferedMs).unref()
    }
  }

  flush(): void {
    const lines = this.#lines
    this.#lines = ''
    if (lines !== '') this.#destination.write(lines)
  }
}

/**
 * Structured logs on stderr, because stdout is for the output of commands. Readable text on a terminal. `buffered`: lines
 * below a warning are written up to a tenth of a second late, several at a time.
 */
export function makeLog(level: string, { buffered = false } = {}): Log {
  const options = { level, hooks: { streamWrite: withoutSecrets }, base: null }
  if (process.stderr.isTTY) {
    // In this thread: a thread of its own would load its code later, when a gateway worker may not be able to read it any more.
    const pretty = require('pino-pretty') as typeof import('pino-pretty')
    return pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }))
  }
  const destination = pino.destination({ dest: 2, sync: true })
  if (!buffered) return pino(options, destination)
  const lines = new LineBuffer(destination)
  // Loggers that pino derives from this one inherit it, each with its own bindings.
  return Object.assign(pino(options, lines), {
    infoJson(this: Logger, fields: string, message: string): void {
      if (!this.isLevelEnabled('info')) return
      const { [pino.symbols.chindingsSym]: bindings } = this as unknown as Record<symbol, string>
      lines.lastLevel = pino.levels.values['info'] ?? 0
      lines.write(
        `{"level":${lines.lastLevel},"time":${Date.now()}${bindings},${fields},"msg":${messageJson(message)}}\n`,
      )
    },
  })
}

export type Log = Logger & { infoJson?: (fields: string, message: string) => void }

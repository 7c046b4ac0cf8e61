import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import type { LogLine } from '#lib/log'
import { memoized } from '#lib/memo'
import { TextBuffer } from '#lib/text.buffer'

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

/** The largest write to a pipe that is never mixed with another process's (PIPE_BUF of Linux, pipe(7)). */
const mostBytes = 4096
const bufferedMs = 100
const warn = 40
const info = 30
const lineStart = Buffer.from(`{"level":${info},"time":`)
/** The messages of `infoLine` are constants. */
const lineEnd = memoized(100, (message) => Buffer.from(`,"msg":${JSON.stringify(message)}}\n`))

/** Collects lines up to the level `info`, of which a gateway writes one for each tunnel: a write costs as much as a line. */
class LineBuffer implements LogLine {
  /** pino sets `lastLevel` before each write. */
  readonly [pino.symbols.needsMetadataGsym] = true
  lastLevel = 0
  readonly fields = new TextBuffer(2 * mostBytes)
  readonly #destination: { write: (lines: string) => unknown }
  /** Where the last line begins. */
  #start = 0
  #end = lineEnd('')
  #isTimed = false
  /** The bindings of the last line, as text and as bytes. */
  #bindings = ''
  #bindingBytes: Uint8Array = Buffer.alloc(0)

  constructor(destination: { write: (lines: string) => unknown }) {
    this.#destination = destination
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    this.#start = this.fields.length
    this.fields.text(line)
    this.#added()
  }

  /** Begins a line of the level `info`. */
  begin(bindings: string, message: string): this {
    if (bindings !== this.#bindings) {
      this.#bindings = bindings
      this.#bindingBytes = Buffer.from(bindings)
    }
    this.lastLevel = info
    this.#start = this.fields.length
    this.#end = lineEnd(message)
    this.fields.bytes(lineStart)
    this.fields.number(Date.now())
    this.fields.bytes(this.#bindingBytes)
    return this
  }

  end(): void {
    this.fields.bytes(this.#end)
    this.#added()
  }

  #added(): void {
    if (this.fields.length > mostBytes && this.#start > 0)
      this.#destination.write(this.fields.take(this.#start))
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
    if (this.fields.length > 0) this.#destination.write(this.fields.take())
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
    infoLine(this: Logger, message: string): LogLine | null {
      if (!this.isLevelEnabled('info')) return null
      const { [pino.symbols.chindingsSym]: bindings = '' } = this as unknown as Record<symbol, string>
      return lines.begin(bindings, message)
    },
  })
}

export type Log = Logger & { infoLine?: (message: string) => LogLine | null }

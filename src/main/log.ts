import { createRequire } from 'node:module'
import { pino } from 'pino'

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
const redact = secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

/** Structured logs on stderr, because stdout is for the output of commands. Readable text on a terminal. */
export function makeLog(level: string) {
  const options = { level, redact: { paths: redact, censor: '[secret]' }, base: null }
  if (process.stderr.isTTY) {
    // In this thread: a thread of its own would load its code later, when a gateway worker may not be able to read it any more.
    const pretty = require('pino-pretty') as typeof import('pino-pretty')
    return pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }))
  }
  return pino(options, pino.destination({ dest: 2, sync: true }))
}

export type Log = ReturnType<typeof makeLog>

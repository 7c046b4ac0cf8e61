import { pino } from 'pino'

/** Fields that never reach a log, wherever they turn up. */
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

/** Structured logs on stderr: stdout belongs to what a command prints. Readable text when a person watches. */
export function makeLog(level: string) {
  const options = { level, redact: { paths: redact, censor: '[secret]' }, base: null }
  if (process.stderr.isTTY) {
    return pino({
      ...options,
      transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
    })
  }
  return pino(options, pino.destination({ dest: 2, sync: true }))
}

export type Log = ReturnType<typeof makeLog>

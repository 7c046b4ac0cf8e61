import { Logger } from 'graphile-worker'
import type { Log } from './log.ts'

/** graphile-worker's messages in the log. Its level "info" is logged as debug, because it is routine. */
export function jobLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else if (level === 'warning') log.warn(message)
    else log.debug(message)
  })
}

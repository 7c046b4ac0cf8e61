/** The mark of an account in the data of buttons that change something of it. */
import { createHash } from 'node:crypto'

/**
 * The data of a button, with a mark of the account for which it is shown: later the person may have moved to
 * another account. Short, because Telegram accepts 64 bytes; it is no secret.
 */
export function marked(data: string, accountId: bigint): string {
  const mark = createHash('sha256').update(`button ${accountId}`).digest('hex').slice(0, 8)
  return `${data}~${mark}`
}

export const withoutMark = (data: string): string => data.replace(/~[0-9a-f]{8}$/, '')

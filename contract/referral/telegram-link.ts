/** The payload of the bot's `/start` command that links an account of the site to a Telegram account. */
const prefix = 'link_'

export const linkPayload = (code: string): string => prefix + code

/** The linking code in a payload; null for other payloads, such as referral codes. */
export const linkCodeIn = (payload: string): string | null =>
  payload.startsWith(prefix) ? payload.slice(prefix.length) : null

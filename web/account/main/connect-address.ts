/**
 * Where the bot asks whether this account is theirs. The profile holds a code as long as the account has no Telegram:
 * without one there is nothing to connect.
 */
export function connectAddress(bot: string, code: string | null): string | null {
  return code === null ? null : `https://t.me/${bot}?start=link_${encodeURIComponent(code)}`
}

import { linkPayload } from '#contract/referral/telegram-link'

/**
 * The link that starts the bot with the linking code of the profile. A profile has a code as long as no
 * Telegram account is linked to it; without a code there is no link.
 */
export function telegramLinkUrl(bot: string, code: string | null): string | null {
  return code === null ? null : `https://t.me/${bot}?start=${encodeURIComponent(linkPayload(code))}`
}

import { describe, expect, it } from 'vitest'
import { telegramLinkUrl } from './telegram-link.ts'

describe('the link that connects Telegram', () => {
  it('starts the bot with the code of the profile', () =>
    expect(telegramLinkUrl('shop_bot', '7-1a2b-0f')).toBe('https://t.me/shop_bot?start=link_7-1a2b-0f'))
  it('does not exist once an account is linked', () => expect(telegramLinkUrl('shop_bot', null)).toBeNull())
})

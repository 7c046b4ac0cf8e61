import { describe, expect, it } from 'vitest'
import { connectAddress } from './connect-address.ts'

describe('the address that connects Telegram', () => {
  it('starts the bot with the code of the profile', () =>
    expect(connectAddress('shop_bot', '7-1a2b-0f')).toBe('https://t.me/shop_bot?start=link_7-1a2b-0f'))
  it('is none once the account has its Telegram', () => expect(connectAddress('shop_bot', null)).toBeNull())
})

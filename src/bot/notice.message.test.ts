import { describe, expect, it } from 'vitest'
import { marked } from './base/mark.ts'
import { texts } from './base/texts.ts'
import { noticeMessage } from './notice.message.ts'

const looks = (language: 'ru' | 'en') => ({
  words: texts[language],
  language,
  publicUrl: new URL('https://shop.example.net'),
  now: new Date('2026-11-24T23:59:59Z'),
})
const buttonsOf = (message: ReturnType<typeof noticeMessage>) =>
  (message.keyboard?.inline_keyboard ?? [])
    .flat()
    .map((button) => [
      button.text,
      'url' in button ? button.url : 'callback_data' in button ? button.callback_data : null,
    ])

describe('a notice', () => {
  it('about the traffic that is left leads to the checkout of the same pool', () => {
    const notice = {
      kind: 'traffic',
      pool: 'mobile',
      share: 'out',
      left_bytes: '0',
      hours_left: null,
      account_id: '1',
    } as const
    expect(buttonsOf(noticeMessage(looks('en'), notice))).toEqual([
      ['Buy again', 'https://shop.example.net/purchase?amount=5&pool=mobile'],
      ['Stop balance messages', 'notices:traffic:off'],
    ])
  })

  it('about the cap of a day raises it for that day; one about an hour or a month does not', () => {
    const notice = {
      kind: 'cap',
      pool: 'residential_premium',
      window: 'day',
      cap_bytes: '1000000000',
      account_id: '1',
    } as const
    expect(buttonsOf(noticeMessage(looks('ru'), notice))).toEqual([
      ['Поднять лимит на сегодня', marked('raise:residential_premium:2026-11-24', 1n)],
      ['Не сообщать о лимитах', 'notices:cap:off'],
    ])
    for (const window of ['hour', 'month'] as const)
      expect(buttonsOf(noticeMessage(looks('ru'), { ...notice, window }))).toEqual([
        ['Не сообщать о лимитах', 'notices:cap:off'],
      ])
  })
})

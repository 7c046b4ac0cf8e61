/** A notice with buttons for what the customer can do about it, and the button that switches its kind off. */
import { InlineKeyboard } from 'grammy'
import type { Language } from '#contract/language'
import type { Pool } from '#contract/wire'
import type { TelegramNotice } from '#customer-notices'
import { raiseData } from './account/account.ts'
import { accountWords } from './account/words.ts'
import { billMessage } from './bill.message.ts'
import { type Screen, trafficIn, withLinks } from './base/screens.ts'
import type { Texts } from './base/texts.ts'
import { topUpMessage } from './topup.message.ts'
import { troubleMessage } from './trouble.message.ts'

interface Looks {
  words: Texts
  language: Language
  publicUrl: URL
  now: Date
}

/** The amount of the link when the customer has chosen none. */
const usualGb = 5

/** The page that buys the same pool again. */
export const buyAgain = (publicUrl: URL, pool: Pool): URL =>
  new URL(`/purchase?amount=${usualGb}&pool=${pool}`, publicUrl)

export function noticeMessage({ words, language, publicUrl, now }: Looks, notice: TelegramNotice): Screen {
  if (notice.kind === 'topup') return topUpMessage(words, language, notice)
  if (notice.kind === 'bill') return billMessage(words, { language, publicUrl }, notice)
  if (notice.kind === 'trouble') return troubleMessage(words, language, notice)
  const { button } = words
  const pool = words.pools[notice.pool]
  if (notice.kind === 'cap') {
    const cap = trafficIn(language, BigInt(notice.cap_bytes))
    const keyboard = new InlineKeyboard()
    if (notice.window === 'day')
      keyboard
        .text(accountWords[language].raise, raiseData(notice.pool, BigInt(notice.account_id), now))
        .row()
    return {
      text: words.capReached({ pool, window: notice.window, cap }),
      keyboard: keyboard.text(button.capOff, 'notices:cap:off'),
    }
  }
  const left = trafficIn(language, BigInt(notice.left_bytes))
  return withLinks(
    {
      text: words.trafficLow({ pool, share: notice.share, left, hours: notice.hours_left }),
      keyboard: new InlineKeyboard().text(button.trafficOff, 'notices:traffic:off'),
    },
    [{ label: button.buyAgain, url: buyAgain(publicUrl, notice.pool) }],
  )
}

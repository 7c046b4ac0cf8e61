/** The bot's monthly message with the last hash of the bill. */
import { InlineKeyboard } from 'grammy'
import { chargedFromText, monthIn } from '#contract/bill/month'
import type { Language } from '#contract/language'
import type { TelegramNotice } from '#customer-notices'
import { type Screen, trafficIn, withLinks } from './base/screens.ts'
import { escapeHtml, type Texts } from './base/texts.ts'

type Notice = Extract<TelegramNotice, { kind: 'bill' }>

const words = {
  ru: {
    title: 'Почасовая выписка',
    line: 'Последняя строка',
    head: 'Отпечаток',
    keep: 'Сохраните это сообщение: по отпечатку вы проверите, что строки до этой включительно не изменены.',
    open: 'Открыть выписку',
    silence: 'Не присылать выписку',
  },
  en: {
    title: 'Hourly statement',
    line: 'Last line',
    head: 'Fingerprint',
    keep: 'Keep this message: the fingerprint shows whether the lines up to this one were changed.',
    open: 'Open the statement',
    silence: 'Stop monthly statements',
  },
}

export function billMessage(
  { pools }: Texts,
  { language, publicUrl }: { language: Language; publicUrl: URL },
  { month, line, hour, head, charged }: Notice,
): Screen {
  const say = words[language]
  const used = chargedFromText(charged).map(
    ({ pool, bytes }) => `${pools[pool]}: ${trafficIn(language, bytes)}`,
  )
  const lines = [
    ...used,
    `${say.line}: ${escapeHtml(`${line}, ${hour}`)}`,
    `${say.head}: <code>${escapeHtml(head)}</code>`,
  ]
  return withLinks(
    {
      text: `<b>${say.title}: ${monthIn(month, language)}</b>\n\n${lines.join('\n')}\n\n${say.keep}`,
      keyboard: new InlineKeyboard().text(say.silence, 'notices:bill:off'),
    },
    [{ label: say.open, url: new URL('/account?tab=bill', publicUrl) }],
  )
}

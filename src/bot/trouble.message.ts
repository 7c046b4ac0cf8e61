/** The bot's messages about trouble with exits, and about its end. */
import { InlineKeyboard } from 'grammy'
import { placesInWords } from '#contract/places/country-names'
import type { Language } from '#contract/language'
import type { TelegramNotice } from '#customer-notices'
import type { Screen } from './base/screens.ts'
import { escapeHtml, type Texts } from './base/texts.ts'

type Notice = Extract<TelegramNotice, { kind: 'trouble' }>

const says = {
  ru: {
    began: 'Прокси временно не работают',
    beganText:
      'Большинство соединений сейчас не проходит. Мы уже чиним и напишем, когда всё заработает. За неудавшиеся соединения трафик не списывается.',
    ended: 'Прокси снова работают',
    endedText: 'Менять ничего не нужно. Простите за перерыв.',
  },
  en: {
    began: 'Proxies are not working right now',
    beganText:
      'Most connections are failing right now. We are fixing it and will tell you when it works again. Failed connections are not charged.',
    ended: 'Proxies are working again',
    endedText: 'You do not need to change anything. We are sorry for the interruption.',
  },
}

export function troubleMessage(words: Texts, language: Language, { event, pool, countries }: Notice): Screen {
  const say = says[language]
  const where = `${words.pools[pool]}: ${escapeHtml(placesInWords(countries, language))}`
  return {
    text: `<b>${say[event]}</b>\n\n${where}.\n${say[`${event}Text`]}`,
    keyboard: new InlineKeyboard().text(words.button.troubleOff, 'notices:trouble:off'),
  }
}

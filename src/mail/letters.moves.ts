/** The letter about gigabytes that were moved. */
import type { Language } from '#contract/language'
import { minuteInUtc } from '#lib/zone'
import type { Letters } from './kinds.ts'
import type { Writer } from './letter.ts'
import { poolName, traffic } from './numbers.ts'

type Move = Letters['traffic_moved']

const words = {
  ru: {
    given: ['Вы передали гигабайты', 'Трафик ушёл с вашего баланса другому клиенту.'],
    received: ['Вам передали гигабайты', 'Другой клиент передал вам трафик. Он уже на балансе.'],
    exchanged: [
      'Вы обменяли гигабайты',
      'Трафик одного вашего пула обменян на трафик другого по нынешним ценам.',
    ],
  },
  en: {
    given: ['You gave gigabytes away', 'The traffic has moved from your balance to another customer.'],
    received: [
      'You were given gigabytes',
      'Another customer has given you traffic. It is already on your balance.',
    ],
    exchanged: [
      'You exchanged gigabytes',
      'Traffic from one of your pools was exchanged for traffic in another at current prices.',
    ],
  },
} as const

/** The heading, the sentence and what moved, for the bot too. */
export function moveWords({ event, pool, bytes, to_pool, to_bytes, who }: Move, language: Language) {
  const [heading, sentence] = words[language][event]
  const amount = `${traffic(BigInt(bytes), language)} · ${poolName(pool, language)}`
  const moved =
    event === 'exchanged'
      ? `${amount} → ${traffic(BigInt(to_bytes), language)} · ${poolName(to_pool, language)}`
      : amount
  return { heading, sentence, moved, who }
}

export const trafficMoved: Writer<'traffic_moved'> = (data, context) => {
  const { brand, publicUrl } = context
  const href = new URL('/account?tab=moves', publicUrl).href
  const on = minuteInUtc(data.at)
  const said = (language: Language, labels: { moved: string; who: string; at: string }) => {
    const { heading, sentence, moved, who } = moveWords(data, language)
    const facts = [
      { label: labels.moved, value: moved },
      ...(who === null ? [] : [{ label: labels.who, value: who }]),
      { label: labels.at, value: on },
    ]
    return { subject: `${heading} — ${brand}`, preview: moved, heading, paragraphs: [sentence], facts }
  }
  const isOwn = data.event !== 'received'
  return {
    ru: () => ({
      ...said('ru', { moved: 'Сколько', who: data.event === 'given' ? 'Кому' : 'От кого', at: 'Когда' }),
      button: { label: 'Открыть аккаунт', href },
      notes: isOwn
        ? ['Если это были не вы, сразу смените пароль, завершите остальные сеансы и напишите в поддержку.']
        : ['Делать ничего не нужно.'],
    }),
    en: () => ({
      ...said('en', { moved: 'Amount', who: data.event === 'given' ? 'To' : 'From', at: 'When' }),
      button: { label: 'Open the account', href },
      notes: isOwn
        ? ['If it was not you, change your password now, end all other sessions and contact support.']
        : ['No action is needed.'],
    }),
  }
}

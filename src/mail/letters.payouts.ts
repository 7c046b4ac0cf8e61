/** The letter about payouts of the referral balance. */
import type { Language } from '#contract/language'
import { networkNames, type PayoutNetwork } from '#contract/referral/payout'
import { minuteInUtc } from '#lib/zone'
import type { Letters } from './kinds.ts'
import type { Writer } from './letter.ts'
import { dollars } from './numbers.ts'

type Payout = Letters['payout']

const words = {
  ru: {
    requested: [
      'Запрошена выплата',
      'Сумма отложена с реферального баланса. Пока её не отправляют, запрос можно отменить.',
    ],
    reduced: [
      'Сумма выплаты уменьшилась',
      'По покупке приглашённого вернули деньги, поэтому её доля вычтена из запрошенной выплаты.',
    ],
    paid: ['Выплата отправлена', 'Деньги отправлены на ваш кошелёк. Когда они придут, зависит от сети.'],
    refused: ['В выплате отказано', 'Сумма возвращена на реферальный баланс.'],
    undone: [
      'Выплата отменена',
      'По покупкам приглашённых вернули деньги, и от запрошенной суммы ничего не осталось.',
    ],
  },
  en: {
    requested: [
      'A payout was requested',
      'The amount has been set aside from your referral balance. You can cancel the request until we start sending it.',
    ],
    reduced: [
      'The payout was reduced',
      'A purchase by a customer you invited was refunded, so its share was deducted from the payout you requested.',
    ],
    paid: [
      'The payout was sent',
      'The money is on its way to your wallet. When it arrives depends on the network.',
    ],
    refused: ['The payout was refused', 'The amount is back on your referral balance.'],
    undone: [
      'The payout was cancelled',
      'Purchases by customers you invited were refunded, and nothing is left of the amount you requested.',
    ],
  },
} as const

const isKnown = (network: string): network is PayoutNetwork => Object.hasOwn(networkNames, network)

/** The heading, the sentence and what is paid to where, for the bot too. */
export function payoutWords(
  { event, micros, network, address_end: end, reason }: Payout,
  language: Language,
) {
  const [heading, sentence] = words[language][event === 'refused' && reason === null ? 'undone' : event]
  const name = isKnown(network) ? networkNames[network] : network
  const where = end === '' ? name : `${name} · …${end}`
  return { heading, sentence, sum: dollars(BigInt(micros), language), where }
}

export const payout: Writer<'payout'> = (data, context) => {
  const { brand, publicUrl } = context
  const href = new URL('/account?tab=referal', publicUrl).href
  const said = (
    language: Language,
    labels: Record<'sum' | 'where' | 'reference' | 'reason' | 'at', string>,
  ) => {
    const { heading, sentence, sum, where } = payoutWords(data, language)
    const facts = [
      { label: labels.sum, value: sum },
      { label: labels.where, value: where },
      ...(data.reference === null ? [] : [{ label: labels.reference, value: data.reference }]),
      ...(data.reason === null ? [] : [{ label: labels.reason, value: data.reason }]),
      { label: labels.at, value: minuteInUtc(data.at) },
    ]
    return {
      subject: `${heading} — ${brand}`,
      preview: `${sum}, ${where}`,
      heading,
      paragraphs: [sentence],
      facts,
    }
  }
  const isOwn = data.event === 'requested'
  return {
    ru: () => ({
      ...said('ru', { sum: 'Сумма', where: 'Куда', reference: 'Транзакция', reason: 'Причина', at: 'Когда' }),
      button: { label: 'Открыть аккаунт', href },
      notes: isOwn
        ? [
            'Если это были не вы, отмените выплату, смените пароль, завершите остальные сеансы и напишите в поддержку.',
          ]
        : ['Если что-то не сходится, напишите в поддержку.'],
    }),
    en: () => ({
      ...said('en', { sum: 'Amount', where: 'To', reference: 'Transaction', reason: 'Reason', at: 'When' }),
      button: { label: 'Open the account', href },
      notes: isOwn
        ? [
            'If it was not you, cancel the payout, change your password, end all other sessions and contact support.',
          ]
        : ['If something does not add up, contact support.'],
    }),
  }
}

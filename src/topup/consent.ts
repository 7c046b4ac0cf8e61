/**
 * The exact texts of customers' consents. A changed text gets a new version; earlier consents keep theirs.
 */
import { exactGbIn, moneyIn } from '#contract/amounts'
import type { Language } from '#contract/language'
import { type Pool, poolNames } from '#contract/wire'
import { sha256 } from '#lib/secret'
import type { Price } from '#payments'

/** The version of these texts. */
const version = 2

export interface ConsentText {
  language: Language
  version: number
  text: string
  sha256: Buffer
}

const written = (language: Language, text: string): ConsentText => ({
  language,
  version,
  text,
  sha256: sha256(text),
})

/** To save the payment method of an order. */
export function savingText(language: Language): ConsentText {
  return written(
    language,
    language === 'ru'
      ? 'Я разрешаю платёжной системе сохранить способ оплаты этого счёта для автопополнения. Само по себе это ничего не списывает: списания начнутся, только когда я включу автопополнение в аккаунте и соглашусь с суммой, порогом и пределом на месяц. Удалить сохранённый способ оплаты можно в аккаунте в любой момент.'
      : 'I allow the payment processor to save the payment method of this invoice for automatic top-up. Nothing is charged because of that: charges begin only when I switch automatic top-up on in the account and agree to the amount, the threshold and the monthly limit. A saved payment method can be removed in the account at any time.',
  )
}

export interface Terms {
  pool: Pool
  /** The display name of the saved method. */
  card: string
  belowBytes: bigint
  gb: bigint
  /** What one charge costs now. */
  costMicros: bigint
  price: Price
  most: Price
  monthMicros: bigint
}

const moneyText = ({ currency, micros }: Price, language: Language): string =>
  moneyIn(micros, { code: currency }, language)

/** To be charged when little is left. */
export function topUpText(language: Language, terms: Terms): ConsentText {
  const below = exactGbIn(terms.belowBytes, language)
  const bought = exactGbIn(terms.gb * 1_000_000_000n, language)
  const pool = poolNames[language][terms.pool]
  const usd = { currency: 'USD', micros: terms.costMicros }
  const isUsd = terms.price.currency === 'USD'
  const [cost, month] = [usd, { currency: 'USD', micros: terms.monthMicros }].map((one) =>
    moneyText(one, language),
  ) as [string, string]
  const [price, most] = [moneyText(terms.price, language), moneyText(terms.most, language)]
  return written(
    language,
    texts[language]({ ...terms, pool, below, bought, cost, month, price, most, isUsd }),
  )
}

interface ConsentTerms {
  pool: string
  card: string
  below: string
  bought: string
  cost: string
  month: string
  price: string
  most: string
  isUsd: boolean
}

const texts: Readonly<Record<Language, (words: ConsentTerms) => string>> = {
  ru: ({ pool, card, below, bought, cost, month, price, most, isUsd }) =>
    [
      `Я разрешаю списывать деньги с «${card}» без моего участия: каждый раз, когда в пуле «${pool}» остаётся меньше ${below}, покупать ${bought} за ${isUsd ? cost : `${cost} (сейчас это ${price})`}.`,
      isUsd
        ? `Одно списание — не больше ${most}.`
        : `Сумма в рублях зависит от курса, но одно списание — не больше ${most}.`,
      `Все списания за календарный месяц (по UTC) — не больше ${month}.`,
      `Если сейчас осталось меньше ${below}, первое списание будет сразу.`,
      'Если цена станет выше, списаний не будет, пока я не соглашусь с новой. После трёх неудачных попыток подряд автопополнение выключится. Неудачное списание повторяется не раньше чем через 4 часа.',
      'О каждом списании придёт письмо. Отказаться можно в любой момент кнопками «Выключить» и «Удалить» в аккаунте: после этого списаний не будет.',
    ].join('\n'),
  en: ({ pool, card, below, bought, cost, month, price, most, isUsd }) =>
    [
      `I authorize automatic charges to “${card}”: each time less than ${below} is left in the pool “${pool}”, ${bought} is bought for ${isUsd ? cost : `${cost} (now ${price})`}.`,
      isUsd
        ? `One charge takes at most ${most}.`
        : `The sum depends on the rate of the currency, but one charge takes at most ${most}.`,
      `All charges of a calendar month (UTC) take at most ${month} together.`,
      `If less than ${below} is left now, the first charge is made at once.`,
      'If the price rises, nothing is charged until I agree to the new one. After three failed attempts in a row automatic top-up is switched off. A failed charge is repeated after 4 hours at the earliest.',
      'A letter follows each charge. I can refuse at any time with “Switch off” and “Remove” in the account: nothing is charged after that.',
    ].join('\n'),
}

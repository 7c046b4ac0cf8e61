/** The reasons of automatic top-up in words, for letters, the bot and the pages. */
import type { declineReasons, OffReason } from './rules.ts'

type Language = 'ru' | 'en'
type DeclineReason = (typeof declineReasons)[number]
type TextsByReason<Reason extends string> = Readonly<Record<Language, Readonly<Record<Reason, string>>>>

/** Why a charge failed. */
export const declineWords: TextsByReason<DeclineReason> = {
  ru: {
    insufficient_funds: 'На карте не хватило денег.',
    card_expired: 'Срок действия карты истёк.',
    declined: 'Банк отклонил списание и не назвал причину.',
    restricted: 'С этого способа оплаты такие списания запрещены или исчерпан его лимит.',
    fraud_suspected: 'Банк принял списание за подозрительное.',
    permission_revoked: 'Разрешение на списания отозвано, поэтому сохранённый способ оплаты удалён.',
    authentication_required: 'Банк попросил подтверждение, и счёт не был оплачен вовремя.',
    processor_refused: 'Платёжная система не приняла запрос на списание.',
    shop_denied:
      'Платёжная система не впустила магазин. Это наша неполадка, с вашей картой всё в порядке: попробуем снова.',
    no_answer:
      'Платёжная система не подтвердила списание. Если деньги всё же придут, трафик поступит на баланс.',
    method_removed: 'Способ оплаты удалён.',
    switched_off: 'Автопополнение выключено до списания.',
  },
  en: {
    insufficient_funds: 'There was not enough money on the card.',
    card_expired: 'The card has expired.',
    declined: 'The bank declined the charge without giving a reason.',
    restricted: 'Such charges are not allowed with this payment method, or its limit is used up.',
    fraud_suspected: 'The bank flagged the charge as suspicious.',
    permission_revoked: 'The permission for charges was revoked, so the saved payment method was removed.',
    authentication_required: 'The bank asked for a confirmation, and the invoice was not paid in time.',
    processor_refused: 'The payment processor did not accept the request.',
    shop_denied:
      'The payment processor denied the shop access. This is our fault, and your card is fine: we will try again.',
    no_answer:
      'The payment processor did not confirm the charge. If the money arrives after all, the traffic will be credited.',
    method_removed: 'The payment method was removed.',
    switched_off: 'Automatic top-up was switched off before the charge.',
  },
}

/** Why automatic top-up is off. */
export const offWords: TextsByReason<OffReason> = {
  ru: {
    customer: 'Вы его выключили.',
    staff: 'Его выключила поддержка.',
    method_removed: 'Сохранённый способ оплаты удалён.',
    permission_revoked: 'Разрешение на списания отозвано в банке или в платёжной системе.',
    card_expired: 'Срок действия карты истёк.',
    failures: 'Три списания подряд не удались.',
    charge_returned:
      'Деньги за прошлое списание вернулись или оспорены. Включите снова, если хотите продолжить.',
    price_raised: 'Цена стала выше той, на которую вы согласились. Включите снова, если новая подходит.',
    pool_off_sale: 'Этот пул сейчас не продаётся.',
    account_blocked: 'Аккаунт заблокирован.',
    receipt_email_required: 'Не указан e-mail, на который приходит чек.',
  },
  en: {
    customer: 'You switched it off.',
    staff: 'Support switched it off.',
    method_removed: 'The saved payment method was removed.',
    permission_revoked: 'The permission for charges was revoked at the bank or the processor.',
    card_expired: 'The card has expired.',
    failures: 'Three charges in a row failed.',
    charge_returned:
      'The money for a charge was returned or is disputed. Switch it on again if you want to continue.',
    price_raised:
      'The price is higher than the one you agreed to. Switch it on again if the new one suits you.',
    pool_off_sale: 'This pool is not on sale right now.',
    account_blocked: 'The account is blocked.',
    receipt_email_required: 'There is no e-mail address for the receipt.',
  },
}

/** The words of a reason of either kind. */
export const reasonWords = (reason: DeclineReason | OffReason, language: Language): string =>
  ({ ...declineWords[language], ...offWords[language] })[reason]

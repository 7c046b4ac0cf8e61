/** The refusals of the calls that move gigabytes. */
export const moveRefusals = {
  gifts_off: {
    status: 403,
    ru: 'В этом магазине нельзя передавать гигабайты другим клиентам.',
    en: 'This shop does not let customers give gigabytes to each other.',
  },
  gift_on_hold: {
    status: 403,
    ru: 'Защита аккаунта недавно менялась, поэтому передавать гигабайты можно будет с {until}. Если меняли не вы, напишите в поддержку.',
    en: 'The protection of this account was changed lately, so gigabytes can be given away from {until} on. If it was not you, contact support.',
  },
  gift_new_device: {
    status: 403,
    ru: 'Вход выполнен с нового устройства или из новой страны, поэтому передавать гигабайты можно будет с {until}. Без ожидания — после подтверждения вторым фактором.',
    en: 'This session comes from a new device or country, so gigabytes can be given away from {until} on, or at once after a second factor.',
  },
  gift_not_yet: {
    status: 403,
    ru: 'Передавать гигабайты может аккаунт старше {days} дней, который уже что-то оплатил.',
    en: 'Gigabytes can be given away by an account that is older than {days} days and has paid for an order.',
  },
  move_disputed: {
    status: 409,
    ru: 'По одному из счетов идёт спор с банком. Пока он не закончен, гигабайты не переводятся.',
    en: 'The bank disputes one of your invoices. Until that is over, gigabytes cannot be moved.',
  },
  receiver_not_found: {
    status: 404,
    ru: 'Получатель не найден. Имя или подтверждённая почта нужны точно, и это не может быть ваш аккаунт.',
    en: 'There is no such receiver. Give the exact user name or confirmed e-mail of an account other than yours.',
  },
  move_too_small: {
    status: 422,
    ru: 'Переводится не меньше {least} МБ.',
    en: 'At least {least} MB are moved at a time.',
  },
  gift_too_large: {
    status: 422,
    ru: 'За сутки можно передать не больше {most} МБ; сейчас осталось {left} МБ.',
    en: 'At most {most} MB can be given away within 24 hours; {left} MB are left.',
  },
  exchanges_off: {
    status: 403,
    ru: 'В этом магазине нельзя обменивать гигабайты между пулами.',
    en: 'This shop does not exchange gigabytes between pools.',
  },
  exchange_too_large: {
    status: 422,
    ru: 'За сутки можно обменять не больше {most} МБ; сейчас осталось {left} МБ.',
    en: 'At most {most} MB can be exchanged within 24 hours; {left} MB are left.',
  },
  move_not_covered: {
    status: 409,
    ru: 'Столько купленного трафика сейчас не свободно: доступно {free} МБ. Бонус не переводится, а часть могут держать открытые соединения.',
    en: 'Not that much bought traffic is free now: {free} MB are. Bonus traffic is not moved, and open connections may hold a part.',
  },
  move_quote_changed: {
    status: 409,
    ru: 'Цены или остаток изменились. Посмотрите новый расчёт и подтвердите ещё раз.',
    en: 'The prices or your traffic have changed. Look at the new amount and confirm again.',
  },
  same_pool: {
    status: 422,
    ru: 'Выберите два разных пула.',
    en: 'Choose two different pools.',
  },
} as const

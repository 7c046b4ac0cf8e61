/** The refusals of gifts and exchanges of gigabytes. */
export const movesRefusals = {
  gifts_off: {
    status: 403,
    ru: 'В этом магазине нельзя передавать гигабайты другим клиентам.',
    en: 'This shop does not let customers give gigabytes to each other.',
  },
  gift_on_hold: {
    status: 403,
    ru: 'Защита аккаунта недавно менялась, поэтому передавать гигабайты можно будет с {until}. Если меняли не вы, напишите в поддержку.',
    en: 'This account’s security settings were changed recently, so gigabytes can be given away from {until}. If it was not you, contact support.',
  },
  gift_new_device: {
    status: 403,
    ru: 'Вход выполнен с нового устройства, из новой сети или страны, поэтому передавать гигабайты можно будет с {until}. Без ожидания — после подтверждения вторым фактором.',
    en: 'This session is from a new device, network or country, so gigabytes can be given away from {until}, or at once if you confirm with a second factor.',
  },
  gift_not_yet: {
    status: 403,
    ru: 'Передавать гигабайты может аккаунт старше {days} дней, который уже что-то оплатил.',
    en: 'Only an account that is more than {days} days old and has paid for an order can give gigabytes away.',
  },
  move_disputed: {
    status: 409,
    ru: 'По одному из счетов идёт спор с банком. Пока он не закончен, гигабайты не переводятся.',
    en: 'A bank dispute is open on one of your invoices. Until it is closed, gigabytes cannot be moved.',
  },
  receiver_not_found: {
    status: 404,
    ru: 'Получатель не найден. Имя или подтверждённая почта нужны точно, и это не может быть ваш аккаунт.',
    en: 'There is no such recipient. Enter the exact username or confirmed e-mail of an account other than yours.',
  },
  move_too_small: {
    status: 422,
    ru: 'Переводится не меньше {least} МБ.',
    en: 'The smallest amount you can move is {least} MB.',
  },
  gift_too_large: {
    status: 422,
    ru: 'За сутки можно передать не больше {most} МБ; сейчас осталось {left} МБ.',
    en: 'You can give away at most {most} MB within 24 hours; {left} MB left now.',
  },
  exchanges_off: {
    status: 403,
    ru: 'В этом магазине нельзя обменивать гигабайты между пулами.',
    en: 'This shop does not exchange gigabytes between pools.',
  },
  exchange_too_large: {
    status: 422,
    ru: 'За сутки можно обменять не больше {most} МБ; сейчас осталось {left} МБ.',
    en: 'You can exchange at most {most} MB within 24 hours; {left} MB left now.',
  },
  move_not_covered: {
    status: 409,
    ru: 'Столько купленного трафика сейчас не свободно: доступно {free} МБ. Бонус не переводится, а часть могут держать открытые соединения.',
    en: 'You do not have that much purchased traffic available: you can move {free} MB. Bonus traffic cannot be moved, and open connections may be holding some.',
  },
  move_quote_changed: {
    status: 409,
    ru: 'Цены или баланс изменились. Посмотрите новый расчёт и подтвердите ещё раз.',
    en: 'The prices or your traffic have changed. Check the new amount and confirm again.',
  },
  same_pool: {
    status: 422,
    ru: 'Выберите два разных пула.',
    en: 'Choose two different pools.',
  },
} as const

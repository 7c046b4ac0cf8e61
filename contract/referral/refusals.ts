/** The refusals of the referral balance and its payouts. */
export const referralRefusals = {
  insufficient_referral_balance: {
    status: 402,
    ru: 'На реферальном балансе {balance} $, а нужно {cost} $.',
    en: 'Your referral balance is ${balance}, but ${cost} is needed.',
  },
  payouts_off: {
    status: 403,
    ru: 'Магазин не выплачивает реферальный баланс. Его можно потратить на трафик.',
    en: 'This shop does not pay out referral balances. You can spend yours on traffic.',
  },
  payout_on_hold: {
    status: 403,
    ru: 'Защита аккаунта недавно менялась либо это новое устройство, сеть или страна, поэтому запросить выплату можно будет с {until}. Если меняли не вы, напишите в поддержку.',
    en: 'This account’s security settings were changed recently, or this device, network or country is new, so a payout can be requested from {until}. If it was not you, contact support.',
  },
  payout_network: {
    status: 422,
    ru: 'Через эту сеть магазин сейчас не платит. Выберите другую.',
    en: 'The shop does not pay through this network right now. Choose another one.',
  },
  payout_address: {
    status: 422,
    ru: 'Это не адрес кошелька в сети {network}: проверьте, что он скопирован целиком.',
    en: 'This is not a wallet address on the {network} network. Check that you copied all of it.',
  },
  payout_too_small: {
    status: 422,
    ru: 'Выплачивается не меньше ${least}.',
    en: 'The smallest payout is ${least}.',
  },
  payout_open: {
    status: 409,
    ru: 'Одна выплата уже запрошена. Дождитесь её или отмените.',
    en: 'You have already requested a payout. Wait for it, or cancel it.',
  },
  payout_not_open: {
    status: 409,
    ru: 'Отменить эту выплату уже нельзя: её отправляют или она закончена.',
    en: 'This payout can no longer be cancelled: it is being sent or is already finished.',
  },
  payout_not_found: {
    status: 404,
    ru: 'Такой выплаты нет.',
    en: 'There is no such payout.',
  },
} as const

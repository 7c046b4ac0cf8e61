import { documents } from '../docs.ts'
import type { referralSchemas } from './schemas.ts'

const row = {
  number: 1,
  asked_at: '2026-11-20T12:00:00.000Z',
  micros: '25000000',
  asked_micros: '25000000',
  network: 'usdt_trc20' as const,
  wallet: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  state: 'requested' as const,
  ended_at: null,
  reference: null,
  reason: null,
}

const shown = (
  rows: (Omit<typeof row, 'state' | 'ended_at'> & {
    state: 'requested' | 'cancelled'
    ended_at: string | null
  })[],
) => ({
  is_on: true,
  networks: ['usdt_trc20' as const, 'btc' as const],
  least_micros: '20000000',
  balance_micros: '12500000',
  hold_until: null,
  rows,
})

export const referralDocs = documents<typeof referralSchemas>()({
  legacy_referal_info: {
    tag: 'Reselling',
    summary: { en: 'The referral programme', ru: 'Реферальная программа' },
    about: {
      en: 'An array of one entry. `percent` is a fraction. `links.telegram` is null where the shop has no bot.',
      ru: 'Массив из одной записи. `percent` — доля от 0 до 1. `links.telegram` равен null, если у магазина нет бота.',
    },
    input: {},
    output: [
      {
        balance: 12.5,
        ref_num: 3,
        percent: 0.1,
        links: {
          website: 'https://shop.example.net/?ref=4f1c09ab22de',
          telegram: 'https://t.me/shop_bot?start=4f1c09ab22de',
        },
      },
    ],
    refuses: [],
  },
  referral_earnings: {
    tag: 'Reselling',
    summary: { en: 'What invited customers earned you by day', ru: 'Доход от приглашённых по дням' },
    about: {
      en: 'Every day (UTC) of the last 30 or 90, today included. A refund lowers the day on which its payment was made.',
      ru: 'Каждый день (UTC) из последних 30 или 90 вместе с сегодняшним. Возврат уменьшает день своего платежа.',
    },
    input: { days: 30 },
    output: [{ day: '2026-03-01', earned_usd: 3.5, payments: 2 }],
    refuses: [],
  },
  get_payouts: {
    tag: 'Reselling',
    summary: { en: 'Payouts of the referral balance', ru: 'Выплаты реферального баланса' },
    about: {
      en: 'What can be paid out to a wallet, through which networks, and the last 50 payouts, the newest first. `hold_until`: nothing can be paid out before it, because the protection of the account was changed less than 72 hours ago. Amounts are millionths of a dollar.',
      ru: 'Что можно вывести на кошелёк и через какие сети; последние 50 выплат, сначала новые. `hold_until`: до этого времени запросить выплату нельзя, потому что защита аккаунта менялась меньше 72 часов назад. Суммы — в миллионных доллара.',
    },
    input: {},
    output: shown([row]),
    refuses: [],
  },
  request_payout: {
    tag: 'Reselling',
    summary: { en: 'Request a payout to a wallet', ru: 'Запросить выплату на кошелёк' },
    about: {
      en: 'Sets the amount aside from the referral balance; the operator sends it by hand. One payout can be open at a time. Needs a proof of the owner within the last ten minutes (`prove_owner`) and 72 hours since the protection of the account was last changed. The checksum of the address is checked. Refunds of purchases that earned the money reduce a payout that is not yet being sent. Send an `Idempotency-Key`.',
      ru: 'Откладывает сумму с реферального баланса; отправляет её оператор вручную. Открытой может быть одна выплата. Нужны подтверждение владельца за последние десять минут (`prove_owner`) и 72 часа после последней смены защиты аккаунта. Контрольная сумма адреса проверяется. Возвраты по покупкам, принёсшим эти деньги, уменьшают выплату, пока её не отправляют. Передавайте `Idempotency-Key`.',
    },
    input: { micros: '25000000', network: 'usdt_trc20', wallet: row.wallet },
    output: shown([row]),
    refuses: [
      'payouts_off',
      'proof_needed',
      'payout_network',
      'payout_address',
      'payout_too_small',
      'payout_on_hold',
      'payout_open',
      'insufficient_referral_balance',
    ],
  },
  cancel_payout: {
    tag: 'Reselling',
    summary: { en: 'Cancel a requested payout', ru: 'Отменить запрошенную выплату' },
    about: {
      en: 'The amount returns to the referral balance. A payout that the operator has begun to send cannot be cancelled.',
      ru: 'Сумма возвращается на реферальный баланс. Выплату, которую оператор уже отправляет, отменить нельзя.',
    },
    input: { number: 1 },
    output: shown([{ ...row, state: 'cancelled', ended_at: '2026-11-20T13:00:00.000Z' }]),
    refuses: ['payout_not_found', 'payout_not_open'],
  },
})

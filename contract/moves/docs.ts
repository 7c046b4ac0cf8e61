import { documents } from '../docs.ts'
import type { movesSchemas } from './schemas.ts'

const moved = {
  gifts: true,
  hold_until: null,
  hold_reason: null,
  left_today_bytes: '95000000000',
  exchanges: true,
  exchange_left_today_bytes: '1000000000000',
  pools: [
    { pool: 'residential', movable_bytes: '20000000000', micros_per_gb: '3500000' },
    { pool: 'mobile', movable_bytes: '0', micros_per_gb: '7000000' },
  ],
  rows: [
    {
      at: '2026-11-20T12:00:00.000Z',
      kind: 'given',
      who: 'berlin_team',
      pool: 'residential',
      bytes: '5000000000',
      to_pool: 'residential',
      to_bytes: '5000000000',
    },
  ],
} as const

export const movesDocs = documents<typeof movesSchemas>()({
  get_moves: {
    tag: 'Traffic',
    summary: { en: 'What can be moved, and what was', ru: 'Что можно перевести и что переведено' },
    about: {
      en: 'By pool the bought bytes that can be moved now, without bonus and without what open connections may need, and the price of a GB before discounts. `hold_until`: nothing can be given away before it, and `hold_reason` says why: the protection of the account was `changed` less than 72 hours ago, or this session comes from a device, network or country that is new since then (`new_device`). The last 50 moves, the newest first.',
      ru: 'По пулам — купленные байты, которые можно перевести сейчас: без бонуса и без того, что может понадобиться открытым соединениям; и цена ГБ без скидок. `hold_until`: до этого времени передать ничего нельзя, а `hold_reason` говорит почему: меньше 72 часов назад менялась защита аккаунта (`changed`) или появились устройство, сеть или страна этого входа (`new_device`). Последние 50 переводов, сначала новые.',
    },
    input: {},
    output: { ...moved, pools: [...moved.pools], rows: [...moved.rows] },
    refuses: [],
  },
  quote_exchange: {
    tag: 'Traffic',
    summary: { en: 'What an exchange gives', ru: 'Что даст обмен' },
    about: {
      en: 'The bytes of the other pool. The traffic is worth its price before discounts, but no more than what was paid for it; the result is rounded down. Moves take what was bought last. `0`: nothing was paid for this traffic.',
      ru: 'Байты другого пула. Трафик стоит столько, сколько он стоит без скидок, но не больше, чем за него заплачено; результат округляется вниз. Переводится то, что куплено последним. `0`: за этот трафик ничего не заплачено.',
    },
    input: { pool: 'residential', to_pool: 'mobile', megabytes: 5000 },
    output: { to_bytes: '2500000000' },
    refuses: ['same_pool', 'move_too_small', 'invalid_pool'],
  },
  give_traffic: {
    tag: 'Traffic',
    summary: { en: 'Give traffic to another customer', ru: 'Передать трафик другому клиенту' },
    about: {
      en: 'Bought traffic only, in whole megabytes, at least 100. `to` is the exact user name or confirmed e-mail. Needs a proof of the owner within the last ten minutes (`prove_owner`), an account of seven days with a paid order, 72 hours since its protection was last changed, and a device and country known for 72 hours or a second factor used in this session. Both customers are told. It cannot be undone. Send an `Idempotency-Key`: with it a repeated call moves nothing twice.',
      ru: 'Только купленный трафик, целыми мегабайтами, не меньше 100. `to` — точное имя или подтверждённая почта. Нужны подтверждение владельца за последние десять минут (`prove_owner`), аккаунт старше семи дней с оплаченным заказом, 72 часа после последней смены защиты и устройство и страна, известные 72 часа, либо второй фактор в этом сеансе. Узнают оба. Отменить нельзя. Передавайте `Idempotency-Key`: с ним повторный вызов ничего не переведёт дважды.',
    },
    input: { pool: 'residential', megabytes: 5000, to: 'berlin_team' },
    output: { ...moved, pools: [...moved.pools], rows: [...moved.rows] },
    refuses: [
      'gifts_off',
      'proof_needed',
      'move_too_small',
      'gift_on_hold',
      'gift_new_device',
      'gift_not_yet',
      'move_disputed',
      'receiver_not_found',
      'gift_too_large',
      'move_not_covered',
      'too_many_attempts',
    ],
  },
  exchange_traffic: {
    tag: 'Traffic',
    summary: { en: 'Exchange traffic between own pools', ru: 'Обменять трафик между своими пулами' },
    about: {
      en: 'Bought traffic only, in whole megabytes, at least 100, at the prices of both pools before discounts, but worth no more than what was paid for it. `to_bytes` is the answer of `quote_exchange`. When it would be another amount by now, nothing is moved. Send an `Idempotency-Key`.',
      ru: 'Только купленный трафик, целыми мегабайтами, не меньше 100, по ценам обоих пулов без скидок, но не дороже, чем за него заплачено. `to_bytes` — ответ `quote_exchange`. Если теперь выходит другое, ничего не переводится. Передавайте `Idempotency-Key`.',
    },
    input: { pool: 'residential', to_pool: 'mobile', megabytes: 5000, to_bytes: '2500000000' },
    output: { ...moved, pools: [...moved.pools], rows: [...moved.rows] },
    refuses: [
      'exchanges_off',
      'exchange_too_large',
      'same_pool',
      'move_too_small',
      'move_disputed',
      'invalid_pool',
      'move_quote_changed',
      'move_not_covered',
    ],
  },
})

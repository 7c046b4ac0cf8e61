import { documents } from '../docs.ts'
import type { receiptsSchemas } from './schemas.ts'

export const receiptsDocs = documents<typeof receiptsSchemas>()({
  receipt_email: {
    tag: 'Buying',
    summary: { en: 'Where your fiscal receipts go', ru: 'Куда приходят чеки' },
    about: {
      en: '`is_own`: the address was given for receipts only; otherwise it is the e-mail of the account. `needed_for` has the payment methods that need an address.',
      ru: '`is_own`: адрес указан только для чеков, иначе это почта аккаунта. `needed_for` — способы оплаты, для которых адрес нужен.',
    },
    input: {},
    output: { email: 'ivan@example.com', is_own: true, needed_for: ['yookassa'] },
    refuses: [],
  },
  set_receipt_email: {
    tag: 'Buying',
    summary: { en: 'Change where your fiscal receipts go', ru: 'Изменить адрес для чеков' },
    about: {
      en: 'Null: to the e-mail of the account. Nobody can sign in with this address.',
      ru: 'Null — на почту аккаунта. Войти с этим адресом нельзя.',
    },
    input: { email: 'ivan@example.com' },
    output: { email: 'ivan@example.com', is_own: true, needed_for: ['yookassa'] },
    refuses: ['invalid_receipt_email'],
  },
})

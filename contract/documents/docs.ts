import { documents } from '../docs.ts'
import type { documentsSchemas } from './schemas.ts'

const invoice = '9f3c1a0d5e7b2468ace0'

export const documentsDocs = documents<typeof documentsSchemas>()({
  invoice_documents: {
    tag: 'Buying',
    summary: { en: 'The documents of an invoice', ru: 'Документы счёта' },
    about: {
      en: 'Invoices and credit notes in PDF. A document is made within seconds of the payment or refund, once, and never changes. An invoice that is paid in part gets its document with the rest of the money, or after three days.',
      ru: 'Счета и корректировочные документы в PDF. Документ создаётся один раз, через несколько секунд после оплаты или возврата, и больше не меняется. Счёт, оплаченный частично, получает документ вместе с остатком денег или через три дня.',
    },
    input: { number: invoice },
    output: [
      {
        id: '512',
        kind: 'invoice',
        number: '000123',
        specimen: false,
        amount_usd: 315,
        issued_at: '2026-11-20T10:02:32.000Z',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
    refuses: ['invoice_not_found'],
  },
  invoice_document: {
    tag: 'Buying',
    summary: { en: 'A document as PDF', ru: 'Документ в PDF' },
    about: { en: '`id` is that of `invoice_documents`.', ru: '`id` — из `invoice_documents`.' },
    input: { number: invoice, id: '512' },
    output: null,
    refuses: ['invoice_not_found', 'document_not_found'],
  },
  buyer_details: {
    tag: 'Buying',
    summary: { en: 'What documents say of the buyer', ru: 'Что в документах сказано о покупателе' },
    about: {
      en: 'Empty texts: nothing was entered, and documents name the account.',
      ru: 'Пустые тексты: ничего не указано, и в документах стоит имя аккаунта.',
    },
    input: {},
    output: {
      name: 'Petrova Research GmbH',
      address: 'Lindenstraße 12, 10969 Berlin',
      tax_id: 'DE123456789',
    },
    refuses: [],
  },
  set_buyer_details: {
    tag: 'Buying',
    summary: {
      en: 'Change what documents say of the buyer',
      ru: 'Изменить сведения о покупателе в документах',
    },
    about: {
      en: 'For documents that are made from then on. All texts empty removes the details.',
      ru: 'Для документов, которые будут созданы после этого. Если все тексты пустые, сведения удаляются.',
    },
    input: { name: 'Petrova Research GmbH', address: 'Lindenstraße 12, 10969 Berlin', tax_id: 'DE123456789' },
    output: {
      name: 'Petrova Research GmbH',
      address: 'Lindenstraße 12, 10969 Berlin',
      tax_id: 'DE123456789',
    },
    refuses: ['buyer_name_missing', 'buyer_details_letters'],
  },
})

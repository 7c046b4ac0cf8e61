/** The refusals of invoices and credit notes in PDF. */
export const documentsRefusals = {
  document_not_found: {
    status: 404,
    ru: 'Такого документа у счёта нет.',
    en: 'The invoice has no such document.',
  },
  buyer_name_missing: {
    status: 422,
    ru: 'Укажите название или имя покупателя.',
    en: 'Enter the buyer’s name.',
  },
  buyer_details_letters: {
    status: 422,
    ru: 'В поле «{field}» есть знаки, которых нет в шрифте документа. Напишите его латиницей или кириллицей.',
    en: 'The field “{field}” contains characters that cannot be printed in documents. Use Latin or Cyrillic letters.',
  },
} as const

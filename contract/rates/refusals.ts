/** The refusals of currencies. */
export const ratesRefusals = {
  unknown_currency: {
    status: 422,
    ru: 'Валюты «{currency}» среди доступных нет.',
    en: 'The currency “{currency}” is not available.',
  },
} as const

/** The refusals of export and erasure of personal data. */
export const personalDataRefusals = {
  download_link_invalid: {
    status: 410,
    ru: 'Ссылка на файл уже использована или истекла. Запросите новую.',
    en: 'This download link has already been used or has expired. Request a new one.',
  },
} as const

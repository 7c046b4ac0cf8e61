/** The refusals of what the shop says to the public. */
export const contentRefusals = {
  legal_page_not_found: {
    status: 404,
    ru: 'Такой страницы у магазина нет.',
    en: 'The shop has no such page.',
  },
  banner_not_found: { status: 404, ru: 'Такого баннера нет.', en: 'There is no such banner.' },
  consents_outdated: {
    status: 422,
    ru: 'Документы магазина изменились, пока страница была открыта. Прочитайте их ещё раз и согласитесь заново.',
    en: 'The shop’s documents have changed since the page was opened. Read them again and agree once more.',
  },
} as const

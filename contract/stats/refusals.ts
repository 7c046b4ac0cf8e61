/** The refusals of usage. */
export const statsRefusals = {
  usage_period: {
    status: 422,
    ru: 'Период — два дня вида 2026-11-23, первый не позже последнего.',
    en: 'A period must be two dates such as 2026-11-23, the first no later than the last.',
  },
  usage_period_too_long: {
    status: 422,
    ru: 'Так много дней сразу не показать: наибольший период — {days} дн.',
    en: 'The period is too long: at most {days} days can be shown at once.',
  },
  usage_filter_by_day: {
    status: 422,
    ru: 'Отбор по одному значению показывается по дням.',
    en: 'Results filtered by one value can only be shown by day.',
  },
} as const

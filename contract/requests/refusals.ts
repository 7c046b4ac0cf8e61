/** The refusals of the records of single requests. */
export const requestsRefusals = {
  too_many_streams: {
    status: 429,
    ru: 'Запросы уже открыты в {limit} вкладках или программах. Закройте одну из них.',
    en: 'Requests are already open in {limit} tabs or programs. Close one of them.',
  },
  request_not_found: {
    status: 404,
    ru: 'Такого запроса у вас за последние 7 дней нет, или о нём не осталось записи (не записано запросов: {unkept}).',
    en: 'You made no such request in the last 7 days, or it was not recorded (unrecorded requests: {unkept}).',
  },
} as const

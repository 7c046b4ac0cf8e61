/**
 * The refusals of the calls for the limits of a pool's password, for the records of its requests, and for
 * usage.
 */
export const gatewayRefusals = {
  invalid_byte_cap: {
    status: 422,
    ru: 'Лимит трафика — целое число байт от 1 000 000 (1 МБ) до 10^15 (1 ПБ), или пусто.',
    en: 'A cap must be a whole number of bytes from 1,000,000 (1 MB) to 10^15 (1 PB), or empty.',
  },
  invalid_connections: {
    status: 422,
    ru: 'Число соединений — от 1 до 100 000, или пусто.',
    en: 'The number of connections must be from 1 to 100,000, or empty.',
  },
  invalid_host_pattern: {
    status: 422,
    ru: '«{host}» — не адрес сайта. Нужно имя вида example.com, *.example.com или IP-адрес.',
    en: '“{host}” is not a valid host. Use a name such as example.com or *.example.com, or an IP address.',
  },
  too_many_hosts: {
    status: 422,
    ru: 'В списке не больше {limit} сайтов. Замените похожие на *.имя.',
    en: 'A list can have at most {limit} hosts. Replace similar ones with *.name.',
  },
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
}

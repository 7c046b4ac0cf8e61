/** Refusals of what a customer may set on a pool's password, and ask about what was done with it. */
export const gatewayRefusals = {
  invalid_byte_cap: {
    status: 422,
    ru: 'Ограничение трафика — целое число байт от 1 000 000 (1 МБ) до 10^15 (1 ПБ), или пусто.',
    en: 'A cap is a whole number of bytes from 1,000,000 (1 MB) to 10^15 (1 PB), or empty.',
  },
  invalid_connections: {
    status: 422,
    ru: 'Число соединений — от 1 до 100 000, или пусто.',
    en: 'The number of connections is from 1 to 100,000, or empty.',
  },
  invalid_host_pattern: {
    status: 422,
    ru: '«{host}» — не адрес сайта. Нужно имя вида example.com, *.example.com или IP-адрес.',
    en: '“{host}” is no host. A name like example.com, *.example.com or an IP address is needed.',
  },
  too_many_hosts: {
    status: 422,
    ru: 'В списке не больше {limit} сайтов. Замените похожие на *.имя.',
    en: 'A list holds at most {limit} hosts. Put *.name in place of similar ones.',
  },
  request_not_found: {
    status: 404,
    ru: 'Такого запроса у вас за последние 7 дней нет, или о нём не осталось записи (не записано запросов: {unkept}).',
    en: 'There is no such request of yours in the last 7 days, or no record of it was kept (requests not recorded: {unkept}).',
  },
}

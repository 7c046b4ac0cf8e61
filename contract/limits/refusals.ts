/** The refusals of the limits of a pool. */
export const limitsRefusals = {
  no_day_cap: {
    status: 409,
    ru: 'У этого пула нет дневного лимита: поднимать нечего.',
    en: 'This pool has no daily limit, so there is nothing to raise.',
  },
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
} as const

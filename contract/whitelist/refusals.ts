/** The refusals of the whitelist. */
export const whitelistRefusals = {
  invalid_ip: {
    status: 422,
    ru: 'Нужен публичный адрес IPv4: четыре числа от 0 до 255 через точку. Адреса частных и служебных сетей не подходят.',
    en: 'Enter a public IPv4 address: four numbers from 0 to 255 separated by dots. Private and special-purpose addresses are not accepted.',
  },
  no_pool_access: {
    status: 403,
    ru: 'Сначала купите трафик этого пула.',
    en: 'Buy traffic for this pool first.',
  },
  ip_taken: {
    status: 409,
    ru: 'Этот адрес в этом пуле подтвердил другой клиент. Строки с логином и паролем с него работают.',
    en: 'Another customer has proven this address in this pool. Lines with a login and password work from it.',
  },
  ip_listed: {
    status: 409,
    ru: 'Этот адрес в этом пуле уже закреплён за вашим аккаунтом или другим пользователем прокси. Сначала удалите его там.',
    en: 'This address of this pool already stands for your account or another proxy user of yours. Remove it there first.',
  },
  whitelist_full: {
    status: 422,
    ru: 'В этом списке не больше {limit} адресов. Удалите лишний.',
    en: 'This list can have at most {limit} addresses. Remove one first.',
  },
} as const

/** The refusals of proxy users. */
export const proxyUsersRefusals = {
  user_not_found: {
    status: 404,
    ru: 'Такого пользователя прокси в этом пуле нет. Возможно, его уже удалили.',
    en: 'This pool has no such proxy user. It may have been deleted.',
  },
  too_many_users: {
    status: 422,
    ru: 'В одном пуле может быть не больше {limit} пользователей прокси. Удалите лишнего.',
    en: 'A pool can have at most {limit} proxy users. Delete one first.',
  },
  user_label_taken: {
    status: 409,
    ru: 'Пользователь прокси с таким названием в этом пуле уже есть.',
    en: 'This pool already has a proxy user with this name.',
    details: { number: 1, login: 'u4k2m9xbcdfg', label: 'Scraper in Berlin', pool: 'residential' },
  },
  user_external_id_taken: {
    status: 409,
    ru: 'Пользователь прокси с таким внешним номером у вас уже есть.',
    en: 'You already have a proxy user with this external id.',
    details: { number: 1, login: 'u4k2m9xbcdfg', label: 'Scraper in Berlin', pool: 'residential' },
  },
  invalid_external_id: {
    status: 422,
    ru: 'Внешний номер — от 1 до 128 видимых знаков ASCII без пробелов, или пусто.',
    en: 'An external id must have 1 to 128 visible ASCII characters without spaces, or be empty.',
  },
  invalid_label: {
    status: 422,
    ru: 'Название — от 1 до 64 знаков в одну строку.',
    en: 'A name must have 1 to 64 characters on one line.',
  },
  invalid_user_limit: {
    status: 422,
    ru: 'Лимит — целое число байт от 0 до 10^15 (1 ПБ), или пусто.',
    en: 'A limit must be a whole number of bytes from 0 to 10^15 (1 PB), or empty.',
  },
  invalid_user_bytes: {
    status: 422,
    ru: 'Объём — целое число байт от 1 до 10^15 (1 ПБ).',
    en: 'An amount must be a whole number of bytes from 1 to 10^15 (1 PB).',
  },
  invalid_metadata: {
    status: 422,
    ru: 'Метаданные — до 20 пар: ключ — до 40 знаков из латинских букв, цифр и _ . : -, значение — текст в одну строку от 1 до 500 знаков.',
    en: 'Metadata has at most 20 pairs: a key of up to 40 letters, digits and _ . : -, and a value of 1 to 500 characters on one line.',
  },
  invalid_user_login: {
    status: 422,
    ru: 'Логин — от 5 до 32 знаков: строчные латинские буквы и цифры, от двух до четырёх частей через точку, например acme.anna.',
    en: 'A login has 5 to 32 characters: lower-case letters and digits in two to four parts joined with dots, such as acme.anna.',
  },
  user_login_taken: {
    status: 409,
    ru: 'Этот логин занят. Выберите другой.',
    en: 'This login is not available. Choose another.',
  },
  invalid_user_password: {
    status: 422,
    ru: 'Пароль — от 12 до 64 знаков: латинские буквы, цифры, точка и ~; среди них не меньше 6 разных, и он не содержит логин.',
    en: 'A password has 12 to 64 letters, digits, dots and ~, at least 6 of them different, and does not contain the login.',
  },
  invalid_login_prefix: {
    status: 422,
    ru: 'Начало логинов — от 3 до 16 строчных латинских букв и цифр.',
    en: 'A login prefix has 3 to 16 lower-case letters and digits.',
  },
  login_prefix_taken: {
    status: 409,
    ru: 'Это начало логинов занято. Выберите другое.',
    en: 'This login prefix is not available. Choose another.',
  },
  invalid_user_choice: {
    status: 422,
    ru: 'Назовите пользователей прокси одним способом: перечислите их или задайте фильтр; одного — ровно одним полем.',
    en: 'Choose proxy users in one way: list them, or give a filter; name a single one by exactly one field.',
  },
  user_unlimited: {
    status: 409,
    ru: 'У этого пользователя прокси нет общего лимита, поэтому добавлять и забирать нечего. Сначала задайте total_bytes.',
    en: 'This proxy user has no limit in all, so there is nothing to add to or take from. Set total_bytes first.',
  },
  user_has_less: {
    status: 409,
    ru: 'Столько забрать нельзя: у пользователя прокси осталось {left} Б, остальное потрачено или занято открытыми соединениями.',
    en: 'That much cannot be taken: this proxy user has {left} B left; the rest was used or is held by open connections.',
  },
  user_is_reserved: {
    status: 409,
    ru: 'У этого пользователя прокси свой трафик: его добавляют вызовом give_proxy_user и забирают вызовом take_proxy_user.',
    en: 'This proxy user has traffic of its own: give_proxy_user adds to it, and take_proxy_user takes from it.',
  },
  reserve_not_covered: {
    status: 409,
    ru: 'Столько свободного трафика сейчас нет: доступно {free} Б. Часть могут держать открытые соединения.',
    en: 'There is not that much free traffic now: {free} B can be reserved. Open connections may be holding some.',
  },
  user_limit_too_large: {
    status: 422,
    ru: 'Вместе с уже выданным получается больше 10^15 байт (1 ПБ).',
    en: 'Together with what it has, that would be more than 10^15 bytes (1 PB).',
  },
  invalid_expires_at: {
    status: 422,
    ru: 'Срок — дата и время вида 2026-12-31T23:59:59Z, или пусто.',
    en: 'The expiry must be a date and time such as 2026-12-31T23:59:59Z, or empty.',
  },
  invalid_client_address: {
    status: 422,
    ru: '«{address}» — не IP-адрес и не сеть. Нужно, например, 203.0.113.7 или 203.0.113.0/24.',
    en: '“{address}” is not an IP address or network. Use one such as 203.0.113.7 or 203.0.113.0/24.',
  },
  user_in_pool: {
    status: 409,
    ru: 'Этим логином в том пуле уже пользуются: номер {number}.',
    en: 'This login is already used in that pool: number {number}.',
    details: { number: 1 },
  },
  country_allowed_and_denied: {
    status: 422,
    ru: 'Эти страны и разрешены, и запрещены: {names}. Оставьте их в одном списке.',
    en: 'These countries are both allowed and denied: {names}. Keep them in one list.',
  },
  user_country_denied: {
    status: 409,
    ru: 'Этому пользователю прокси запрещены: {names}. Измените его страны или выберите другие.',
    en: 'This proxy user may not use: {names}. Change its countries or choose others.',
  },
  user_double_tariff: {
    status: 409,
    ru: 'Этому пользователю прокси запрещён двойной тариф: уберите регионы, города, индексы и включённые ASN.',
    en: 'This proxy user may not use the double tariff: leave out states, cities, zip codes and included ASNs.',
  },
  user_needs_password: {
    status: 422,
    ru: 'Строки без пароля работают только для самого аккаунта. Для пользователя прокси выберите формат с паролем.',
    en: 'Lines without a password work only for the account itself. For a proxy user, choose a format with a password.',
  },
} as const

/** The errors in the description of an exit. */
export const exitFaults = {
  exit_sealed: {
    en: 'Its password is sealed with another SECRET_KEY, or damaged: no gateway uses it. Set the password anew.',
    ru: 'Пароль зашифрован другим SECRET_KEY или повреждён, поэтому шлюзы этот выход не используют. Задайте пароль заново.',
  },
  exit_direct_bare: {
    en: 'A direct exit has no address, login, preset or TLS of its own.',
    ru: 'У прямого выхода нет своего адреса, логина, пресета и TLS.',
  },
  exit_bind_address: {
    en: 'Only a direct exit leaves from an address of this machine.',
    ru: 'С адреса этой машины уходит только прямой выход.',
  },
  exit_country: {
    en: 'There is no country {country}: codes are those of ISO 3166-1, us and de for example.',
    ru: 'Страны {country} нет: коды берутся из ISO 3166-1, например us и de.',
  },
  exit_columns: {
    en: 'The first line names the columns, country among them: {columns}.',
    ru: 'В первой строке стоят названия столбцов, среди них country: {columns}.',
  },
  exit_values: {
    en: 'Line {number} has {values} values under {columns} columns.',
    ru: 'В строке {number} значений {values}, а столбцов {columns}.',
  },
  exit_place: {
    en: 'Line {number}: "{value}" is no {name} as lines spell it.',
    ru: 'Строка {number}: «{value}» — не {name} в том виде, как его пишут в строках.',
  },
  exit_no_country: { en: 'Line {number} names no country.', ru: 'В строке {number} не названа страна.' },
  exit_no_places: { en: 'The file names no place.', ru: 'В файле нет ни одного места.' },
  exit_password_alone: {
    en: 'A password needs a user name beside it.',
    ru: 'К паролю нужно имя пользователя.',
  },
  exit_authority: {
    en: 'An authority is of use with TLS only.',
    ru: 'Свой удостоверяющий центр имеет смысл только с TLS.',
  },
  exit_forward: {
    en: 'Only an HTTP proxy forwards requests; others are given tunnels.',
    ru: 'Запросы пересылает только HTTP-прокси; остальным достаются туннели.',
  },
  exit_warm: {
    en: 'Only connections to a proxy can be kept open ahead of customers.',
    ru: 'Заранее открытыми держат только соединения с прокси.',
  },
  exit_options_alone: {
    en: 'Options are those of a preset; name one.',
    ru: 'Параметры есть только у пресета: выберите его.',
  },
  exit_direct_preset: { en: 'A direct exit has no preset.', ru: 'У прямого выхода не бывает пресета.' },
  exit_preset_unknown: {
    en: 'There is no preset {preset}: see `turnpike exits presets`.',
    ru: 'Пресета {preset} нет: список покажет `turnpike exits presets`.',
  },
  exit_preset_socks5: {
    en: 'How {seller} speaks SOCKS5 is not known: use its HTTP port.',
    ru: 'Как у {seller} устроен SOCKS5, неизвестно: возьмите порт HTTP.',
  },
  exit_preset_password: {
    en: '{seller} takes no user name, only a password.',
    ru: 'У {seller} нет имени пользователя, только пароль.',
  },
  exit_preset_username: {
    en: 'The user name at {seller} is written like {example}, without any setting behind it.',
    ru: 'Имя пользователя у {seller} выглядит как {example}, без настроек после него.',
  },
  exit_option_unknown: {
    en: '{seller} has no option {option}; known here: {known}.',
    ru: 'У {seller} нет параметра {option}; известны: {known}.',
  },
  exit_option_value: {
    en: 'The option {option} of {seller} takes {meaning}.',
    ru: 'Параметр {option} у {seller} — это {meaning}.',
  },
} as const

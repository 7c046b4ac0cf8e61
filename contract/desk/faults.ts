/**
 * What the program says to the operator of a description, a file or the shop that is not in order: the
 * sentence of each code in both languages. `{name}` is replaced by a fact; the terminal reads English, the
 * desk the language of its reader.
 */
import type { Language } from '../language.ts'

export const faults = {
  // Exits
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

  // Files of rates
  rates_currency: {
    en: '“{text}” is no currency of ISO 4217 other than USD; RUB and EUR are.',
    ru: '«{text}» — не валюта из ISO 4217 (доллар здесь не нужен); пишите, например, RUB или EUR.',
  },
  rates_day: {
    en: '“{text}” is no day: write it like 2026-11-23.',
    ru: '«{text}» — не дата: пишите её так: 2026-11-23.',
  },
  rates_future: { en: '{text} has not come yet.', ru: 'день {text} ещё не наступил.' },
  rates_rate: {
    en: '“{text}” is no rate: write it like 92.50, above zero, with at most 7 digits before the point and 6 after it.',
    ru: '«{text}» — не курс: пишите его через точку, как 92.50, больше нуля, не длиннее 7 цифр до точки и 6 после.',
  },
  rates_twice: {
    en: '{currency} has another rate of {day} in line {first}.',
    ru: 'в строке {first} у {currency} за {day} другой курс.',
  },
  rates_many: {
    en: 'The file has more than {most} lines: split it.',
    ru: 'В файле больше {most} строк: разделите его.',
  },

  // Files of places
  import_unread: { en: 'The file cannot be read: {reason}.', ru: 'Файл не прочитать: {reason}.' },
  import_empty: {
    en: 'The file is empty: it needs a header.',
    ru: 'Файл пуст: нужна хотя бы строка заголовков.',
  },
  import_no_rows: {
    en: 'The file has a header and no rows.',
    ru: 'В файле только заголовки, ни одной строки.',
  },
  import_source_name: {
    en: '“{source}” is no name for a source: it has 1 to 32 of a–z, 0–9 and _.',
    ru: '«{source}» не годится для названия источника: от 1 до 32 знаков a–z, 0–9 и _.',
  },
  import_source_taken: {
    en: 'The source {source} is not free: choose another name.',
    ru: 'Название источника {source} занято: выберите другое.',
  },
  import_fields: {
    en: '{fields} fields, but the header has {header}.',
    ru: 'полей {fields}, а столбцов {header}.',
  },
  import_unknown_column: {
    en: 'there is no column “{name}”; the columns are {list}.',
    ru: 'столбца «{name}» не бывает; бывают {list}.',
  },
  import_twice: { en: 'the column {name} stands there twice.', ru: 'столбец {name} указан дважды.' },
  import_missing: {
    en: 'the column {name} is missing; the columns are {list}.',
    ru: 'нет столбца {name}; нужны {list}.',
  },
  import_open_quote: {
    en: 'a field begins with a quote that is never closed.',
    ru: 'поле начинается с кавычки, которая нигде не закрыта.',
  },
  import_inner_quote: {
    en: 'a quote stands inside a field: quote the whole field and double the quotes in it.',
    ru: 'внутри поля стоит кавычка: возьмите всё поле в кавычки, а кавычки в нём удвойте.',
  },
  import_csv: { en: '{reason}.', ru: 'это не CSV ({reason}).' },
  import_pool: { en: '“{text}” is none of {list}.', ru: 'пула «{text}» нет; есть {list}.' },
  import_exit_pool: {
    en: 'the exit {exit} is one of {own}, not {pool}.',
    ru: 'выход {exit} — из пула {own}, а не {pool}.',
  },
  import_country: {
    en: '“{text}” is no country code of ISO 3166-1, such as us.',
    ru: '«{text}» — не код страны из ISO 3166-1 (например, us).',
  },
  import_count: {
    en: '“{text}” is not a number of addresses, 1 to {most}.',
    ru: '«{text}» — не количество адресов от 1 до {most}.',
  },
  import_unnumbered: {
    en: '“{text}” has no number in the column asn.',
    ru: 'у «{text}» нет номера в столбце asn.',
  },
  import_asn: {
    en: '“{text}” is not an AS number, 1 to {most}.',
    ru: '«{text}» — не номер AS от 1 до {most}.',
  },
  import_zip: {
    en: '“{text}” is no zip code: 1 to 16 letters and digits.',
    ru: '«{text}» — не индекс: нужно от 1 до 16 букв и цифр.',
  },
  import_encoding: { en: '“{text}” is not in UTF-8.', ru: '«{text}» — не в кодировке UTF-8.' },
  import_control: {
    en: 'a name has no control characters or line ends.',
    ru: 'в названии не бывает управляющих знаков и переносов строки.',
  },
  import_name_long: {
    en: 'a name has at most {most} letters.',
    ru: 'в названии не больше {most} букв.',
  },
  import_not_in: { en: '“{text}” is not in “{parent}”.', ru: '«{text}» не относится к «{parent}».' },
  import_not_in_country: {
    en: '“{text}” is not in the country “{parent}”.',
    ru: '«{text}» — не из страны «{parent}».',
  },
  import_not_latin: {
    en: '“{text}” has no Latin letters to make an id of: write it in English.',
    ru: 'в «{text}» нет латинских букв, из которых складывается код: напишите по-английски.',
  },
  import_state_long: {
    en: '“{text}” is too long: {most} letters at most.',
    ru: '«{text}» слишком длинно: не больше {most} букв.',
  },
  import_city_long: {
    en: '“{text}” is too long: its id would be “{id}”.',
    ru: '«{text}» слишком длинно: получился бы код «{id}».',
  },
  import_id: {
    en: '“{text}” is no id of a state or a city, such as us_ca or us_ca_fresno.',
    ru: '«{text}» — не код штата или города (например, us_ca или us_ca_fresno).',
  },
  import_id_twice: { en: '“{text}” stands there twice.', ru: '«{text}» указан дважды.' },
  import_name_missing: { en: 'the name is missing.', ru: 'нет названия.' },

  // What `turnpike doctor` finds of the shop
  prices_none: {
    en: 'No pool has a price, so nothing is sold: turnpike prices set residential 3.50',
    ru: 'Ни у одного пула нет цены, поэтому ничего не продаётся. Задайте цены на странице «Цены».',
  },
  prices_good: { en: 'On sale: {pools}.', ru: 'В продаже: {pools}.' },
  exits_good: { en: 'Every pool on sale has one.', ru: 'Выход есть у каждого пула, который продаётся.' },
  exits_none: {
    en: '{pool} is sold and has no exit: its customers get 503. See: turnpike exits add --help',
    ru: 'Пул {pool} продаётся, а выхода у него нет: клиенты получают 503. Добавьте его на странице «Выходы».',
  },
  stock_good: {
    en: 'What was bought from sellers covers what was sold, and lasts for three days.',
    ru: 'Купленного у продавцов хватает на проданное и ещё на три дня.',
  },
  stock_low: {
    en: 'What is left lasts less than three days at {names}. Buy more, or shift weights: turnpike sellers list',
    ru: 'Остатка меньше чем на три дня: {names}. Докупите трафик или перераспределите веса выходов.',
  },
  stock_short: {
    en: 'Customers hold more than is left at {names}: buy more before they use it.',
    ru: 'У клиентов на руках больше, чем осталось: {names}. Докупите, пока они это не израсходовали.',
  },
  below_cost: {
    en: 'Sold below what the dearest exit costs: {names}. See the desk’s page of prices.',
    ru: 'Продаётся дешевле самого дорогого выхода: {names}. Посмотрите страницу «Цены».',
  },
  payments_none: {
    en: 'No payment method is set up, so nothing can be bought: see the operator’s guide.',
    ru: 'Ни один способ оплаты не настроен, поэтому ничего не купить. Как это сделать — в руководстве оператора.',
  },
  payments_good: { en: 'Set up: {methods}.', ru: 'Настроены: {methods}.' },
  payments_no_rate: {
    en: '{method} is not offered: there is no rate. Set it: turnpike rates set {currency} …',
    ru: 'Способ {method} не предлагается: нет курса. Задайте его: turnpike rates set {currency} …',
  },
  payments_closed_rate: {
    en: '{method} is closed: the rate of {currency} is {days} days old. Set it: turnpike rates set {currency} …',
    ru: 'Способ {method} закрыт: курсу {currency} уже {days} дн. Задайте новый: turnpike rates set {currency} …',
  },
  payments_old_rate: {
    en: 'The rate of {currency} for {method} is {days} days old: turnpike rates set {currency} …',
    ru: 'Курсу {currency} для {method} уже {days} дн.: turnpike rates set {currency} …',
  },
  receipts_off: {
    en: 'YooKassa collects roubles, and the shop registers no receipts (RECEIPTS=none). A company or a sole trader owes one for each payment; leave it if a till or an accountant does it already.',
    ru: 'ЮKassa принимает рубли, а чеки магазин не оформляет (RECEIPTS=none). Компании и ИП чек нужен на каждый платёж. Если их пробивает ваша касса или бухгалтер, оставьте как есть.',
  },
  receipts_good: { en: 'Registered: {registrar}.', ru: 'Оформляет: {registrar}.' },
  receipts_test: {
    en: 'The key of YooKassa is that of a test shop, which may take payments without a receipt: with the real key, make a test purchase first.',
    ru: 'Ключ ЮKassa — от тестового магазина, он может принимать платежи и без чека. С рабочим ключом сначала сделайте проверочную покупку.',
  },
  inventory_good: { en: 'Nothing in it is made up.', ru: 'Выдуманных мест нет.' },
  inventory_demo: {
    en: 'It is the made-up one of the demo.',
    ru: 'Это выдуманные места демо.',
  },
  inventory_made_up: {
    en: 'Customers are shown the made-up addresses of the demo, and their lines are judged by them. Import yours, then: turnpike inventory remove demo',
    ru: 'Клиентам показаны выдуманные адреса демо, и строки проверяются по ним. Загрузите свои на странице «Места», затем уберите источник demo.',
  },
  seller_good: { en: 'Documents name the seller.', ru: 'Продавец в документах указан.' },
  seller_demo: {
    en: 'Not set: documents of a demo are specimens.',
    ru: 'Не указан: документы демо — образцы.',
  },
  seller_none: {
    en: 'It is not said who sells, so no invoices and credit notes are made; {count} wait. Enter the seller in the desk, under Shop.',
    ru: 'Не указано, кто продаёт, поэтому счета и кредит-ноты не выпускаются; ждут: {count}. Укажите продавца на странице «Витрина».',
  },
  legal_good: {
    en: 'The legal pages are written in both languages, and there are contacts.',
    ru: 'Юридические страницы написаны на обоих языках, контакты указаны.',
  },
  legal_demo: { en: 'A demo shows drafts.', ru: 'В демо показаны черновики.' },
  legal_draft: {
    en: 'Visitors see a draft of: {pages}. A processor’s reviewer reads these pages. Publish your texts in the desk, under Shop, Legal pages.',
    ru: 'Посетители видят черновики: {pages}. Эти страницы читает тот, кто проверяет магазин в платёжной системе. Опубликуйте свои тексты: «Витрина», «Документы».',
  },
  legal_language: {
    en: 'Written in one language only: {pages}. Add the other one in the desk, under Shop, Legal pages.',
    ru: 'Написано только на одном языке: {pages}. Добавьте второй: «Витрина», «Документы».',
  },
  legal_without: {
    en: 'The shop does without: {pages}. A processor’s reviewer asks for them.',
    ru: 'Магазин обходится без страниц: {pages}. При проверке платёжная система их спросит.',
  },
  legal_support: {
    en: 'There is no link to support: set it in the desk, under Shop, Contacts. Drafts and refunds refer to it.',
    ru: 'Нет ссылки на поддержку: укажите её: «Витрина», «Контакты». На неё ссылаются документы и возвраты.',
  },
  legal_abuse: {
    en: 'Nobody can find out where to report abuse: publish that page, or give the seller’s contacts, in the desk, under Shop.',
    ru: 'Негде узнать, куда жаловаться на нарушения: опубликуйте эту страницу или укажите контакты продавца на странице «Витрина».',
  },
  alerts_good: { en: 'Staff are told.', ru: 'Уведомления есть кому получать.' },
  alerts_demo: { en: 'Nobody is told of a demo.', ru: 'О демо никого не уведомляют.' },
  alerts_nobody: {
    en: 'Nobody is told when something needs attention: link a group in the desk, under Settings, or enter an address under your own name.',
    ru: 'О том, что требует внимания, никто не узнает. Привяжите группу в настройках или укажите почту на странице со своим именем.',
  },
  backup_none: {
    en: 'None was ever made: turnpike backup <file>',
    ru: 'Копии не было ни разу: turnpike backup <файл>',
  },
  backup_good: { en: 'The last one was made on {day}.', ru: 'Последняя копия — от {day}.' },
  backup_old: {
    en: 'The last one was made on {day}, {days} days ago: turnpike backup <file>',
    ru: 'Последняя копия — от {day}, ей {days} дн.: turnpike backup <файл>',
  },
} as const satisfies Record<string, Record<Language, string>>

/** The checks of `turnpike doctor` on the shop. */
export const shopChecks = [
  'prices',
  'exits',
  'payments',
  'receipts',
  'inventory',
  'seller',
  'legal',
  'stock',
  'alerts',
  'backup',
] as const
export type ShopCheckName = (typeof shopChecks)[number]

export type FaultCode = keyof typeof faults

/** A fact that reads differently in the two languages. */
type InBoth = Readonly<Record<Language, string>>
export type FaultFacts = Readonly<Record<string, string | number | InBoth>>

/** What is said: a code with its facts. */
export interface Said {
  code: FaultCode
  /** `line` and `column`, where there are any, are named before the sentence. */
  facts: FaultFacts
}

const prefixes = {
  column: { en: 'Line {line}, column {column}: ', ru: 'Строка {line}, столбец {column}: ' },
  line: { en: 'Line {line}: ', ru: 'Строка {line}: ' },
} as const

/** A sentence in a language. */
export function sentenceOf({ code, facts }: Said, language: Language): string {
  const place = 'column' in facts ? prefixes.column : 'line' in facts ? prefixes.line : null
  const text = (place?.[language] ?? '') + faults[code][language]
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const fact = facts[name]
    return fact === undefined ? whole : String(typeof fact === 'object' ? fact[language] : fact)
  })
}

/** The errors in a file of places. */
export const importFaults = {
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
} as const

/** The refusals of changes of variables, which connect processors, the mail server and the bot. */
export const variableRefusals = {
  variables_pinned: {
    status: 409,
    ru: 'Эти настройки задаёт файл или окружение сервера ({variables}): здесь их не изменить.',
    en: 'The environment or the settings file of the server sets these settings ({variables}): they cannot be changed here.',
  },
  unknown_variable: {
    status: 422,
    ru: 'В этой группе нет настройки {variable}.',
    en: 'This group has no setting {variable}.',
  },
  secrets_needed: {
    status: 422,
    ru: 'Адрес сервера меняется: введите заново и ключи ({variables}), они будут отправляться по новому адресу.',
    en: 'The address of the server changes: enter the keys again as well ({variables}), since they are sent to the new address.',
  },
  variable_missing: {
    status: 422,
    ru: 'Не задано: {variable}. Нужны вместе: {needs}.',
    en: '{variable} is missing. Needed together: {needs}.',
  },
  variable_malformed: {
    status: 422,
    ru: '{variable}: значение не похоже на то, каким оно должно быть ({example}). Скопируйте его ещё раз.',
    en: '{variable} does not look like what it must be ({example}). Copy it again.',
  },
  variable_private: {
    status: 422,
    ru: '{variable} ведёт во внутреннюю сеть или на сам сервер. Такой адрес можно задать только в файле настроек сервера.',
    en: '{variable} leads to a private network or to the server itself. Only the settings file of the server can set such an address.',
  },
  variable_unresolved: {
    status: 422,
    ru: '{variable}: имя {host} не находится. Проверьте адрес.',
    en: '{variable}: the name {host} cannot be resolved. Check the address.',
  },
  connection_in_use: {
    status: 409,
    ru: 'С нынешними ключами ещё не всё завершено: счетов — {invoices}, возвратов — {refunds}, споров — {disputes}, сохранённых карт — {saved_methods}. Если новые ключи от другого аккаунта, это останется без присмотра. Подтвердите, что согласны.',
    en: 'With the present keys there are still open: invoices {invoices}, refunds {refunds}, disputes {disputes}, saved cards {saved_methods}. If the new keys are of another account, they are left there. Confirm that you accept this.',
  },
  invalid_variable: {
    status: 422,
    ru: 'Настройка не подходит: {fault}',
    en: 'The setting does not fit: {fault}',
  },
} as const

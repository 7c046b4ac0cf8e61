/** The refusals of the operator's desk. */
export const deskRefusals = {
  /** Of a customer's sign-in, when staff want the reason to be told. */
  account_blocked_because: {
    status: 403,
    ru: 'Аккаунт заблокирован: {reason}',
    en: 'This account is blocked: {reason}',
  },
  not_allowed_here: {
    status: 403,
    ru: 'С этого адреса стол оператора недоступен (DESK_ALLOW).',
    en: 'The desk cannot be reached from this address (DESK_ALLOW).',
  },
  wrong_origin: {
    status: 403,
    ru: 'Запрос пришёл не со страниц стола оператора. Откройте его по адресу {url}.',
    en: 'The request did not come from a page of the desk. Open it at {url}.',
  },
  no_permission: {
    status: 403,
    ru: 'Вашей роли ({role}) этого нельзя.',
    en: 'Your role ({role}) does not allow this.',
  },
  second_factor_missing: {
    status: 403,
    ru: 'Сначала подтвердите вход вторым фактором.',
    en: 'Confirm your sign-in with the second factor first.',
  },
  step_up_needed: {
    status: 403,
    ru: 'Для этого нужно ещё раз подтвердить второй фактор.',
    en: 'This needs your second factor once more.',
  },
  wrong_factor: {
    status: 403,
    ru: 'Код или ключ не подошёл. Использованный код второй раз не принимается: дождитесь следующего.',
    en: 'The code or key was not accepted. A code works once: wait for the next one.',
  },
  link_invalid: {
    status: 403,
    ru: 'Ссылка использована, заменена новой или истекла. Попросите новую.',
    en: 'The link was used, replaced or has expired. Ask for a new one.',
  },
  invalid_staff_name: {
    status: 422,
    ru: 'Имя — от 2 до 64 букв, цифр, точек, дефисов и подчёркиваний.',
    en: 'A name is 2 to 64 letters, digits, dots, dashes and underscores.',
  },
  staff_name_taken: {
    status: 409,
    ru: 'Сотрудник с таким именем уже есть.',
    en: 'There is a member of staff with this name already.',
  },
  staff_not_found: { status: 404, ru: 'Такого сотрудника нет.', en: 'There is no such member of staff.' },
  invalid_refund_amount: {
    status: 422,
    ru: 'Вернуть можно от 0,01 до {most} USD, с точностью до цента.',
    en: 'A refund is from 0.01 to {most} USD, in whole cents.',
  },
  customer_not_found: { status: 404, ru: 'Такого клиента нет.', en: 'There is no such customer.' },
  note_not_found: { status: 404, ru: 'Такой заметки нет.', en: 'There is no such note.' },
  exit_not_found: { status: 404, ru: 'Такого выхода нет.', en: 'There is no such exit.' },
  gateway_not_found: {
    status: 404,
    ru: 'Шлюз «{name}» о себе не сообщал. Шлюзу прежней версии по имени команду не дать.',
    en: 'No gateway has told of itself as “{name}”. Those of an earlier release cannot be drained by name.',
  },
  connection_not_found: {
    status: 404,
    ru: 'Записи об этом соединении нет: она не сохранилась, или срок её хранения истёк.',
    en: 'There is no record of this connection: it is no longer kept, or was lost.',
  },
  reason_needed: {
    status: 422,
    ru: 'Искать по адресу назначения можно, только указав причину: она попадёт в журнал.',
    en: 'A search by target needs a reason, which is recorded in the audit trail.',
  },
  payment_event_not_found: {
    status: 404,
    ru: 'Такого уведомления нет.',
    en: 'There is no such notification.',
  },
  act_key_reused: {
    status: 409,
    ru: 'Этот ключ уже использован для другого действия.',
    en: 'This key was used for another act already.',
  },
  daily_limit: {
    status: 409,
    ru: 'Ваш дневной предел — {limit}; сегодня осталось {left}.',
    en: 'Your limit a day is {limit}; {left} are left today.',
  },
  prices_changed: {
    status: 409,
    ru: 'Цены успел изменить кто-то другой. Посмотрите на них ещё раз.',
    en: 'Somebody else has changed the prices meanwhile. Look at them again.',
  },
  promo_code_taken: {
    status: 409,
    ru: 'Промокод «{code}» уже есть.',
    en: 'There is a promo code “{code}” already.',
  },
  invalid_promo_code: {
    status: 422,
    ru: 'Промокод — от 2 до 64 букв, цифр, дефисов и подчёркиваний.',
    en: 'A promo code is 2 to 64 letters, digits, dashes and underscores.',
  },
  promo_code_not_found: { status: 404, ru: 'Такого промокода нет.', en: 'There is no such promo code.' },
  invalid_banner: { status: 422, ru: 'Баннер не принят: {fault}', en: 'The banner was refused: {fault}' },
  last_factor: {
    status: 409,
    ru: 'Это последний второй фактор: сначала добавьте другой.',
    en: 'This is the last second factor: add another one first.',
  },
  passkey_not_found: { status: 404, ru: 'Такого ключа нет.', en: 'There is no such passkey.' },
  last_owner: {
    status: 409,
    ru: 'Это последний владелец: сначала сделайте владельцем кого-то ещё.',
    en: 'This is the last owner: make somebody else an owner first.',
  },
}

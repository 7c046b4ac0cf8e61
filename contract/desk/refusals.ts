/** The refusals of the operator's desk. */
import { contentRefusals } from './content/refusals.ts'
import { variableRefusals } from './settings/refusals.ts'
import { personalDataRefusals } from './personal-data/refusals.ts'
import { sellerRefusals } from './sellers/refusals.ts'

export const deskRefusals = {
  ...contentRefusals,
  ...personalDataRefusals,
  ...sellerRefusals,
  /** Refuses a blocked customer's sign-in, if staff want the customer to know the reason. */
  account_blocked_because: {
    status: 403,
    ru: 'Аккаунт заблокирован: {reason}',
    en: 'This account is blocked: {reason}',
  },
  /** The same refusal for a block that ends by itself. */
  account_blocked_until: {
    status: 403,
    ru: 'Аккаунт заблокирован до {until}: {reason}',
    en: 'This account is blocked until {until}: {reason}',
  },
  ...variableRefusals,
  incident_not_found: {
    status: 404,
    ru: 'Такого инцидента или такой записи в нём нет.',
    en: 'There is no such incident, or it has no such update.',
  },
  receipt_not_found: {
    status: 404,
    ru: 'Такого чека нет.',
    en: 'There is no such receipt.',
  },
  receipt_not_open: {
    status: 409,
    ru: 'Этот чек зарегистрировать вручную нельзя: он уже зарегистрирован платёжной системой, или регистрировать нечего.',
    en: 'This receipt cannot be registered by hand: the payment processor has already registered it, or there is nothing to register.',
  },
  invalid_rate: {
    status: 422,
    ru: 'Курс должен быть больше нуля, до 7 цифр до точки и до 6 после, например 92.50.',
    en: 'A rate must be above zero, with at most 7 digits before the point and 6 after it, for example 92.50.',
  },
  rate_of_the_future: {
    status: 422,
    ru: 'День {day} ещё не наступил.',
    en: 'The day {day} is in the future.',
  },
  rates_file_faulty: {
    status: 422,
    ru: 'В файле есть ошибки ({count}), ничего не загружено. Первая: {fault}',
    en: 'The file has errors ({count}), and nothing was imported. The first one: {fault}',
  },
  same_quiet_hours: {
    status: 422,
    ru: 'Тихие часы не могут заканчиваться тогда же, когда начинаются.',
    en: 'Quiet hours cannot begin and end at the same time.',
  },
  no_bot: {
    status: 409,
    ru: 'У магазина нет бота: задайте TELEGRAM_BOT_TOKEN.',
    en: 'The shop has no bot: set TELEGRAM_BOT_TOKEN.',
  },
  no_email: {
    status: 409,
    ru: 'В аккаунте нет почты: письмо отправить некуда.',
    en: 'The account has no e-mail address, so nothing can be sent.',
  },
  email_confirmed_already: {
    status: 409,
    ru: 'Почта уже подтверждена.',
    en: 'The e-mail address is already confirmed.',
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
  report_not_divided: {
    status: 422,
    ru: 'Отчёт «{report}» не делится по «{by}». Выберите одно из: {divisions}.',
    en: 'The report “{report}” cannot be divided by “{by}”. Choose one of: {divisions}.',
  },
  step_up_needed: {
    status: 403,
    ru: 'Для этого нужно ещё раз подтвердить второй фактор.',
    en: 'Confirm this with your second factor again.',
  },
  wrong_factor: {
    status: 403,
    ru: 'Код или ключ не подошёл. Использованный код второй раз не принимается: дождитесь следующего.',
    en: 'The code or key was not accepted. A code works only once: wait for the next one.',
  },
  view_read_only: {
    status: 403,
    ru: 'Вы смотрите аккаунт клиента как сотрудник: изменить здесь ничего нельзя.',
    en: 'You are viewing a customer’s account as staff: nothing can be changed here.',
  },
  view_ended: {
    status: 401,
    ru: 'Просмотр закончился. Откройте аккаунт клиента ещё раз со стола оператора.',
    en: 'The view has ended. Open the customer’s account from the desk again.',
  },
  view_wrong_origin: {
    status: 403,
    ru: 'Просмотр аккаунта открывают только со страниц магазина: {url}.',
    en: 'A customer’s account can only be opened from the shop’s pages: {url}.',
  },
  view_link_invalid: {
    status: 403,
    ru: 'Ссылка для просмотра уже использована или истекла. Откройте аккаунт клиента ещё раз со стола оператора.',
    en: 'This link has already been used or has expired. Open the customer’s account from the desk again.',
  },
  link_invalid: {
    status: 403,
    ru: 'Ссылка использована, заменена новой или истекла. Попросите новую.',
    en: 'This link has been used or replaced, or has expired. Ask for a new one.',
  },
  invalid_staff_name: {
    status: 422,
    ru: 'Имя — от 2 до 64 букв, цифр, точек, дефисов и подчёркиваний.',
    en: 'A name must be 2 to 64 letters, digits, dots, dashes or underscores.',
  },
  staff_name_taken: {
    status: 409,
    ru: 'Сотрудник с таким именем уже есть.',
    en: 'There is already a member of staff with this name.',
  },
  code_sent_already: {
    status: 429,
    ru: 'Код уже отправлен. Новый можно получить через {seconds} с.',
    en: 'A code has already been sent. You can get another one in {seconds} s.',
  },
  wrong_code: {
    status: 422,
    ru: 'Код не подходит или устарел. Попросите новый.',
    en: 'The code is wrong or no longer valid. Ask for a new one.',
  },
  unknown_method: {
    status: 404,
    ru: 'Такого способа оплаты в магазине нет.',
    en: 'The shop has no such payment method.',
  },
  fees_reported: {
    status: 409,
    ru: 'Этот способ оплаты сам сообщает свои комиссии.',
    en: 'This payment method reports its fees itself.',
  },
  staff_not_found: { status: 404, ru: 'Такого сотрудника нет.', en: 'There is no such member of staff.' },
  return_not_found: {
    status: 404,
    ru: 'У этого счёта нет возврата с таким номером, о сумме которого надо сказать.',
    en: 'This invoice has no refund with this id whose amount has to be said.',
  },
  return_unclear: {
    status: 409,
    ru: 'Платёжная система уже вернула по этому счёту деньги в другой валюте. Сначала скажите на странице счёта, сколько это по счёту.',
    en: 'The processor has already returned money of this invoice in another currency. First say on the page of the invoice how much of it this is.',
  },
  invalid_refund_amount: {
    status: 422,
    ru: 'Вернуть можно от 0,01 до {most} USD, с точностью до цента.',
    en: 'A refund must be from 0.01 to {most} USD, in whole cents.',
  },
  payout_changed: {
    status: 409,
    ru: 'Выплата тем временем изменилась. Посмотрите на неё ещё раз.',
    en: 'The payout has changed in the meantime. Look at it again.',
  },
  balance_left: {
    status: 409,
    ru: 'На балансе что-то осталось. Верните это клиенту или отметьте, что остаток списывается.',
    en: 'The customer still has a balance. Give it back, or tick the box to write it off.',
  },
  reason_names_person: {
    status: 422,
    ru: 'В причине есть имя, почта или логин клиента, а она останется в журнале. Опишите причину без них.',
    en: 'The reason contains the customer’s name, e-mail address or login, and it stays in the audit trail. Describe it without them.',
  },
  customer_not_found: { status: 404, ru: 'Такого клиента нет.', en: 'There is no such customer.' },
  note_not_found: { status: 404, ru: 'Такой заметки нет.', en: 'There is no such note.' },
  exit_not_found: { status: 404, ru: 'Такого выхода нет.', en: 'There is no such exit.' },
  exit_name_taken: {
    status: 409,
    ru: 'В этом пуле уже есть выход с таким именем.',
    en: 'This pool already has an exit with this name.',
  },
  exit_invalid: {
    status: 422,
    ru: 'С такими настройками выход работать не сможет: {fault}',
    en: 'An exit cannot work with these settings: {fault}',
  },
  gateway_not_found: {
    status: 404,
    ru: 'Шлюз «{name}» о себе не сообщал.',
    en: 'No gateway has reported itself as “{name}”.',
  },
  connection_not_found: {
    status: 404,
    ru: 'Записи об этом соединении нет: она не сохранилась, или срок её хранения истёк.',
    en: 'There is no record of this connection: it was lost or is no longer kept.',
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
  too_many_views: {
    status: 409,
    ru: 'Сохранить можно не больше {limit} видов: уберите лишние.',
    en: 'You can save at most {limit} views. Remove some first.',
  },
  view_not_found: { status: 404, ru: 'Такого вида нет.', en: 'There is no such view.' },
  daily_letter_limit: {
    status: 409,
    ru: 'Ваш предел — {limit} писем в день.',
    en: 'Your limit is {limit} e-mails a day.',
  },
  invoice_not_disputed: {
    status: 409,
    ru: 'Платёж по этому счёту никто не оспаривал: доказательства не нужны.',
    en: 'The payment for this invoice has not been disputed, so no evidence is needed.',
  },
  nothing_to_ask: {
    status: 409,
    ru: 'Об этом счёте некого спросить: у платёжной системы его нет.',
    en: 'No payment processor has this invoice, so there is no one to ask about it.',
  },
  entry_not_found: {
    status: 404,
    ru: 'Такой записи в журнале нет.',
    en: 'The audit trail has no such entry.',
  },
  act_not_undoable: {
    status: 409,
    ru: 'Это действие отменить нельзя.',
    en: 'This act cannot be undone.',
  },
  act_overtaken: {
    status: 409,
    ru: 'После этого действия то же самое изменили ещё раз ({by}): отмена стёрла бы и это изменение.',
    en: 'The same was changed again after this act ({by}): undoing it would also discard that change.',
  },
  act_key_reused: {
    status: 409,
    ru: 'Этот запрос уже выполнен с другими значениями. Проверьте, что получилось, и откройте форму заново.',
    en: 'This request was already carried out with other values. Check the result, then open the form again.',
  },
  daily_limit: {
    status: 409,
    ru: 'Ваш дневной предел — {limit}; сегодня осталось {left}.',
    en: 'Your daily limit is {limit}; {left} left today.',
  },
  prices_changed: {
    status: 409,
    ru: 'Цены успел изменить другой сотрудник. Посмотрите на них ещё раз.',
    en: 'Another member of staff has changed the prices in the meantime. Look at them again.',
  },
  price_list_not_found: { status: 404, ru: 'Такого прайс-листа нет.', en: 'There is no such price list.' },
  price_list_changed: {
    status: 409,
    ru: 'Прайс-лист успел изменить другой сотрудник. Посмотрите на него ещё раз.',
    en: 'Another member of staff has changed the price list in the meantime. Look at it again.',
  },
  price_list_taken: {
    status: 409,
    ru: 'Прайс-лист «{name}» уже есть.',
    en: 'The price list “{name}” already exists.',
  },
  price_list_in_use: {
    status: 409,
    ru: 'По этому прайс-листу покупают, клиентов: {count}. Сначала назначьте им другие цены.',
    en: 'Customers who have this price list: {count}. Give them other prices first.',
  },
  promo_code_taken: {
    status: 409,
    ru: 'Промокод «{code}» уже есть.',
    en: 'The promo code “{code}” already exists.',
  },
  promo_uses_taken: {
    status: 409,
    ru: 'Промокод уже применён или занят открытыми счетами столько раз: {taken}. Меньше сделать нельзя.',
    en: 'Uses of the promo code so far, including those held by open invoices: {taken}. The limit cannot be lower.',
  },
  promo_limits_of_discounts: {
    status: 422,
    ru: 'Это промокод на трафик: у него нет ограничений по первой покупке и пулам.',
    en: 'This is a traffic code: it cannot be limited to first purchases or pools.',
  },
  invalid_promo_code: {
    status: 422,
    ru: 'Промокод — от 2 до 64 букв, цифр, дефисов и подчёркиваний.',
    en: 'A promo code must be 2 to 64 letters, digits, dashes or underscores.',
  },
  promo_code_not_found: { status: 404, ru: 'Такого промокода нет.', en: 'There is no such promo code.' },
  promo_batch_not_found: {
    status: 404,
    ru: 'Среди действующих нет промокодов с таким названием набора.',
    en: 'No promo code of a batch with this name is active.',
  },
  invalid_places: { status: 422, ru: 'Файл не принят: {fault}', en: 'The file was refused: {fault}' },
  places_not_found: {
    status: 404,
    ru: 'Такого источника мест нет.',
    en: 'There is no such source of places.',
  },
  places_file_not_found: {
    status: 404,
    ru: 'Этого файла уже нет: хранятся три последних, если они не слишком велики.',
    en: 'This file is no longer stored: only the last three are, unless they are too large.',
  },
  logo_kind: {
    status: 422,
    ru: 'Это не SVG, не PNG и не WebP: о картинке судят по её содержимому, а не по имени файла.',
    en: 'This is not an SVG, PNG or WebP: the contents of the file count, not its name.',
  },
  logo_bytes: {
    status: 422,
    ru: 'Картинка больше {most} КиБ. Сожмите её.',
    en: 'The picture is larger than {most} KiB. Compress it.',
  },
  logo_pixels: {
    status: 422,
    ru: 'Картинка {width}×{height}, а можно до {most} точек по каждой стороне.',
    en: 'The picture is {width}×{height}; at most {most} pixels per side are allowed.',
  },
  logo_ratio: {
    status: 422,
    ru: 'Картинка {width}×{height} слишком вытянута: одна сторона может быть длиннее другой до {most} раз.',
    en: 'The picture is {width}×{height}: one side may be at most {most} times as long as the other.',
  },
  logo_broken: {
    status: 422,
    ru: 'Файл повреждён, анимирован или слишком сложен. Сохраните его заново как PNG.',
    en: 'The file is damaged, animated or too complex. Save it again as a PNG.',
  },
  document_numbers_given: {
    status: 409,
    ru: 'Эти номера выданы здесь самим магазином; последний — {last}.',
    en: 'The shop itself has already issued these numbers; the last one is {last}.',
  },
  setting_pinned: {
    status: 409,
    ru: 'Эту настройку задаёт переменная окружения {variable}. Чтобы менять её здесь, уберите переменную и перезапустите.',
    en: 'This is set by the environment variable {variable}. To change it here, remove the variable and restart.',
  },
  invalid_setting: {
    status: 422,
    ru: 'Значение должно быть от {least} до {most}.',
    en: 'The value must be from {least} to {most}.',
  },
  last_factor: {
    status: 409,
    ru: 'Это последний второй фактор: сначала добавьте другой.',
    en: 'This is the last second factor: add another one first.',
  },
  passkey_not_found: { status: 404, ru: 'Такого ключа нет.', en: 'There is no such passkey.' },
  last_owner: {
    status: 409,
    ru: 'Это последний владелец: сначала сделайте владельцем другого сотрудника.',
    en: 'This is the last owner: make another member of staff an owner first.',
  },
}

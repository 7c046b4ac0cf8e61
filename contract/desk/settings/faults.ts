/** The results of a test of a connection. */
export const connectionFaults = {
  connection_works: {
    en: '{name} answers and accepts the key.',
    ru: '{name} отвечает и принимает ключ.',
  },
  connection_none: {
    en: 'Nothing is connected here, so there is nothing to test.',
    ru: 'Здесь ничего не подключено, проверять нечего.',
  },
  connection_denied: {
    en: '{name} rejects the key ({status}): it is wrong, was revoked, or lacks a permission.',
    ru: '{name} не принимает ключ ({status}): он неверен, отозван или у него не хватает прав.',
  },
  connection_refused: {
    en: '{name} answers with the error {status}. Check the address and the number of the shop or store.',
    ru: '{name} отвечает ошибкой {status}. Проверьте адрес и номер магазина.',
  },
  connection_silent: {
    en: '{name} does not answer, or answers with something else than expected. Check the address, and whether this server may connect to it.',
    ru: '{name} не отвечает или отвечает не тем, чего ждёт магазин. Проверьте адрес и пускает ли туда сеть сервера.',
  },
  connection_late: {
    en: '{name} did not answer within {seconds} seconds.',
    ru: '{name} не отвечает дольше {seconds} с.',
  },
  mail_taken: {
    en: '{host} has accepted the letter to {to}. See whether it arrives, also among spam.',
    ru: '{host} принял письмо для {to}. Проверьте, дошло ли оно, и загляните в «Спам».',
  },
  mail_refused: {
    en: '{host} does not take the letter: {words}',
    ru: '{host} не принимает письмо: {words}',
  },
  bot_works: {
    en: 'Telegram accepts the token: the bot is @{bot}.',
    ru: 'Telegram принимает токен: это бот @{bot}.',
  },
  bot_unnamed: {
    en: 'Telegram accepts the token: the bot is @{bot}. Enter this name as well, or pages have no link to the bot.',
    ru: 'Telegram принимает токен: это бот @{bot}. Впишите и это имя, иначе на страницах не будет ссылок на бота.',
  },
  bot_other: {
    en: 'The token is that of @{bot}, but the name entered is @{name}: the bot does not run.',
    ru: 'Токен — от бота @{bot}, а имя указано @{name}: бот не работает.',
  },
  bot_denied: {
    en: 'Telegram rejects the token: it is wrong or was revoked.',
    ru: 'Telegram не принимает токен: он неверен или отозван.',
  },
} as const

/** The findings of `turnpike doctor` about the shop. */
export const checkFaults = {
  brand_default: {
    en: 'The shop has the name of the program. Set its own in the desk, under Shop.',
    ru: 'Магазин называется так же, как программа. Задайте своё имя на странице «Витрина».',
  },
  brand_good: { en: 'The shop is called {name}.', ru: 'Магазин называется {name}.' },
  prices_none: {
    en: 'No pool has a price, so nothing is sold. Set prices in the desk, under Prices, or: turnpike prices set residential 3.50',
    ru: 'Ни у одного пула нет цены, поэтому ничего не продаётся. Задайте цены на странице «Цены».',
  },
  prices_good: { en: 'On sale: {pools}.', ru: 'В продаже: {pools}.' },
  prices_some: {
    en: 'On sale: {pools}. Without a price, and so on no page: {unsold}.',
    ru: 'В продаже: {pools}. Без цены, поэтому их нет ни на одной странице: {unsold}.',
  },
  prices_idle_exits: {
    en: '{unsold} has an exit and no price: nobody can buy it, and no page shows it. Set one in the desk, under Prices, or: turnpike prices set --help',
    ru: 'У пула {unsold} есть выход, но нет цены: его нельзя купить и нет ни на одной странице. Задайте цену на странице «Цены».',
  },
  exits_tested: {
    en: '{pool}: a test got an answer through {exit} on {day}.',
    ru: '{pool}: проверка выхода {exit} прошла {day}.',
  },
  exits_untested: {
    en: '{pool} has an exit, and no test has got an answer through one yet. Test it in the desk, under Exits, or: turnpike exits test {exit}',
    ru: 'У пула {pool} есть выход, но ни одна проверка через него ещё не прошла. Проверьте выход {exit} на странице «Выходы».',
  },
  exits_absent: {
    en: 'There is no exit yet: traffic has no way out.',
    ru: 'Выходов пока нет: трафику некуда идти.',
  },
  exits_none: {
    en: '{pool} is sold and has no exit: its customers get 503. Add one in the desk, under Exits, or: turnpike exits add --help',
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
    en: 'No payment method is set up, so nothing can be bought: connect one in the desk, under Settings, Connections.',
    ru: 'Ни один способ оплаты не настроен, поэтому ничего не купить. Подключите его: «Настройки», «Подключения».',
  },
  payments_withdrawn: {
    en: 'Connected, but not offered, so nothing can be bought: {methods}. Offer one in the desk, under Settings, Payment methods.',
    ru: 'Подключены, но не предлагаются, поэтому ничего не купить: {methods}. Включите способ оплаты: «Настройки», «Способы оплаты».',
  },
  payments_some: {
    en: 'Offered: {methods}. Connected and not offered: {withdrawn}.',
    ru: 'Предлагаются: {methods}. Подключены, но не предлагаются: {withdrawn}.',
  },
  purchase_none: {
    en: 'Nothing was bought yet: make a test purchase in the desk, under Payments.',
    ru: 'Ещё ничего не куплено: сделайте проверочную покупку на странице «Платежи».',
  },
  purchase_good: { en: 'A payment has arrived.', ru: 'Оплата уже приходила.' },
  mail_files: {
    en: 'Letters are only files in DATA_DIR/outbox: nobody gets them. Set the mail server in the desk, under Settings, or SMTP_URL and MAIL_FROM.',
    ru: 'Письма только складываются в файлы (DATA_DIR/outbox), их никто не получает. Задайте почтовый сервер: «Настройки», «Подключения».',
  },
  mail_local: {
    en: 'Letters are files in DATA_DIR/outbox.',
    ru: 'Письма складываются в файлы (DATA_DIR/outbox).',
  },
  mail_untested: {
    en: 'Letters go to {host}, and it has not taken a test letter yet: send one in the desk, under Settings, Connections.',
    ru: 'Письма уходят через {host}, но пробное письмо он ещё не принимал. Отправьте его: «Настройки», «Подключения».',
  },
  mail_tested: {
    en: 'Letters go to {host}, which took a test letter on {day}.',
    ru: 'Письма уходят через {host}, пробное письмо он принял {day}.',
  },
  bot_none: { en: 'There is no Telegram bot.', ru: 'Бота в Telegram нет.' },
  bot_set: { en: 'The bot has a token.', ru: 'Токен бота задан.' },
  payments_good: { en: 'Set up: {methods}.', ru: 'Настроены: {methods}.' },
  payments_no_rate: {
    en: '{method} is not offered: there is no rate of {currency}. Set it in the desk, under Prices, Currencies and rates, or: turnpike rates set --help',
    ru: 'Способ {method} не предлагается: нет курса {currency}. Задайте его: «Цены», «Валюты и курсы».',
  },
  payments_closed_rate: {
    en: '{method} is closed: the rate of {currency} is {days} days old. Set it in the desk, under Prices, Currencies and rates, or: turnpike rates set --help',
    ru: 'Способ {method} закрыт: курсу {currency} уже {days} дн. Задайте новый: «Цены», «Валюты и курсы».',
  },
  payments_old_rate: {
    en: 'The rate of {currency} for {method} is {days} days old. Set it in the desk, under Prices, Currencies and rates, or: turnpike rates set --help',
    ru: 'Курсу {currency} для {method} уже {days} дн. Задайте новый: «Цены», «Валюты и курсы».',
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
  inventory_good: {
    en: 'The list of places has none of the demo’s.',
    ru: 'В списке мест нет мест из демо.',
  },
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
    en: 'It is not said who sells, so no invoices and credit notes are made (waiting: {count}). Enter the seller in the desk, under Shop, Seller.',
    ru: 'Не указано, кто продаёт, поэтому счета и кредит-ноты не выпускаются; ждут: {count}. Укажите продавца: «Витрина», «Продавец».',
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
  contacts_good: {
    en: 'Customers have a link to support.',
    ru: 'Ссылка на поддержку указана.',
  },
  contacts_support: {
    en: 'There is no link to support: set it in the desk, under Shop, Contacts. The legal pages and letters refer to it.',
    ru: 'Нет ссылки на поддержку. Укажите её: «Витрина», «Контакты». На неё ссылаются документы и письма.',
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
    en: 'None was ever made. The timer of the server makes one each night; at once: systemctl start turnpike-backup',
    ru: 'Копии не было ни разу. Таймер сервера делает их каждую ночь; сразу: systemctl start turnpike-backup',
  },
  backup_good: { en: 'The last one was made on {day}.', ru: 'Последняя копия — от {day}.' },
  restore_none: {
    en: 'No backup was ever restored to try it. The timer of the server tries one each Sunday; at once: systemctl start turnpike-restore-test',
    ru: 'Ни одну копию ещё не пробовали восстановить. Таймер сервера делает это по воскресеньям; сразу: systemctl start turnpike-restore-test',
  },
  restore_good: {
    en: 'The last try was on {day}; its books were in order.',
    ru: 'Последняя проверка — {day}: копия восстановилась, книги сошлись.',
  },
  restore_old: {
    en: 'The last try was on {day}, {days} days ago: turnpike restore --try <folder>',
    ru: 'Последняя проверка — {day}, прошло {days} дн.: turnpike restore --try <папка>',
  },
  restore_bad: {
    en: 'The books of the backup restored on {day} were not in order: {count} findings. See turnpike ledger verify, and keep older backups.',
    ru: 'В копии, восстановленной {day}, книги не сошлись, расхождений: {count}. Выполните turnpike ledger verify и сохраните старые копии.',
  },
  backup_old: {
    en: 'The last one was made on {day}, {days} days ago: turnpike backup <file>',
    ru: 'Последняя копия — от {day}, ей {days} дн.: turnpike backup <файл>',
  },
} as const

/** Findings that are not faults, but mean an unfinished step for an owner who sets up a shop. */
export const unfinished: ReadonlySet<string> = new Set([
  'brand_default',
  'exits_absent',
  'exits_untested',
  'purchase_none',
  'mail_local',
  'mail_untested',
  'bot_none',
] satisfies (keyof typeof checkFaults)[])

/** The checks of `turnpike doctor` on the shop. */
export const shopChecks = [
  'brand',
  'prices',
  'exits',
  'payments',
  'purchase',
  'receipts',
  'inventory',
  'contacts',
  'seller',
  'legal',
  'stock',
  'alerts',
  'mail',
  'bot',
  'backup',
  'restore',
] as const
export type ShopCheckName = (typeof shopChecks)[number]

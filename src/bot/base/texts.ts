/**
 * The bot's texts in both languages, as Telegram's HTML. External text is passed through `escapeHtml` before
 * it is inserted. The sentences of the site's refusals are in the contract.
 */
import type { Language } from '#contract/language'
import { unlinkedName } from '#contract/names'
import { goodsNames } from '#contract/wire'
import type { Texts } from './texts.form.ts'

export { commandNames, type Texts, type NoticeSwitches } from './texts.form.ts'

/** Telegram's HTML knows these three as entities that must be written out. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The name of an account, ready to be inserted: Telegram makes links of names that look like one. */
export const accountName = (
  words: Texts,
  { id, username }: { id: bigint; username: string | null },
): string => (username === null ? words.accountNumber(id) : escapeHtml(unlinkedName(username)))

const ru: Texts = {
  pools: goodsNames.ru,
  commands: {
    code: 'Код для входа на сайт',
    balance: 'Баланс',
    usage: 'Расход трафика на графике',
    account: 'Счета, белый список, лимиты, пользователи',
    invoices: 'Счета',
    support: 'Написать в поддержку',
    paysupport: 'Вопрос об оплате',
    terms: 'Условия и персональные данные',
    buy: 'Купить трафик',
    lines: 'Получить строку прокси',
    ref: 'Пригласить друзей',
    language: 'Язык / Language',
    notices: 'О чём сообщает бот',
    unlink: 'Отвязать Telegram от аккаунта',
    help: 'Что умеет бот',
  },
  button: {
    balance: 'Баланс',
    usage: 'Расход',
    account: 'Аккаунт',
    support: 'Поддержка',
    buyAgain: 'Купить ещё',
    stars: '⭐ Оплатить звёздами',
    buy: 'Купить трафик',
    lines: 'Строка прокси',
    code: 'Код для входа',
    ref: 'Пригласить',
    language: 'Язык / Language',
    menu: '« Меню',
    newCode: 'Другой код',
    anyCountry: 'Любая страна',
    more: 'Дальше »',
    back: '« Раньше',
    otherCountry: 'Другая страна',
    otherPool: 'Другой пул',
    oneMore: 'Ещё одну',
    sticky: 'Липкая сессия',
    link: 'Привязать',
    noLink: 'Не привязывать',
    openSite: 'Открыть сайт',
    openLogin: 'Открыть страницу входа',
    noticesOff: 'Не сообщать о входах',
    noticesOn: 'Сообщать о входах',
    trafficOff: 'Не сообщать о балансе',
    trafficOn: 'Сообщать о балансе',
    capOff: 'Не сообщать о лимитах',
    topUpOff: 'Не сообщать об автопополнении',
    topUpOn: 'Сообщать об автопополнении',
    troubleOff: 'Не сообщать о сбоях прокси',
    troubleOn: 'Сообщать о сбоях прокси',
    billOff: 'Не присылать выписку',
    billOn: 'Присылать выписку раз в месяц',
    capOn: 'Сообщать о лимитах',
    unlink: 'Отвязать',
    keepLink: 'Не отвязывать',
  },
  welcome:
    'Здравствуйте. Здесь можно следить за балансом трафика, получать готовые строки прокси и входить на сайт без пароля.\n\nАккаунт для вас уже создан. Чтобы купить трафик, войдите на сайт по коду: /code',
  welcomeBack: 'С возвращением. Чем помочь?',
  menu: 'Чем помочь?',
  help: '/code — код для входа на сайт\n/balance — баланс трафика\n/usage — расход на графике\n/buy — купить трафик\n/lines — получить строки прокси\n/account — счета, белый список, лимиты, пользователи прокси\n/ref — пригласить друзей и получать долю с их покупок\n/language — сменить язык\n/notices — о чём сообщать: входы, баланс, лимиты\n/unlink — отвязать Telegram от аккаунта\n/support — написать в поддержку, /paysupport — об оплате\n/terms — условия',
  balance: (rows) =>
    `<b>Баланс трафика</b>\n\n${rows.map(({ pool, amount }) => `${pool}: <b>${amount}</b>`).join('\n')}`,
  double: ({ amount, payload }) =>
    `Если в строке выбран регион, город, индекс или сеть (ASN), каждый байт списывается дважды: ${amount} — это ${payload} данных.`,
  nothingBought: 'Трафика пока нет. Купить: /buy',
  code: (code) =>
    `Код для входа на сайт:\n\n<code>${code}</code>\n\nДействует 5 минут и только один раз. Никому его не сообщайте: с ним входят в ваш аккаунт.`,
  buy: (rows) =>
    `<b>Цена за ГБ</b>\n\n${rows.map(({ pool, price }) => `${pool}: ${price}`).join('\n')}\n\nЧем больше объём, тем ниже цена. Покупка — на сайте; если вы там ещё не вошли, возьмите код: /code`,
  nothingOnSale: 'Сейчас ничего не продаётся. Загляните позже.',
  askReceiptEmail:
    'При оплате через ЮKassa на e-mail приходит чек. Отправьте сюда адрес одним сообщением, и на сайте его уже не спросят. Войти с ним нельзя, других писем не будет.',
  receiptEmailSet: (email) =>
    `Хорошо. Чеки будут приходить на <code>${email}</code>. Чтобы сменить адрес, отправьте другой.`,
  choosePool: 'Из какого пула нужна строка?',
  noTraffic: 'Ни в одном пуле нет трафика. Купите его, и строки появятся здесь: /buy',
  chooseCountry: (pool) => `${pool}. Какая страна?`,
  line: ({ line, pool, country, minutes }) =>
    `${pool}, ${country}. ${
      minutes === null
        ? 'Новый адрес на каждое соединение.'
        : `Один и тот же адрес ${minutes} мин, пока он на связи.`
    }\n\n<code>${line}</code>\n\nСтрока подходит для HTTP и SOCKS5. Нажмите на неё, чтобы скопировать.`,
  anywhere: 'любая страна',
  ref: ({ website, telegram, invited, balance, percent }) =>
    `<b>Пригласите друзей</b>\n\nС каждой их оплаты вы получаете ${percent}.\n\nСсылка на сайт:\n<code>${website}</code>${
      telegram === null ? '' : `\n\nСсылка на бота:\n<code>${telegram}</code>`
    }\n\nПриглашено: <b>${invited}</b>\nРеферальный баланс: <b>${balance}</b>`,
  language: 'На каком языке говорить?',
  languageSet: 'Хорошо, по-русски.',
  confirmLink: (name) =>
    `Привязать этот Telegram к аккаунту <b>${name}</b>?\n\nСоглашайтесь, только если вы сами открыли ссылку из своего аккаунта на сайте.`,
  linked: (name) =>
    `Готово. Этот Telegram привязан к аккаунту <b>${name}</b>: бот показывает его баланс, а код из /code открывает его на сайте.`,
  linkRefused: 'Хорошо, ничего не привязано.',
  signedIn: ({ name, when, ip }) =>
    `<b>Вход в аккаунт</b>\n\nВ аккаунт <b>${name}</b> вошли на сайте по паролю.\n\nКогда: ${when}\nАдрес: <code>${ip}</code>\n\nЕсли это не вы, сразу смените пароль на сайте: тогда закончатся все чужие сеансы.`,
  securityChanged: ({ heading, sentence, name, when, ip }) =>
    `<b>${heading}</b>\n\nАккаунт <b>${name}</b>. ${sentence}\n\nКогда: ${when}${ip === null ? '' : `\nАдрес: <code>${ip}</code>`}\n\nЕсли это не вы, смените пароль на сайте и завершите остальные сеансы.`,
  addressTaken: ({ pool, address }) =>
    `<b>Адрес убран из белого списка</b>\n\nДругой клиент подтвердил, что работает с адреса <code>${address}</code>, поэтому в пуле ${pool} он больше не ваш. Строки без логина и пароля с него за ваш счёт не работают.\n\nСтроки с логином и паролем работают с любого адреса.`,
  trafficLow: ({ pool, share, left, hours }) => {
    const heading = {
      fifth: 'Осталась пятая часть трафика',
      twentieth: 'Осталось меньше 5 % трафика',
      out: 'Трафик закончился',
      threshold: 'Трафика осталось мало',
    }[share ?? 'threshold']
    const rate = hours === null ? '' : `\nПри расходе последних суток хватит на ${Math.max(1, hours)} ч.`
    return share === 'out'
      ? `<b>${heading}</b>\n\n${pool}: прокси отвечают ошибкой, пока вы не купите ещё.`
      : `<b>${heading}</b>\n\n${pool}: ${left}.${rate}`
  },
  capReached: ({ pool, window, cap }) => {
    const period = { hour: 'час', day: 'сутки', month: 'месяц' }[window]
    return `<b>Достигнут ваш лимит за ${period}</b>\n\n${pool}: ${cap} за ${period} по UTC уже израсходовано. Прокси отвечают кодом <code>cap_reached</code> до следующего периода. Лимит меняется на сайте, на вкладке «Лимиты».`
  },
  notices: ({ signIns, traffic, cap, topup, trouble, bill }) => {
    const state = (isOn: boolean) => (isOn ? 'сообщает' : 'не сообщает')
    return `О входах в аккаунт по паролю бот ${state(signIns)}.\nО балансе трафика ${state(traffic)}.\nО достигнутых лимитах ${state(cap)}.\nОб автопополнении ${state(topup)}.\nО сбоях прокси ${state(trouble)}.\nПочасовая выписка раз в месяц ${state(bill)}.`
  },
  confirmUnlink: (name) =>
    `Отвязать этот Telegram от аккаунта <b>${name}</b>?\n\nАккаунт останется, войти в него можно будет по паролю. Бот перестанет его показывать.`,
  unlinked: (name) =>
    `Готово. Этот Telegram больше не привязан к аккаунту <b>${name}</b>. Если написать боту снова, он заведёт для вас новый аккаунт.`,
  onlyWayIn:
    'Отвязать нельзя: в этот аккаунт входят только через Telegram. Отвязать можно аккаунт, который создан на сайте и в который входят по паролю.',
  accountNumber: (id) => `№ ${id}`,
  tooFast: 'Слишком много сообщений подряд. Подождите минуту.',
  staleButton: 'Эта кнопка устарела. Вот меню.',
  otherAccount: (name) =>
    `Эта кнопка не подействовала: она не для аккаунта <b>${name}</b>, к которому теперь привязан этот Telegram. Вот его меню.`,
  askAgain: 'Так не получится: проверьте и отправьте ещё раз.',
  failed: 'Не получилось: у нас сбой. Деньги и трафик не тронуты. Попробуйте ещё раз через минуту.',
}

const en: Texts = {
  pools: goodsNames.en,
  commands: {
    code: 'Code to sign in to the site',
    balance: 'Traffic left',
    usage: 'Traffic usage chart',
    account: 'Invoices, whitelist, limits, users',
    invoices: 'Invoices',
    support: 'Write to support',
    paysupport: 'A question about a payment',
    terms: 'Terms and privacy',
    buy: 'Buy traffic',
    lines: 'Get a proxy line',
    ref: 'Invite friends',
    language: 'Language / Язык',
    notices: 'What the bot tells you about',
    unlink: 'Unlink Telegram from the account',
    help: 'What the bot can do',
  },
  button: {
    balance: 'Balance',
    usage: 'Usage',
    account: 'Account',
    support: 'Support',
    buyAgain: 'Buy again',
    stars: '⭐ Pay with Stars',
    buy: 'Buy traffic',
    lines: 'Proxy line',
    code: 'Sign-in code',
    ref: 'Invite',
    language: 'Language / Язык',
    menu: '« Menu',
    newCode: 'Another code',
    anyCountry: 'Any country',
    more: 'More »',
    back: '« Back',
    otherCountry: 'Another country',
    otherPool: 'Another pool',
    oneMore: 'One more',
    sticky: 'Sticky session',
    link: 'Link',
    noLink: 'Do not link',
    openSite: 'Open the site',
    openLogin: 'Open the sign-in page',
    noticesOff: 'Stop sign-in messages',
    noticesOn: 'Send sign-in messages',
    trafficOff: 'Stop balance messages',
    trafficOn: 'Send balance messages',
    capOff: 'Stop limit messages',
    topUpOff: 'Stop top-up messages',
    topUpOn: 'Send top-up messages',
    troubleOff: 'Stop messages about failing proxies',
    troubleOn: 'Send messages about failing proxies',
    billOff: 'Stop monthly statements',
    billOn: 'Send monthly statements',
    capOn: 'Send limit messages',
    unlink: 'Unlink',
    keepLink: 'Do not unlink',
  },
  welcome:
    'Hello. Here you can keep an eye on your traffic, get proxy lines ready to use, and sign in to the site without a password.\n\nYour account is ready. To buy traffic, sign in to the site with a code: /code',
  welcomeBack: 'Welcome back. What would you like to do?',
  menu: 'What would you like to do?',
  help: '/code — a code to sign in to the site\n/balance — how much traffic is left\n/usage — a chart of your usage\n/buy — buy traffic\n/lines — get proxy lines\n/account — invoices, whitelist, limits, proxy users\n/ref — invite friends and earn a share of what they pay\n/language — change the language\n/notices — what to be told about: sign-ins, balance, limits\n/unlink — unlink Telegram from the account\n/support — write to support, /paysupport — about a payment\n/terms — the terms',
  balance: (rows) =>
    `<b>Traffic left</b>\n\n${rows.map(({ pool, amount }) => `${pool}: <b>${amount}</b>`).join('\n')}`,
  double: ({ amount, payload }) =>
    `With a state, city, zip code or network (ASN) in a line, each byte is charged twice: ${amount} are ${payload} of payload.`,
  nothingBought: 'You have no traffic yet. Buy some: /buy',
  code: (code) =>
    `Your code to sign in to the site:\n\n<code>${code}</code>\n\nIt works once, within 5 minutes. Do not share it: it gives access to your account.`,
  buy: (rows) =>
    `<b>Price per GB</b>\n\n${rows.map(({ pool, price }) => `${pool}: ${price}`).join('\n')}\n\nThe more you buy, the less a gigabyte costs. You pay on the site; if you are not signed in there, get a code: /code`,
  nothingOnSale: 'Nothing is on sale right now. Please check back later.',
  askReceiptEmail:
    'Payments through YooKassa come with a receipt by e-mail. Send the address here in one message, and the site will not ask for it. You cannot sign in with it, and it gets no other mail.',
  receiptEmailSet: (email) =>
    `Good. Receipts will go to <code>${email}</code>. To change the address, send another one.`,
  choosePool: 'Which pool should the line be from?',
  noTraffic: 'There is no traffic in any pool. Buy some, and your lines will appear here: /buy',
  chooseCountry: (pool) => `${pool}. Which country?`,
  line: ({ line, pool, country, minutes }) =>
    `${pool}, ${country}. ${
      minutes === null
        ? 'A new address for every connection.'
        : `The same address for ${minutes} min, as long as it stays online.`
    }\n\n<code>${line}</code>\n\nThe line works with HTTP and SOCKS5. Tap it to copy.`,
  anywhere: 'any country',
  ref: ({ website, telegram, invited, balance, percent }) =>
    `<b>Invite friends</b>\n\nYou get ${percent} of everything they pay.\n\nLink to the site:\n<code>${website}</code>${
      telegram === null ? '' : `\n\nLink to the bot:\n<code>${telegram}</code>`
    }\n\nInvited: <b>${invited}</b>\nReferral balance: <b>${balance}</b>`,
  language: 'Which language should I speak?',
  languageSet: 'English it is.',
  confirmLink: (name) =>
    `Link this Telegram to the account <b>${name}</b>?\n\nAgree only if you opened the link yourself, from your own account on the site.`,
  linked: (name) =>
    `Done. This Telegram is linked to the account <b>${name}</b>: the bot shows its traffic, and a code from /code opens it on the site.`,
  linkRefused: 'All right, nothing was linked.',
  signedIn: ({ name, when, ip }) =>
    `<b>A sign-in to your account</b>\n\nSomeone signed in to <b>${name}</b> on the site with its password.\n\nWhen: ${when}\nAddress: <code>${ip}</code>\n\nIf it was not you, change the password on the site now: that ends all other sessions.`,
  securityChanged: ({ heading, sentence, name, when, ip }) =>
    `<b>${heading}</b>\n\nAccount <b>${name}</b>. ${sentence}\n\nWhen: ${when}${ip === null ? '' : `\nAddress: <code>${ip}</code>`}\n\nIf it was not you, change the password on the site and end all other sessions.`,
  addressTaken: ({ pool, address }) =>
    `<b>An address was removed from your whitelist</b>\n\nAnother customer has proven that they work from <code>${address}</code>, so it is no longer yours in the ${pool} pool. Lines without a login and password do not work from it at your expense.\n\nLines with a login and password work from any address.`,
  trafficLow: ({ pool, share, left, hours }) => {
    const heading = {
      fifth: 'A fifth of your traffic is left',
      twentieth: 'Less than 5% of your traffic is left',
      out: 'Your traffic has run out',
      threshold: 'Your traffic is running low',
    }[share ?? 'threshold']
    const rate =
      hours === null ? '' : `\nAt the rate of the last 24 hours, it will last ${Math.max(1, hours)} h.`
    return share === 'out'
      ? `<b>${heading}</b>\n\n${pool}: proxies will return an error until you buy more.`
      : `<b>${heading}</b>\n\n${pool}: ${left}.${rate}`
  },
  capReached: ({ pool, window, cap }) =>
    `<b>Your limit for the ${window} has been reached</b>\n\n${pool}: ${cap} in this ${window} (UTC) has been used. Proxies will return <code>cap_reached</code> until the next ${window}. You can change the limit on the site, under Limits.`,
  notices: ({ signIns, traffic, cap, topup, trouble, bill }) => {
    const state = (isOn: boolean) => (isOn ? 'on' : 'off')
    return `Messages about sign-ins with your password: ${state(signIns)}.\nAbout remaining traffic: ${state(traffic)}.\nAbout limits that have been reached: ${state(cap)}.\nAbout automatic top-up: ${state(topup)}.\nAbout failing proxies: ${state(trouble)}.\nMonthly hourly statement: ${state(bill)}.`
  },
  confirmUnlink: (name) =>
    `Unlink this Telegram from the account <b>${name}</b>?\n\nThe account stays, and you can sign in to it with its password. The bot will no longer show it.`,
  unlinked: (name) =>
    `Done. This Telegram is no longer linked to the account <b>${name}</b>. If you write to the bot again, it will create a new account for you.`,
  onlyWayIn:
    'It cannot be unlinked: Telegram is the only way to sign in to this account. Only an account created on the site, with a password, can be unlinked.',
  accountNumber: (id) => `No. ${id}`,
  tooFast: 'That is a lot of messages at once. Please wait a minute.',
  staleButton: 'This button is out of date. Here is the menu.',
  otherAccount: (name) =>
    `This button changed nothing: it was not made for the account <b>${name}</b>, to which this Telegram is now linked. Here is its menu.`,
  askAgain: 'That is not valid: check it and send it again.',
  failed:
    'That did not work: something failed on our side. Your money and traffic are unchanged. Please try again in a minute.',
}

export const texts: Record<Language, Texts> = { ru, en }

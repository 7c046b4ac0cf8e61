/** The bot's reactions to messages and buttons, in private chats only. */
import { Composer, type Context } from 'grammy'
import { issueTelegramCode } from '#accounts/telegram/code'
import {
  arriveByTelegram,
  isToldOfSignIns,
  linkTelegram,
  mayUnlinkTelegram,
  previewTelegramLink,
  setToldOfSignIns,
  unlinkTelegram,
} from '#accounts/telegram'
import { isEmail, type NoticeKind } from '#contract/account-rules'
import { chooseNotice, noticeSettings } from '#customer-notices'
import type { LanguageCode } from '#contract/language'
import { linkCodeIn } from '#contract/referral/telegram-link'
import { agree, agreementScreen, lacksAgreement } from './agreement.ts'
import { acknowledge } from './base/api.ts'
import type { BotDeps } from './base/deps.ts'
import { countriesScreen, lineScreen, poolsScreen, readPage, readWish } from './lines.ts'
import {
  balanceScreen,
  buyScreen,
  codeScreen,
  confirmLinkScreen,
  confirmUnlinkScreen,
  languageScreen,
  menu,
  noticesScreen,
  receiptEmailScreen,
  refScreen,
  type Screen,
} from './base/screens.ts'
import { accountAnswers, accountRoutes, accountScreen, invoicesScreen } from './account/account.ts'
import { usageRoutes, usageScreen } from './chart/usage.ts'
import { generatorAnswers, generatorRoutes } from './generator.ts'
import { type Answer, type Asking, noteAsked, type Route, routes } from './base/route.ts'
import { say, turn } from './base/show.ts'
import { belowNotice } from './shop.notice.ts'
import { starsRoutes } from './stars/buy.ts'
import { supportAnswers, supportRoutes, supportScreen, termsScreen } from './support/support.ts'
import { accountName, texts } from './base/texts.ts'
import { senderOf, speakTo, visit, type Visit, visitEvenBlocked, visitOf } from './base/visit.ts'

const unlinkRoute: Route = {
  data: /^unlink$/,
  acts: true,
  show: (person, _, asking) => unlink(person, asking),
}
const allRoutes = [
  ...accountRoutes,
  ...starsRoutes,
  ...generatorRoutes,
  ...usageRoutes,
  ...supportRoutes,
  unlinkRoute,
]
const receiptAnswer: Answer = {
  question: /^receipt$/,
  take: async (person, _, { deps, text }) => {
    if (!isEmail(text)) return text.includes('@') ? null : 'pass'
    return (await takeReceiptEmail(person, text, deps.publicUrl)) ?? 'pass'
  },
}
const allAnswers = [...accountAnswers, ...generatorAnswers, ...supportAnswers, receiptAnswer]

export function conversation(deps: BotDeps): Composer<Context> {
  const bot = new Composer<Context>()
  bot.use(routes(deps, allRoutes, allAnswers))
  const asker = (ctx: Context) => (question: string) => noteAsked(deps, ctx, question)
  const screens: Record<string, (visit: Visit, ctx: Context) => Promise<Screen>> = {
    balance: balanceScreen,
    buy: (person, ctx) => buyScreen(person, { publicUrl: deps.publicUrl, ask: asker(ctx) }),
    lines: poolsScreen,
    account: accountScreen,
    terms: async (person) => termsScreen(person, deps.publicUrl),
    code: (person) => newCode(deps, person),
    ref: refScreen,
    language: async ({ words }) => languageScreen(words),
    help: async ({ words }) => menu(words, words.help),
    menu: async ({ words }) => menu(words, words.menu),
  }
  bot.command('start', (ctx) => start(deps, ctx, ctx.match.trim()))
  for (const [name, screen] of Object.entries(screens)) {
    const shown = async (ctx: Context) => {
      const person = await visit(deps, ctx)
      return belowNotice(deps, person, await screen(person, ctx))
    }
    if (name !== 'menu') bot.command(name, async (ctx) => say(ctx, await shown(ctx)))
    bot.callbackQuery(name, async (ctx) => turn(ctx, await shown(ctx)))
  }
  bot.callbackQuery(/^agree:([0-9a-f]{32})$/, async (ctx) =>
    turn(ctx, await agree(deps, await visit(deps, ctx), ctx.match[1] ?? '')),
  )
  bot.callbackQuery(/^lang:(rus|eng)$/, (ctx) =>
    setLanguage(deps, ctx, ctx.match[1] === 'eng' ? 'eng' : 'rus'),
  )
  bot.command('usage', async (ctx) =>
    say(ctx, await usageScreen(await visit(deps, ctx), { count: 7, pool: null }, deps.now())),
  )
  bot.command('invoices', async (ctx) => say(ctx, await invoicesScreen(await visit(deps, ctx))))
  bot.command(['support', 'paysupport'], async (ctx) => {
    const about = ctx.message?.text.startsWith('/paysupport') === true ? 'payment' : 'anything'
    await say(ctx, await supportScreen(await visitEvenBlocked(deps, ctx), { deps, ask: asker(ctx) }, about))
  })
  bot.command('notices', async (ctx) => say(ctx, await notices(deps, ctx)))
  bot.callbackQuery(/^notices:(on|off)$/, async (ctx) => {
    await visit(deps, ctx)
    await setToldOfSignIns(deps.database.db, senderOf(ctx).id, ctx.match[1] === 'on')
    await turn(ctx, await notices(deps, ctx))
  })
  bot.callbackQuery(/^notices:(traffic|cap|topup|trouble|bill):(on|off)$/, async (ctx) => {
    const { account } = await visit(deps, ctx)
    const [, kind, state] = ctx.match
    const choice = { kind: kind as NoticeKind, via: 'telegram', isOn: state === 'on' } as const
    await chooseNotice(deps.database.db, account.id, choice)
    await turn(ctx, await notices(deps, ctx))
  })
  bot.command('unlink', async (ctx) => say(ctx, await askToUnlink(deps, ctx)))
  bot.callbackQuery(/^link:(.+)$/, (ctx) => link(deps, ctx, ctx.match[1] ?? ''))
  bot.callbackQuery('nolink', async (ctx) =>
    turn(ctx, { text: texts[await speakTo(deps, senderOf(ctx))].linkRefused }),
  )
  bot.on('message:text', (ctx, next) => changeReceiptEmail(deps, ctx, ctx.message.text.trim(), next))
  bot.on('callback_query:data', (ctx) => generator(deps, ctx, ctx.callbackQuery.data))
  bot.on('message', async (ctx) => {
    const person = await visit(deps, ctx)
    await say(ctx, await belowNotice(deps, person, menu(person.words, person.words.help)))
  })
  return bot
}

/** `/start`, `/start <referral code>`, `/start link_<code>`. */
async function start(deps: BotDeps, ctx: Context, payload: string): Promise<void> {
  const sender = senderOf(ctx)
  const linkCode = linkCodeIn(payload)
  if (linkCode !== null) return askToLink(deps, ctx, linkCode)
  const { account, isNew, referralKnown } = await arriveByTelegram(deps.database.db, {
    telegramUserId: sender.id,
    lang: sender.lang,
    referralCode: payload === '' ? null : payload,
  })
  if (!referralKnown) deps.log.warn({ code: payload.slice(0, 64) }, 'a start with an unknown referral code')
  const person = visitOf(deps, account, `telegram ${ctx.update.update_id}`)
  const greeting = isNew ? person.words.welcome : person.words.welcomeBack
  const isAsked = await lacksAgreement(deps, person)
  const screen = isAsked
    ? await agreementScreen(person, greeting, deps.publicUrl)
    : menu(person.words, greeting)
  await say(ctx, await belowNotice(deps, person, screen))
}

async function askToLink(deps: BotDeps, ctx: Context, code: string): Promise<void> {
  const sender = senderOf(ctx)
  const words = texts[await speakTo(deps, sender)]
  const found = await previewTelegramLink(
    deps.database.db,
    deps.secrets,
    { telegramUserId: sender.id, code },
    deps.now(),
  )
  const name = accountName(words, found)
  if (found.isLinked) return say(ctx, menu(words, words.linked(name)))
  await say(ctx, confirmLinkScreen(words, { name, code }))
}

async function link(deps: BotDeps, ctx: Context, code: string): Promise<void> {
  const account = await linkTelegram(
    deps.database.db,
    deps.secrets,
    { telegramUserId: senderOf(ctx).id, code },
    deps.now(),
  )
  const { words } = visitOf(deps, account, `telegram ${ctx.update.update_id}`)
  await turn(ctx, menu(words, words.linked(accountName(words, account))))
}

async function notices(deps: BotDeps, ctx: Context): Promise<Screen> {
  const { account, words } = await visit(deps, ctx)
  const { db } = deps.database
  const { traffic, cap, topup, trouble, bill } = (await noticeSettings(db, account.id)).choices
  const signIns = await isToldOfSignIns(db, senderOf(ctx).id)
  return noticesScreen(words, {
    signIns,
    traffic: traffic.telegram,
    cap: cap.telegram,
    topup: topup.telegram,
    trouble: trouble.telegram,
    bill: bill.telegram,
  })
}

async function askToUnlink(deps: BotDeps, ctx: Context): Promise<Screen> {
  const person = await visit(deps, ctx)
  const may = await mayUnlinkTelegram(deps.database.db, senderOf(ctx).id)
  return may ? confirmUnlinkScreen(person) : menu(person.words, person.words.onlyWayIn)
}

async function unlink({ account, words }: Visit, { deps, ctx }: Asking): Promise<Screen> {
  const isDone = await unlinkTelegram(deps.database.db, senderOf(ctx).id, deps.now())
  if (!isDone) return menu(words, words.onlyWayIn)
  return { text: words.unlinked(accountName(words, account)) }
}

async function newCode(deps: BotDeps, { account, words }: Visit): Promise<Screen> {
  const { code } = await issueTelegramCode(deps.database.db, deps.secrets, account.id, deps.now())
  return codeScreen(words, code, deps.publicUrl)
}

async function setLanguage(deps: BotDeps, ctx: Context, lang: LanguageCode): Promise<void> {
  const { call } = await visit(deps, ctx)
  await call('change_language', { code: lang })
  const { words } = await visit(deps, ctx)
  await turn(ctx, menu(words, words.languageSet))
}

/** A message that is an e-mail address replaces the address for receipts without a question. */
async function changeReceiptEmail(
  deps: BotDeps,
  ctx: Context,
  text: string,
  next: () => Promise<void>,
): Promise<void> {
  if (!isEmail(text)) return next()
  const screen = await takeReceiptEmail(await visit(deps, ctx), text, deps.publicUrl)
  if (screen === null) return next()
  await say(ctx, screen)
}

/** Stores an address for receipts; null: no method needs one. */
async function takeReceiptEmail(
  { call, words }: Visit,
  email: string,
  publicUrl: URL,
): Promise<Screen | null> {
  const { needed_for: methods } = await call('receipt_email', {})
  if (methods.length === 0) return null
  await call('set_receipt_email', { email })
  return receiptEmailScreen(words, email, publicUrl)
}

/** The buttons of single lines, and buttons of older versions of the bot. */
async function generator(deps: BotDeps, ctx: Context, data: string): Promise<void> {
  const person = await visit(deps, ctx)
  const page = readPage(data)
  if (page !== null) return turn(ctx, await countriesScreen(person, page.pool, page.page))
  const wish = readWish(data)
  if (wish === null) return turn(ctx, menu(person.words, person.words.staleButton))
  // The line stays in the chat, and the next one is sent below it.
  const screen = await lineScreen(person, wish)
  await acknowledge(ctx)
  await say(ctx, screen)
}

/** The bot's screens: a text and the buttons under it. */
import { InlineKeyboard } from 'grammy'
import { dollarsIn as formatDollars, trafficIn as formatTraffic } from '#contract/amounts'
import type { Language } from '#contract/language'
import { bytesFromWire, targetedMultiplier } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import { most } from '#lib/bigint'
import { marked } from './mark.ts'
import { accountName, escapeHtml, type Texts, type NoticeSwitches } from './texts.ts'
import type { Visit } from './visit.ts'

export interface Screen {
  /** Telegram's HTML. */
  text: string
  keyboard?: InlineKeyboard
  /** Sent with the text as its caption. */
  file?: { kind: 'document' | 'photo'; name: string; bytes: Uint8Array }
}

function menuKeyboard({ button }: Texts): InlineKeyboard {
  return new InlineKeyboard()
    .text(button.balance, 'balance')
    .text(button.usage, 'usage')
    .row()
    .text(button.buy, 'buy')
    .text(button.lines, 'lines')
    .row()
    .text(button.account, 'account')
    .text(button.code, 'code')
    .row()
    .text(button.ref, 'ref')
    .text(button.support, 'support')
    .row()
    .text(button.language, 'language')
}

export const menu = (words: Texts, text: string): Screen => ({ text, keyboard: menuKeyboard(words) })

export const backToMenu = (words: Texts): InlineKeyboard =>
  new InlineKeyboard().text(words.button.menu, 'menu')

/** Replaces no-break spaces: text that is copied out of a message should have ordinary ones. */
const withSpaces = (text: string) => text.replaceAll('\u00a0', ' ')

/** "12,34 ГБ" in Russian, "12.34 GB" in English. */
export const trafficIn = (language: Language, bytes: bigint): string =>
  withSpaces(formatTraffic(bytes, language))

export const usdIn = (language: Language, usd: number): string => withSpaces(formatDollars(usd, language))

function percentIn(language: Language, fraction: number): string {
  const percent = String(Math.round(fraction * 10_000) / 100)
  return language === 'en' ? `${percent}%` : `${percent.replace('.', ',')} %`
}

/** Telegram accepts no button that leads to this machine, as a demo's PUBLIC_URL does. */
export function takesButtons(url: URL): boolean {
  return url.hostname.includes('.') && !/(^127\.|\.localhost$)/.test(url.hostname)
}

/** A button for each address, or, where Telegram accepts none, the addresses as text. */
export function withLinks(
  { text, keyboard }: { text: string; keyboard: InlineKeyboard },
  links: { label: string; url: URL }[],
): Screen {
  const buttons = new InlineKeyboard()
  const spelled: string[] = []
  for (const { label, url } of links) {
    if (takesButtons(url)) buttons.url(label, url.href).row()
    else spelled.push(`${label}:\n<code>${escapeHtml(url.href)}</code>`)
  }
  return { text: [text, ...spelled].join('\n\n'), keyboard: buttons.append(keyboard) }
}

/** Bytes of each pool that the customer has access to. */
export async function trafficOf({ call }: Visit): Promise<Map<Pool, bigint>> {
  const [profile] = await call('legacy_profile', {})
  const known = pools.filter((pool) => (profile?.[pool].password ?? null) !== null)
  return new Map(known.map((pool) => [pool, bytesFromWire(profile?.[pool].balance ?? 0)]))
}

export async function balanceScreen(visit: Visit): Promise<Screen> {
  const { words, language } = visit
  const traffic = await trafficOf(visit)
  const { balance_usd: money } = await visit.call('money_balance', {})
  const ofMoney = money > 0 ? [`${words.pools.balance}: <b>${usdIn(language, money)}</b>`] : []
  if (traffic.size === 0) return menu(words, [words.nothingBought, ...ofMoney].join('\n\n'))
  const prices = await visit.call('prices', {})
  const shown = pools.filter((pool) => traffic.has(pool) || prices[pool] !== undefined)
  const rows = shown.map((pool) => ({
    pool: words.pools[pool],
    amount: trafficIn(language, traffic.get(pool) ?? 0n),
  }))
  const held = [...traffic.values()].reduce(most, 0n)
  const payload = held / BigInt(targetedMultiplier)
  const double =
    held > 0n
      ? [words.double({ amount: trafficIn(language, held), payload: trafficIn(language, payload) })]
      : []
  return menu(words, [words.balance(rows), ...double, ...ofMoney].join('\n\n'))
}

/** The prices, with links; asks for the address for receipts where a method needs one. */
export async function buyScreen(
  { call, words, language }: Visit,
  { publicUrl, ask }: { publicUrl: URL; ask: (question: string) => Promise<void> },
): Promise<Screen> {
  const prices = await call('prices', {})
  const onSale = pools.filter((pool) => prices[pool] !== undefined)
  if (onSale.length === 0) return menu(words, words.nothingOnSale)
  const rows = onSale.map((pool) => ({ pool: words.pools[pool], price: usdIn(language, prices[pool] ?? 0) }))
  const { email, needed_for: methods } = await call('receipt_email', {})
  const asks = methods.length > 0 && email === null
  if (asks) await ask('receipt')
  const takesStars = (await call('payment_systems', {})).some(({ name }) => name === 'stars')
  const below = new InlineKeyboard().text(words.button.code, 'code').text(words.button.menu, 'menu')
  return withLinks(
    {
      text: asks ? `${words.buy(rows)}\n\n${words.askReceiptEmail}` : words.buy(rows),
      keyboard: takesStars
        ? new InlineKeyboard().text(words.button.stars, 'stars').row().append(below)
        : below,
    },
    onSale.map((pool) => ({
      label: words.pools[pool],
      url: new URL(`/purchase?amount=1&pool=${pool}`, publicUrl),
    })),
  )
}

/** Confirms the new address for receipts, and leads back to the purchase. */
export function receiptEmailScreen(words: Texts, email: string, publicUrl: URL): Screen {
  const text = words.receiptEmailSet(escapeHtml(email))
  return withLinks({ text, keyboard: backToMenu(words) }, [
    { label: words.button.buy, url: new URL('/purchase', publicUrl) },
  ])
}

export async function refScreen({ call, words, language }: Visit): Promise<Screen> {
  const [info] = await call('legacy_referal_info', {})
  if (info === undefined) throw new Error('the account has no referral info')
  const text = words.ref({
    website: escapeHtml(info.links.website),
    telegram: info.links.telegram === null ? null : escapeHtml(info.links.telegram),
    invited: info.ref_num,
    balance: usdIn(language, info.balance),
    percent: percentIn(language, info.percent),
  })
  return { text, keyboard: backToMenu(words) }
}

export function codeScreen(words: Texts, code: string, publicUrl: URL): Screen {
  return withLinks(
    {
      text: words.code(code),
      keyboard: new InlineKeyboard().text(words.button.newCode, 'code').text(words.button.menu, 'menu'),
    },
    [{ label: words.button.openLogin, url: new URL('/telegram-login', publicUrl) }],
  )
}

export function languageScreen(words: Texts): Screen {
  return {
    text: words.language,
    keyboard: new InlineKeyboard()
      .text('Русский', 'lang:rus')
      .text('English', 'lang:eng')
      .row()
      .text(words.button.menu, 'menu'),
  }
}

/** Asks for confirmation before linking; the button carries the code. */
export function confirmLinkScreen(words: Texts, { name, code }: { name: string; code: string }): Screen {
  return {
    text: words.confirmLink(name),
    keyboard: new InlineKeyboard()
      .text(words.button.link, `link:${code}`)
      .row()
      .text(words.button.noLink, 'nolink'),
  }
}

/** The notices of the bot, with a button for each that switches it. */
export function noticesScreen(words: Texts, are: NoticeSwitches): Screen {
  const { noticesOff, noticesOn, trafficOff, trafficOn, capOff, capOn, menu: toMenu } = words.button
  const { topUpOff, topUpOn, troubleOff, troubleOn, billOff, billOn } = words.button
  return {
    text: words.notices(are),
    keyboard: new InlineKeyboard()
      .text(are.signIns ? noticesOff : noticesOn, are.signIns ? 'notices:off' : 'notices:on')
      .row()
      .text(are.traffic ? trafficOff : trafficOn, `notices:traffic:${are.traffic ? 'off' : 'on'}`)
      .row()
      .text(are.cap ? capOff : capOn, `notices:cap:${are.cap ? 'off' : 'on'}`)
      .row()
      .text(are.topup ? topUpOff : topUpOn, `notices:topup:${are.topup ? 'off' : 'on'}`)
      .row()
      .text(are.trouble ? troubleOff : troubleOn, `notices:trouble:${are.trouble ? 'off' : 'on'}`)
      .row()
      .text(are.bill ? billOff : billOn, `notices:bill:${are.bill ? 'off' : 'on'}`)
      .row()
      .text(toMenu, 'menu'),
  }
}

/** Asks for confirmation before unlinking. */
export function confirmUnlinkScreen({ account, words }: Visit): Screen {
  return {
    text: words.confirmUnlink(accountName(words, account)),
    keyboard: new InlineKeyboard()
      .text(words.button.unlink, marked('unlink', account.id))
      .row()
      .text(words.button.keepLink, 'menu'),
  }
}

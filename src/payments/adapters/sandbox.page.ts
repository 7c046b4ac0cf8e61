/** The sandbox's page: plain HTML, no script, in the customer's language. */
import { microsPerCent } from '#contract/price'
import { dollarsIn, exactGbIn } from '#contract/amounts'
import type { Language } from '#contract/language'
import { bytesPerGb } from '#contract/wire'

/** The shop's name, logo and colours on the page. */
export interface SandboxBrand {
  name: string
  /** Beside the logo; empty: none. */
  logoText: string
  /**
   * The addresses of the style sheet with the shop's colours, of its icon and of its logo; null: the
   * program's own.
   */
  colours: string | null
  icon: string | null
  logo: string | null
  /** The logo in the dark theme; null: the same. */
  logoDark: string | null
}

export interface SandboxInvoice {
  number: string
  gb: bigint
  poolName: string
  /** The amount due in full, and the amount received. */
  dueMicros: bigint
  receivedMicros: bigint
  state: string
  language: Language
  brand: SandboxBrand
}

const words = {
  ru: {
    title: 'Тестовая оплата',
    note: 'Это демонстрация: деньги не списываются. Выберите, чем кончится платёж.',
    invoice: 'Счёт',
    traffic: 'Трафик',
    toPay: 'К оплате',
    paid: 'Оплатить',
    rest: 'Доплатить',
    underpaid: 'Оплатить половину',
    cancelled: 'Отменить платёж',
    done: 'Этот счёт уже оплачен. Возвращайтесь в аккаунт.',
    over: 'Этот счёт закрыт, деньги не списаны. Возвращайтесь в аккаунт.',
    back: 'В аккаунт',
    states: {
      paid: 'оплачен',
      underpaid: 'оплачен частично',
      expired: 'просрочен',
      cancelled: 'отменён',
      partly_refunded: 'возвращён частично',
      refunded: 'возвращён',
    },
  },
  en: {
    title: 'Test payment',
    note: 'This is a demo: no money moves. Choose how the payment ends.',
    invoice: 'Invoice',
    traffic: 'Traffic',
    toPay: 'To pay',
    paid: 'Pay',
    rest: 'Pay the rest,',
    underpaid: 'Pay half of it',
    cancelled: 'Cancel the payment',
    done: 'This invoice is paid already. Go back to the account.',
    over: 'This invoice is closed and nothing was charged. Go back to the account.',
    back: 'To the account',
    states: {
      paid: 'paid',
      underpaid: 'partly paid',
      expired: 'expired',
      cancelled: 'cancelled',
      partly_refunded: 'partly refunded',
      refunded: 'refunded',
    },
  },
} as const

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** The program's mark, which is also its icon. */
export const sandboxIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14171A"/><path d="M16 4.5v5.2M16 13.4v5.2M16 22.3v5.2" stroke="#FFC21A" stroke-width="4.2"/><path d="M7 4.5v23M25 4.5v23" stroke="#5A616A" stroke-width="2"/></svg>'

function logoOf({ name, logoText, logo, logoDark }: SandboxBrand): string {
  const dark =
    logoDark === null ? '' : `<source srcset="${escape(logoDark)}" media="(prefers-color-scheme: dark)">`
  const alt = logoText === '' ? escape(name) : ''
  const own = logo === null ? '/sandbox/icon.svg' : escape(logo)
  return `<picture>${logo === null ? '' : dark}<img src="${own}" alt="${alt}" height="28"></picture>${escape(logoText)}`
}

/** The other ways in which the first payment may end. */
const others = (say: (typeof words)[Language]) =>
  `<button name="result" value="underpaid">${say.underpaid}</button>
         <button class="quiet" name="result" value="cancelled">${say.cancelled}</button>`

export function sandboxPage(invoice: SandboxInvoice): string {
  const say = words[invoice.language]
  const isRest = invoice.state === 'underpaid'
  const cents = (invoice.dueMicros - (isRest ? invoice.receivedMicros : 0n)) / microsPerCent
  const amount = dollarsIn(Number(cents) / 100, invoice.language)
  const isOver = invoice.state === 'cancelled' || invoice.state === 'expired'
  const isOpen = invoice.state === 'pending' || isRest
  const state =
    invoice.state === 'pending' ? '' : ` · ${say.states[invoice.state as keyof typeof say.states]}`
  const buttons = isOpen
    ? `<p class="note">${say.note}</p>
       <form method="post">
         <button class="paint" name="result" value="paid" autofocus>${isRest ? say.rest : say.paid} ${amount}</button>
         ${isRest ? '' : others(say)}
       </form>`
    : `<p class="note">${isOver ? say.over : say.done}</p><a class="paint" href="/account?invoice=${encodeURIComponent(invoice.number)}">${say.back}</a>`
  const { colours: sheet, icon } = invoice.brand
  const colours = sheet === null ? '' : `<link rel="stylesheet" href="${escape(sheet)}">`
  return `<!doctype html>
<html lang="${invoice.language}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${say.title} — ${escape(invoice.brand.name)}</title>
<link rel="icon" href="${icon === null ? '/sandbox/icon.svg' : escape(icon)}">
<link rel="stylesheet" href="/sandbox/style.css">${colours}
</head>
<body><main>
<p class="brand">${logoOf(invoice.brand)}</p>
<div class="lane" aria-hidden="true"></div>
<h1>${say.title}</h1>
<dl>
<div><dt>${say.invoice}</dt><dd class="mono">${escape(invoice.number)}${escape(state)}</dd></div>
<div><dt>${say.traffic}</dt><dd>${exactGbIn(invoice.gb * bytesPerGb, invoice.language)}, ${escape(invoice.poolName)}</dd></div>
<div class="total"><dt>${say.toPay}</dt><dd class="mono">${amount}</dd></div>
</dl>
${buttons}
</main></body></html>
`
}

/** The design tokens of the shop, light and dark. */
export const sandboxStyle = `:root{color-scheme:light dark;--ground:#f4f3ef;--surface:#fff;--ink:#14171a;--quiet:#555b63;--line:#dad8d0;--paint:#ffc21a}
@media (prefers-color-scheme:dark){:root{--ground:#101215;--surface:#171a1f;--ink:#ecebe6;--quiet:#9aa1ab;--line:#2a2f37;--paint:#ffc83d}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;padding:24px;background:var(--ground);color:var(--ink);font:16px/1.5 "Onest Variable",Onest,system-ui,sans-serif}
main{width:100%;max-width:440px;background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:32px}
.brand{display:flex;align-items:center;gap:8px;margin:0;font-size:18px;font-weight:680;letter-spacing:-.02em}.brand img{display:block}.lane{height:4px;margin:12px 0 24px;background:repeating-linear-gradient(90deg,var(--paint) 0 28px,transparent 28px 44px)}
h1{font-size:28px;line-height:1.2;margin:0 0 20px}dl{margin:0 0 20px}dd{min-width:0;overflow-wrap:anywhere}@media (max-width:400px){body{padding:12px}main{padding:20px 16px}}dl div{display:flex;justify-content:space-between;gap:16px;padding:10px 0;border-bottom:1px solid var(--line)}
dt{color:var(--quiet)}dd{margin:0;text-align:right}.mono{font-family:"JetBrains Mono Variable","JetBrains Mono",ui-monospace,monospace;font-variant-numeric:tabular-nums}
.total dd{font-size:22px;font-weight:600}.note{color:var(--quiet)}form{display:grid;gap:12px}
button,a.paint{display:block;width:100%;min-height:48px;padding:12px 16px;border:1px solid var(--line);border-radius:6px;background:transparent;color:inherit;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button.paint,a.paint{background:var(--paint);border-color:var(--paint);color:var(--on-paint,#14171a)}button.quiet{border-color:transparent;color:var(--quiet)}
button:focus-visible,a:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
`

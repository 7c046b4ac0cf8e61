/** The customer's invoices: a list, each of them, and its documents as files. */
import { InlineKeyboard } from 'grammy'
import type { Output } from '#contract/contract'
import { receivedAndRest } from '#contract/invoices'
import { minuteInUtc } from '#lib/zone'
import type { Route } from '../base/route.ts'
import { backToMenu, menu, type Screen, usdIn, withLinks } from '../base/screens.ts'
import { escapeHtml } from '../base/texts.ts'
import type { Visit } from '../base/visit.ts'
import { accountWords } from './words.ts'

const invoicesAPage = 8
/** The number of an invoice, of any method. */
const numberForm = '[\\w-]{1,40}'

type Invoice = Output<'invoice'>

async function list(visit: Visit, before: string | null): Promise<Screen> {
  const { call, words, language } = visit
  const say = accountWords[language]
  const invoices = await call('invoices', before === null ? {} : { before })
  if (invoices.length === 0) return menu(words, say.noInvoices)
  const shown = invoices.slice(0, invoicesAPage)
  const keyboard = new InlineKeyboard()
  for (const invoice of shown) keyboard.text(lineOf(visit, invoice), `inv:${invoice.number}`).row()
  const last = shown.at(-1)
  if (invoices.length > shown.length && last !== undefined)
    keyboard.text(say.older, `invs:${last.number}`).row()
  return { text: say.allInvoices, keyboard: keyboard.append(backToMenu(words)) }
}

export const invoicesScreen = (visit: Visit): Promise<Screen> => list(visit, null)

function lineOf({ words, language }: Visit, { pool, gb, cost_usd: cost, state }: Invoice): string {
  const unit = language === 'en' ? 'GB' : 'ГБ'
  const goods = pool === 'balance' ? words.pools[pool] : `${gb} ${unit} · ${words.pools[pool]}`
  return `${goods} · ${usdIn(language, cost)} · ${accountWords[language].state[state]}`
}

async function one(visit: Visit, number: string, publicUrl: URL): Promise<Screen> {
  const { call, words, language } = visit
  const say = accountWords[language]
  const invoice = await call('invoice', { number })
  const documents = await call('invoice_documents', { number })
  const keyboard = new InlineKeyboard()
  for (const document of documents)
    keyboard.text(say.document(document.number), `doc:${number}:${document.id}`).row()
  keyboard.text(say.back, 'invs').append(backToMenu(words))
  const text = say.invoice({
    number: escapeHtml(invoice.short_number),
    id: escapeHtml(number),
    pool: words.pools[invoice.pool],
    gb: invoice.pool === 'balance' ? null : invoice.gb,
    cost: usdIn(language, invoice.cost_usd),
    received: usdIn(language, receivedAndRest(invoice.cost_usd, invoice.received_usd).received),
    state: say.state[invoice.state],
    when: minuteInUtc(invoice.created_at),
  })
  const { payment_url: page, method } = invoice
  if (page === null) return { text, keyboard }
  // Telegram lets a bot take stars only: everything else is paid on the site.
  const url = method === 'stars' ? new URL(page) : new URL(`/account?invoice=${number}`, publicUrl)
  return withLinks({ text, keyboard }, [{ label: say.pay, url }])
}

async function file({ call, words }: Visit, number: string, id: string): Promise<Screen> {
  const { bytes, name = 'document.pdf' } = await call('invoice_document', { number, id })
  return { text: escapeHtml(name), keyboard: backToMenu(words), file: { kind: 'document', name, bytes } }
}

export const invoiceRoutes: readonly Route[] = [
  { data: /^invs$/, show: (visit) => list(visit, null) },
  { data: new RegExp(`^invs:(${numberForm})$`), show: (visit, [before = '']) => list(visit, before) },
  {
    data: new RegExp(`^inv:(${numberForm})$`),
    show: (visit, [number = ''], { deps }) => one(visit, number, deps.publicUrl),
  },
  {
    data: new RegExp(`^doc:(${numberForm}):(\\d{1,18})$`),
    show: (visit, [number = '', id = '']) => file(visit, number, id),
  },
]

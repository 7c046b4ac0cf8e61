/** Buying in the chat: a pool, an amount, and a link that opens Telegram's payment in stars. */
import { createHash, randomBytes } from 'node:crypto'
import { InlineKeyboard } from 'grammy'
import { type Pool, pools } from '#contract/wire'
import { poolIn, type Route, stale } from '../base/route.ts'
import { backToMenu, menu, type Screen, usdIn, withLinks } from '../base/screens.ts'
import type { StarsDesk } from '../base/deps.ts'
import type { Visit } from '../base/visit.ts'
import { starsWords } from './words.ts'

/** The amounts offered as buttons, in GB. */
const amounts = [1, 5, 10, 25, 50, 100] as const

async function isOffered({ call }: Visit): Promise<boolean> {
  return (await call('payment_systems', {})).some(({ name }) => name === 'stars')
}

async function choosePool(visit: Visit): Promise<Screen> {
  const { call, words, language } = visit
  const say = starsWords[language]
  if (!(await isOffered(visit))) return menu(words, say.off)
  const prices = await call('prices', {})
  const onSale = pools.filter((pool) => prices[pool] !== undefined)
  if (onSale.length === 0) return menu(words, words.nothingOnSale)
  const keyboard = new InlineKeyboard()
  for (const pool of onSale) keyboard.text(words.pools[pool], `stars:${pool}`).row()
  return { text: say.choosePool, keyboard: keyboard.append(backToMenu(words)) }
}

function chooseAmount({ words, language }: Visit, pool: Pool): Screen {
  // Each button of this message stands for one order: a second press finds the invoice of the first.
  const nonce = randomBytes(6).toString('hex')
  const keyboard = new InlineKeyboard()
  for (const [index, gb] of amounts.entries()) {
    keyboard.text(`${gb} ${language === 'en' ? 'GB' : 'ГБ'}`, `stars:${pool}:${gb}:${nonce}`)
    if (index % 3 === 2) keyboard.row()
  }
  return {
    text: starsWords[language].chooseAmount(words.pools[pool]),
    keyboard: keyboard.row().append(backToMenu(words)),
  }
}

/** The number of the invoice of a button: derived from the account too, and as long as any other number. */
const operationOf = ({ account }: Visit, facts: string) =>
  createHash('sha256').update(`stars ${account.id} ${facts}`).digest('hex').slice(0, 20)

async function order(
  visit: Visit,
  { priceOf }: StarsDesk,
  { pool, gb, nonce }: { pool: Pool; gb: number; nonce: string },
): Promise<Screen> {
  const { call, words, language } = visit
  const say = starsWords[language]
  const operation = operationOf(visit, `${pool} ${gb} ${nonce}`)
  const url = await call('create_invoice_web', { payment_method: 'stars', amount: gb, pool }, { operation })
  const { cost_usd: cost } = await call('invoice', { number: operation })
  const stars = String(priceOf(BigInt(Math.round(cost * 1_000_000))))
  const facts = { pool: words.pools[pool], gb, cost: usdIn(language, cost), stars }
  return withLinks({ text: say.invoice(facts), keyboard: backToMenu(words) }, [
    { label: say.pay(stars), url: new URL(url) },
  ])
}

export const starsRoutes: readonly Route[] = [
  { data: /^stars$/, show: choosePool },
  {
    data: /^stars:(\w{1,32})$/,
    show: async (visit, [name]) => {
      const pool = poolIn(name)
      return pool === null ? stale(visit) : chooseAmount(visit, pool)
    },
  },
  {
    data: /^stars:(\w{1,32}):(\d{1,4}):([0-9a-f]{12})$/,
    show: async (visit, [name, gb = '', nonce = ''], { deps }) => {
      const pool = poolIn(name)
      if (pool === null || Number(gb) === 0) return stale(visit)
      if (deps.stars === null) return menu(visit.words, starsWords[visit.language].off)
      return order(visit, deps.stars, { pool, gb: Number(gb), nonce })
    },
  },
]

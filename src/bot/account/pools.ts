/** The choice of a pool that the customer has access to. */
import { InlineKeyboard } from 'grammy'
import { backToMenu, menu, type Screen, trafficOf } from '../base/screens.ts'
import type { Visit } from '../base/visit.ts'
import type { Pool } from '#contract/wire'
import { accountWords } from './words.ts'

/** The pools, or the screen of the only one. */
export async function choosePool(
  visit: Visit,
  prefix: string,
  show: (pool: Pool) => Promise<Screen>,
): Promise<Screen> {
  const { words, language } = visit
  const [first, ...others] = (await trafficOf(visit)).keys()
  if (first === undefined) return menu(words, words.nothingBought)
  if (others.length === 0) return show(first)
  const keyboard = new InlineKeyboard()
  for (const pool of [first, ...others]) keyboard.text(words.pools[pool], `${prefix}:${pool}`).row()
  return { text: accountWords[language].choosePool, keyboard: keyboard.append(backToMenu(words)) }
}

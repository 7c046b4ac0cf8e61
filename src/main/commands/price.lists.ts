/** turnpike prices lists, set-list, remove-list, assign: prices agreed with some customers. */
import { type Command, InvalidArgumentError } from 'commander'
import { type ListPrice, type PriceList, priceLists, type Tier } from '#catalog'
import { maxOrderGb } from '#contract/price'
import { type Pool, pools } from '#contract/wire'
import type { Database } from '#db'
import { assignList, changeList, dropList, type ListDraft, makeList } from '#desk'
import { usdText } from '#lib/money'
import { systemAuthor } from '#staff'
import { accountNamed } from './customers.ts'
import {
  CommandFault,
  json,
  percentArgument,
  percentText,
  poolArgument,
  print,
  printJson,
  printTable,
  usdArgument,
  wholeArgument,
  withServices,
} from './terminal/command.ts'

/** Both sides of "pool=3.5" or "100=12.5". */
function pairOf(text: string): [string, string] {
  const [left = '', right = '', ...more] = text.split('=')
  if (left === '' || right === '' || more.length > 0)
    throw new InvalidArgumentError('It is a pair such as residential=2.5.')
  return [left, right]
}

type Prices = ReadonlyMap<Pool, ListPrice>

const withPrice = (text: string, before: Prices = new Map()): Prices => {
  const [pool, usd] = pairOf(text)
  return new Map([...before, [poolArgument(pool), { perGbMicros: usdArgument(usd) }]])
}

const percentOff = percentArgument({ min: 0.0001, max: 99.9999 })
const withOff = (text: string, before: Prices = new Map()): Prices => {
  const [pool, percent] = pairOf(text)
  return new Map([...before, [poolArgument(pool), { offPpm: percentOff(percent) }]])
}

const tierFrom = wholeArgument({ min: 1, max: maxOrderGb })
const tierOff = percentArgument({ min: 0, max: 99.9999 })
const withTier = (text: string, before: readonly Tier[] = []): Tier[] => {
  const [gb, percent] = pairOf(text)
  const tier = { fromGb: tierFrom(gb), discountPpm: tierOff(percent) }
  return [...before.filter(({ fromGb }) => fromGb !== tier.fromGb), tier]
}

interface SetOptions {
  price?: Prices
  off?: Prices
  tier?: Tier[]
  tiers: boolean
  json?: boolean
}

export function priceListCommands(prices: Command): void {
  prices
    .command('lists')
    .description('price lists: prices agreed with some customers')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database: { db } }) => {
        const lists = await priceLists(db)
        if (options.json) return printJson(lists.map(asJson))
        const rows = lists.map((list) => [
          list.name,
          String(list.customers),
          pricesText(list),
          tiersText(list),
        ])
        return printTable(['LIST', 'CUSTOMERS', 'PRICES', 'VOLUME'], rows, 'There are no price lists.')
      }),
    )
  prices
    .command('set-list')
    .argument('<name>', 'the name of the list')
    .option('--price <pool=usd>', 'a fixed price of a GB, such as residential=2.5; repeatable', withPrice)
    .option('--off <pool=percent>', 'what comes off the shop’s price, such as mobile=10; repeatable', withOff)
    .option('--tier <gb=percent>', 'a discount by volume of the list’s own; repeatable', withTier)
    .option('--no-tiers', 'no discounts by volume; without this and --tier the shop’s apply')
    .description('make a price list or replace what it says; open invoices keep their price')
    .addOption(json())
    .action((name: string, options: SetOptions) =>
      withServices(async ({ database }) => {
        const list = await setList(database, name.trim(), options)
        if (options.json) printJson(asJson(list))
        else print(`${list.name}: ${pricesText(list)}; ${tiersText(list)}.`)
      }),
    )
  prices
    .command('remove-list')
    .argument('<name>', 'the name of the list')
    .description('remove a price list that no customer has')
    .action((name: string) =>
      withServices(async ({ database }) => {
        const list = await listNamed(database, name)
        const { db, clock } = database
        await dropList(db, systemAuthor(), { id: list.id, version: null, reason: null }, clock.now())
        print(`The price list ${list.name} is removed.`)
      }),
    )
  prices
    .command('assign')
    .argument('<customer>', 'a user name, an e-mail, or the number of an account, such as 12 or #12')
    .argument('[list]', 'the name of a price list; without it the shop’s prices')
    .description('give a customer a price list; open invoices keep their price')
    .action((customer: string, name: string | undefined) =>
      withServices(async ({ database }) => {
        const { id: accountId } = await accountNamed(database, customer)
        const list = name === undefined ? null : await listNamed(database, name)
        const { db, clock } = database
        const wish = { accountId, listId: list?.id ?? null, reason: null }
        const changed = await assignList(db, systemAuthor(), wish, clock.now())
        const prices = list === null ? 'the shop’s prices' : `the price list ${list.name}`
        print(`${customer} ${changed ? 'has' : 'had before'} ${prices}.`)
      }),
    )
}

async function listNamed({ db }: Database, name: string): Promise<PriceList> {
  const list = (await priceLists(db)).find((one) => one.name.toLowerCase() === name.trim().toLowerCase())
  if (list === undefined) throw new CommandFault(`There is no price list ${name}.`)
  return list
}

async function setList({ db, clock }: Database, name: string, options: SetOptions): Promise<PriceList> {
  if (name === '' || name.length > 60) throw new CommandFault('The name of a list has 1 to 60 characters.')
  const wanted: ListDraft = {
    name,
    prices: new Map([...(options.price ?? []), ...(options.off ?? [])]),
    tiers: options.tiers ? (options.tier ?? null) : [],
  }
  const known = (await priceLists(db)).find((one) => one.name.toLowerCase() === name.toLowerCase())
  if (known === undefined) return makeList(db, systemAuthor(), { ...wanted, reason: null }, clock.now())
  const change = { id: known.id, version: null, wanted: () => wanted, reason: null }
  return changeList(db, systemAuthor(), change, clock.now())
}

const priceText = (price: ListPrice) =>
  'offPpm' in price ? `−${percentText(price.offPpm)}` : `${usdText(price.perGbMicros, 2)} USD`

const pricesText = ({ prices }: PriceList) => {
  const own = pools.flatMap((pool) => {
    const price = prices.get(pool)
    return price === undefined ? [] : [`${pool} ${priceText(price)}`]
  })
  return own.length === 0 ? 'the shop’s prices' : own.join(', ')
}

const tiersText = ({ tiers }: PriceList) => {
  if (tiers === null) return 'the shop’s discounts'
  if (tiers.length === 0) return 'no discounts'
  return tiers.map(({ fromGb, discountPpm }) => `from ${fromGb} GB −${percentText(discountPpm)}`).join(', ')
}

const asJson = ({ id, name, customers, prices, tiers }: PriceList) => ({
  id,
  name,
  customers,
  prices: Object.fromEntries(
    [...prices].map(([pool, price]) => [
      pool,
      'offPpm' in price ? { off: price.offPpm / 1e6 } : { usd: Number(price.perGbMicros) / 1e6 },
    ]),
  ),
  tiers: tiers?.map(({ fromGb, discountPpm }) => ({ from_gb: fromGb, discount: discountPpm / 1e6 })) ?? null,
})

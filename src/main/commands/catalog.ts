/** turnpike prices, turnpike tiers: the prices of pools and the volume discounts. */
import type { Command } from 'commander'
import { basePrices, type Prices, tiers } from '#catalog'
import { maxOrderGb } from '#contract/price'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { changePrices } from '#desk'
import { usdText, usdToWire } from '#lib/money'
import { systemAuthor } from '#staff'
import { priceListCommands } from './price.lists.ts'
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

export function catalogCommands(turnpike: Command): void {
  priceCommands(turnpike)
  tierCommands(turnpike)
}

function priceCommands(turnpike: Command): void {
  const prices = turnpike.command('prices').description('prices per GB, by pool')
  prices
    .command('list', { isDefault: true })
    .description('the pools on sale')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        if (options.json) return printJson(await pricesOnSale(database))
        const rows = [...(await basePrices(database.db))].map(([pool, usd]) => [pool, usdText(usd, 2)])
        return printTable(['POOL', 'USD PER GB'], rows, 'No pool is on sale.')
      }),
    )
  prices
    .command('set')
    .argument('<pool>', 'the pool', poolArgument)
    .argument('<usd>', 'USD for one GB, at most 6 decimals', usdArgument)
    .description('put a pool on sale or change its price; open invoices keep their price')
    .addOption(json())
    .action((pool: Pool, perGbMicros: bigint, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        await change(database, ({ prices }) => void prices.set(pool, perGbMicros))
        if (options.json) printJson(await pricesOnSale(database))
        else print(`${pool} costs ${usdText(perGbMicros, 2)} USD per GB.`)
      }),
    )
  prices
    .command('remove')
    .argument('<pool>', 'the pool', poolArgument)
    .description('take a pool off sale; bought traffic stays usable')
    .addOption(json())
    .action((pool: Pool, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        await change(database, ({ prices }) => {
          if (!prices.delete(pool)) throw new CommandFault(`${pool} is not on sale.`)
        })
        if (options.json) printJson(await pricesOnSale(database))
        else print(`${pool} is off sale.`)
      }),
    )
  priceListCommands(prices)
}

/** Changes the current prices, and records the change. */
const change = ({ db, clock }: Database, edit: (prices: Prices) => void) =>
  changePrices(
    db,
    systemAuthor(),
    {
      seen: null,
      reason: null,
      wanted: (now) => {
        const wanted = { prices: new Map(now.prices), tiers: [...now.tiers] }
        edit(wanted)
        return wanted
      },
    },
    clock.now(),
  )

async function pricesOnSale({ db }: Database): Promise<Record<string, number>> {
  return Object.fromEntries([...(await basePrices(db))].map(([pool, micros]) => [pool, usdToWire(micros)]))
}

const fromGb = wholeArgument({ min: 1, max: maxOrderGb })

function tierCommands(turnpike: Command): void {
  const command = turnpike.command('tiers').description('discounts for volume')
  command
    .command('list', { isDefault: true })
    .description('discounts by the number of GB from which they apply')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        if (options.json) return printJson(await knownTiers(database))
        const rows = (await tiers(database.db)).map((tier) => [
          String(tier.fromGb),
          percentText(tier.discountPpm),
        ])
        return printTable(['FROM GB', 'OFF'], rows, 'There are no volume discounts.')
      }),
    )
  command
    .command('set')
    .argument('<gb>', 'from this many GB on', fromGb)
    .argument('<percent>', 'the discount, such as 12.5', percentArgument({ min: 0, max: 99.9999 }))
    .description('add a tier or change its discount')
    .addOption(json())
    .action((gb: number, discountPpm: number, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        await change(database, (known) => {
          known.tiers = [...known.tiers.filter((tier) => tier.fromGb !== gb), { fromGb: gb, discountPpm }]
        })
        if (options.json) printJson(await knownTiers(database))
        else print(`From ${gb} GB on: ${percentText(discountPpm)} off.`)
      }),
    )
  command
    .command('remove')
    .argument('<gb>', 'the tier from this many GB on', fromGb)
    .description('remove a tier')
    .addOption(json())
    .action((gb: number, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        await change(database, (known) => {
          const others = known.tiers.filter((tier) => tier.fromGb !== gb)
          if (others.length === known.tiers.length)
            throw new CommandFault(`There is no tier from ${gb} GB on.`)
          known.tiers = others
        })
        if (options.json) printJson(await knownTiers(database))
        else print(`The tier from ${gb} GB on is removed.`)
      }),
    )
}

async function knownTiers({ db }: Database): Promise<{ from_gb: number; discount: number }[]> {
  return (await tiers(db)).map((tier) => ({ from_gb: tier.fromGb, discount: tier.discountPpm / 1e6 }))
}

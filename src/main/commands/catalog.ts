/** turnpike prices, turnpike tiers: what can be bought and for how much. */
import type { Command } from 'commander'
import { basePrices, removePrice, removeTier, setPrice, setTier, tiers } from '#catalog'
import type { Pool } from '#contract/wire'
import { usdText, usdToWire } from '#lib/money'
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
} from './command.ts'

export function catalogCommands(turnpike: Command): void {
  priceCommands(turnpike)
  tierCommands(turnpike)
}

function priceCommands(turnpike: Command): void {
  const prices = turnpike.command('prices').description('what a GB of each pool costs')
  prices
    .command('list', { isDefault: true })
    .description('the pools on sale')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const known = [...(await basePrices(database.db))]
        if (options.json)
          return printJson(Object.fromEntries(known.map(([pool, usd]) => [pool, usdToWire(usd)])))
        const rows = known.map(([pool, usd]) => [pool, usdText(usd, 2)])
        return printTable(['POOL', 'USD PER GB'], rows, 'No pool is on sale.')
      }),
    )
  prices
    .command('set')
    .argument('<pool>', 'the pool', poolArgument)
    .argument('<usd>', 'USD for one GB, at most 6 decimals', usdArgument)
    .description('put a pool on sale or change its price; open invoices keep what they were quoted')
    .action((pool: Pool, perGbMicros: bigint) =>
      withServices(async ({ database }) => {
        await setPrice(database.db, pool, perGbMicros)
        print(`${pool} costs ${usdText(perGbMicros, 2)} USD per GB.`)
      }),
    )
  prices
    .command('remove')
    .argument('<pool>', 'the pool', poolArgument)
    .description('take a pool off sale; what was bought of it stays')
    .action((pool: Pool) =>
      withServices(async ({ database }) => {
        if (!(await removePrice(database.db, pool))) throw new CommandFault(`${pool} is not on sale.`)
        print(`${pool} is off sale.`)
      }),
    )
}

const fromGb = wholeArgument({ min: 1, max: 99_999_999 })

function tierCommands(turnpike: Command): void {
  const command = turnpike.command('tiers').description('discounts for volume')
  command
    .command('list', { isDefault: true })
    .description('from how many GB on there is how much off')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const known = await tiers(database.db)
        if (options.json)
          return printJson(known.map((tier) => ({ from_gb: tier.fromGb, discount: tier.discountPpm / 1e6 })))
        const rows = known.map((tier) => [String(tier.fromGb), percentText(tier.discountPpm)])
        return printTable(['FROM GB', 'OFF'], rows, 'There are no volume discounts.')
      }),
    )
  command
    .command('set')
    .argument('<gb>', 'from this many GB on', fromGb)
    .argument('<percent>', 'so much off, such as 12.5', percentArgument({ min: 0, max: 99.9999 }))
    .description('add a tier or change its discount')
    .action((gb: number, discountPpm: number) =>
      withServices(async ({ database }) => {
        await setTier(database.db, { fromGb: gb, discountPpm })
        print(`From ${gb} GB on: ${percentText(discountPpm)} off.`)
      }),
    )
  command
    .command('remove')
    .argument('<gb>', 'the tier from this many GB on', fromGb)
    .description('remove a tier')
    .action((gb: number) =>
      withServices(async ({ database }) => {
        if (!(await removeTier(database.db, gb))) throw new CommandFault(`There is no tier from ${gb} GB on.`)
        print(`The tier from ${gb} GB on is gone.`)
      }),
    )
}

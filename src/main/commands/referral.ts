/** turnpike referral, turnpike campaigns: the share of inviters, and statistics of campaigns. */
import type { Command } from 'commander'
import { usdText, usdToWire } from '#lib/money'
import { campaigns, defaultSharePpm, setDefaultSharePpm } from '#referral'
import {
  json,
  percentArgument,
  percentText,
  print,
  printJson,
  printTable,
  withServices,
} from './terminal/command.ts'

export function referralCommands(turnpike: Command): void {
  turnpike
    .command('referral')
    .argument('[percent]', 'the new share, such as 10', percentArgument({ min: 0, max: 100 }))
    .addOption(json())
    .description(
      'the share of what invited customers pay that their inviter earns; change it with a percentage',
    )
    .action((sharePpm: number | undefined, options: { json?: boolean }) =>
      withServices(async ({ database: { db } }) => {
        if (sharePpm !== undefined) await setDefaultSharePpm(db, sharePpm)
        const now = await defaultSharePpm(db)
        if (options.json) printJson({ percent: now / 1e6 })
        else print(`Inviters earn ${percentText(now)} of what those they invited pay.`)
      }),
    )
  turnpike
    .command('campaigns')
    .addOption(json())
    .description('sign-ups, buyers and revenue by the source that people came with')
    .action((options: { json?: boolean }) =>
      withServices(async ({ database: { db } }) => {
        const found = await campaigns(db)
        if (options.json) {
          return printJson(
            found.map(({ code, signUps, buyers, revenueMicros }) => ({
              source: code,
              sign_ups: signUps,
              buyers,
              revenue_usd: usdToWire(revenueMicros),
            })),
          )
        }
        const rows = found.map(({ code, signUps, buyers, revenueMicros }) => [
          code,
          String(signUps),
          String(buyers),
          usdText(revenueMicros, 2),
        ])
        return printTable(['SOURCE', 'SIGN-UPS', 'BUYERS', 'USD'], rows, 'Nobody came by a campaign yet.')
      }),
    )
}

/** turnpike referral, turnpike campaigns: the share of inviters, and statistics of campaigns. */
import type { Command } from 'commander'
import { setReferralShare } from '#desk'
import { usdText, usdToWire } from '#lib/money'
import { campaigns, defaultSharePpm } from '#referral'
import { systemAuthor } from '#staff'
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
      withServices(async ({ database }) => {
        if (sharePpm !== undefined)
          await setReferralShare(
            database.db,
            systemAuthor(),
            { ppm: sharePpm, reason: null },
            database.clock.now(),
          )
        const now = await defaultSharePpm(database.db)
        if (options.json) printJson({ percent: now / 1e6 })
        else print(`Inviters earn ${percentText(now)} of what those they invited pay.`)
      }),
    )
  turnpike
    .command('campaigns')
    .addOption(json())
    .description('sign-ups, buyers and revenue by campaign')
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

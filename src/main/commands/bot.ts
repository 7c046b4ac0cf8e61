/** turnpike bot: the Telegram bot as a process of its own. */
import type { Command } from 'commander'
import { load } from '../cli/load.ts'
import { settings } from './terminal/command.ts'

export function botCommand(turnpike: Command): void {
  turnpike
    .command('bot')
    .description('start the Telegram bot; of several, one answers each update')
    .action(async () => (await load(() => import('../processes.ts'))).runBot(await settings()))
}

/** turnpike operator: the people who run the shop. */
import type { Command } from 'commander'
import { makeOperator } from '../demo.ts'
import { json, print, printJson, withServices } from './command.ts'

export function operatorCommand(turnpike: Command): void {
  turnpike
    .command('operator')
    .argument('<name>', 'user name, more than 6 characters')
    .addOption(json())
    .description("make an operator's account, or give an operator a new password; prints the password")
    .action((name: string, asked: { json?: boolean }) =>
      withServices(async (services) => {
        const password = await makeOperator(services, name)
        if (asked.json) printJson({ username: name, password })
        else print(password)
      }),
    )
}

/** turnpike operator: the accounts of operators. */
import type { Command } from 'commander'
import { accountById, type AccountLine, findAccount } from '#accounts'
import { makeOperator } from '../demo.ts'
import { json, print, printJson, withServices } from './command.ts'
import { asking, type Asking, mayProceed } from './confirm.ts'

export function operatorCommand(turnpike: Command): void {
  asking(turnpike.command('operator'))
    .argument('<name>', 'user name, more than 6 characters')
    .addOption(json())
    .description("make an operator's account, or give an operator a new password; prints the password")
    .action((name: string, asked: Asking) =>
      withServices(async (services) => {
        const { db } = services.database
        const found = await findAccount(db, name)
        const known = found === null ? null : await accountById(db, found.id)
        // An existing account needs confirmation: it may be a customer's.
        const isAsked = known !== null || asked.dryRun === true
        if (isAsked && !(await mayProceed([sentenceAbout(name, known)], asked))) return
        const password = await makeOperator(services, name)
        if (asked.json) printJson({ username: name, password })
        else print(password)
      }),
    )
}

function sentenceAbout(name: string, account: AccountLine | null): string {
  if (account === null) return `An operator's account ${name} will be made.`
  const who = `${account.username ?? account.email ?? 'without a name'} (#${account.id})`
  return account.roleId === 2
    ? `The operator ${who} will get a new password; their sessions end.`
    : `${who} is a customer's account, with ${account.email ?? 'no e-mail'}, since ${account.createdAt.toISOString().slice(0, 10)}. It will become an operator's and get a new password.`
}

/** turnpike setup: the link at which the first owner sets up the shop at the desk. */
import type { Command } from 'commander'
import { momentIn } from '#contract/amounts'
import { inviteStaff, linkAddress, listStaff, resetStaff, systemAuthor } from '#staff'
import { isLocalHost } from '../settings/settings.ts'
import { json, print, printJson, withServices } from './terminal/command.ts'

interface SetupOptions {
  name: string
  json?: boolean
}

export function setupCommand(turnpike: Command): void {
  turnpike
    .command('setup')
    .option('--name <name>', 'the name of the owner', 'owner')
    .addOption(json())
    .description('print the link at which the owner sets up the shop: good once, for a day')
    .action(setup)
}

/**
 * Makes the first owner, or gives one who has not joined yet a new link. A shop with an owner gets no link:
 * `turnpike staff reset` takes an account away.
 */
function setup({ name, json: isJson = false }: SetupOptions): Promise<void> {
  return withServices(async ({ database, settings: { desk } }) => {
    const { db, clock } = database
    const now = clock.now()
    const owners = (await listStaff(db, now)).filter(
      ({ role, blocked_at: blockedAt }) => role === 'owner' && blockedAt === null,
    )
    const page = new URL('/setup', desk.url).href
    if (owners.some(({ has_password: hasJoined }) => hasJoined))
      return isJson
        ? printJson({ has_owner: true, page })
        : print(`The shop has an owner, who goes on at ${page}. Another one: turnpike staff add --help`)
    const [invited] = owners
    const made =
      invited === undefined
        ? await inviteStaff(db, systemAuthor(), { name, role: 'owner' }, now)
        : await resetStaff(db, systemAuthor(), invited.id, now)
    const url = linkAddress(desk.url, made.token)
    if (isJson) return printJson({ has_owner: false, url, expires_at: made.expiresAt.toISOString() })
    return print(
      `${url}\n\nIt works once, until ${momentIn(made.expiresAt, 'en')}.${isLocalHost(desk.url.hostname) ? tunnel(desk.url) : ''}`,
    )
  })
}

/** How a browser elsewhere reaches a desk that is for this machine only. */
function tunnel({ port }: URL): string {
  return ` The desk is for this machine only; from yours: ssh -L ${port}:127.0.0.1:${port} root@<this machine>`
}

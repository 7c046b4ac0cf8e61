/** turnpike gateways: lists the gateways with their states, drains one, and makes or revokes their own tokens. */
import { Argument, type Command } from 'commander'
import { drainGateway, revokeToken } from '#desk'
import { systemAuthor } from '#staff'
import { gatewayTokens, type KnownGateway, listGateways, makeGatewayToken } from '#traffic'
import { CommandFault, json, print, printJson, printTable, withServices } from './terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'
import { recorded } from './terminal/recorded.ts'

const nameArgument = () => new Argument('<name>', 'the name of the gateway, as the list shows it')

export function gatewayCommands(turnpike: Command): void {
  const gateways = turnpike.command('gateways').description('gateways and their state')
  gateways
    .command('list', { isDefault: true })
    .option('--tokens', 'list the gateways that have an own token, heard of or not')
    .addOption(json())
    .description('list the gateways of the last seven days, and those that are drained')
    .action((asked: { json?: boolean; tokens?: boolean }) =>
      asked.tokens === true ? listTokens(asked) : list(asked),
    )
  gateways
    .command('drain')
    .addArgument(nameArgument())
    .description('let a gateway accept no new connections until `undrain`')
    .action((name: string) =>
      change(name, true, {
        changed: `Gateway ${name} accepts no more connections; its tunnels end within its GATEWAY_DRAIN_SECONDS. After a restart it stays drained.`,
        unchanged: `Gateway ${name} is to be drained already.`,
      }),
    )
  gateways
    .command('undrain')
    .alias('resume')
    .addArgument(nameArgument())
    .description('let a drained gateway accept connections again')
    .action((name: string) =>
      change(name, false, {
        changed: `Gateway ${name} serves again, as soon as the tunnels that still drain have ended.`,
        unchanged: `Gateway ${name} is not drained.`,
      }),
    )
  tokenCommands(gateways)
}

function tokenCommands(gateways: Command): void {
  const words = 'letters, digits and underscores'
  gateways
    .command('add')
    .argument(
      '<name>',
      `the name of the gateway: at most 40 ${words}; that of a known one as the list shows it`,
    )
    .addOption(json())
    .description('make the own token of a gateway on a machine without the database, its FEED_TOKEN')
    .action((name: string, asked: { json?: boolean }) => makeToken(name, false, asked))
  asking(gateways.command('rotate'))
    .addArgument(nameArgument())
    .addOption(json())
    .description('replace the own token of a gateway: the one before is refused at once')
    .action(async (name: string, asked: ConfirmOptions & { json?: boolean }) => {
      const sentence = `Gateway ${name} is disconnected, and serves what it has leased until it is restarted with the new token.`
      if (await mayProceed([sentence], asked)) await makeToken(name, true, asked)
    })
  asking(gateways.command('revoke'))
    .addArgument(nameArgument())
    .description('revoke the own token of a gateway: it is disconnected at once')
    .action(async (name: string, asked: ConfirmOptions) => {
      const sentence = `Gateway ${name} is disconnected at once. What it has relayed and not reported is charged to nobody, and its leases return to the balances after ten minutes.`
      if (await mayProceed([sentence], asked)) await revoke(name)
    })
}

const entryOf = (action: 'add_gateway_token' | 'rotate_gateway_token', id: string) => ({
  action,
  subject: { kind: 'gateway', id } as const,
})

function makeToken(gateway: string, replaces: boolean, asked: { json?: boolean }): Promise<void> {
  return withServices(async ({ database }) => {
    const { token } = await recorded(
      database,
      async (tx) => {
        const made = await makeGatewayToken(tx, { gateway, replaces })
        if (typeof made === 'object') return made
        throw new CommandFault(
          {
            malformed: `A gateway's name has at most 40 letters, digits and underscores, not “${gateway}”.`,
            exists: `Gateway ${gateway} has an own token: replace it with turnpike gateways rotate ${gateway}.`,
            unknown: `Gateway ${gateway} has no valid token: make one with turnpike gateways add ${gateway}.`,
          }[made],
        )
      },
      () => entryOf(replaces ? 'rotate_gateway_token' : 'add_gateway_token', gateway),
    )
    if (asked.json) printJson({ gateway, token })
    else
      print(
        `The token of gateway ${gateway}, which is shown this once, is the setting on its machine:\nFEED_TOKEN=${token}`,
      )
  })
}

function revoke(gateway: string): Promise<void> {
  return withServices(async ({ database }) => {
    if (!(await revokeToken(database.db, systemAuthor(), { name: gateway }, database.clock.now())))
      throw new CommandFault(`Gateway ${gateway} has no valid token.`)
    print(`The token of gateway ${gateway} is revoked.`)
  })
}

function listTokens(asked: { json?: boolean }): Promise<void> {
  return withServices(async ({ database }) => {
    const tokens = await gatewayTokens(database.db)
    if (asked.json)
      return printJson(
        tokens.map(({ gateway, madeAt, revokedAt }) => ({ gateway, made_at: madeAt, revoked_at: revokedAt })),
      )
    const rows = tokens.map(({ gateway, madeAt, revokedAt }) => [
      gateway,
      madeAt.toISOString().slice(0, 19),
      revokedAt === null ? 'no' : revokedAt.toISOString().slice(0, 19),
    ])
    return printTable(['NAME', 'MADE', 'REVOKED'], rows, 'No gateway has an own token.')
  })
}

function change(
  name: string,
  isDrained: boolean,
  sentences: { changed: string; unchanged: string },
): Promise<void> {
  return withServices(async ({ database }) => {
    const author = systemAuthor()
    const isChanged = await drainGateway(database.db, author, { name, isDrained }, database.clock.now())
    print(isChanged ? sentences.changed : sentences.unchanged)
  })
}

function list(options: { json?: boolean }): Promise<void> {
  return withServices(async ({ database }) => {
    const found = await listGateways(database.db)
    if (options.json) return printJson(found.map(asJson))
    const rows = found.map((one) => [
      one.name,
      one.state,
      one.drainAskedAt === null ? 'no' : one.drainAskedAt.toISOString().slice(0, 16),
      one.version,
      one.address,
      String(one.workers),
      String(one.connections),
      String(one.reportsWaiting),
      one.token ?? 'shared',
      one.startedAt.toISOString().slice(0, 19),
      one.seenAt.toISOString().slice(0, 19),
    ])
    const headings = ['NAME', 'STATE', 'DRAINED SINCE', 'VERSION', 'ADDRESS', 'WORKERS', 'CONNECTIONS']
    return printTable(
      [...headings, 'REPORTS WAITING', 'TOKEN', 'STARTED', 'HEARD'],
      rows,
      'No gateway was heard of in the last seven days.',
    )
  })
}

const asJson = (one: KnownGateway) => ({
  name: one.name,
  state: one.state,
  drain_asked_at: one.drainAskedAt,
  version: one.version,
  address: one.address,
  workers: one.workers,
  connections: one.connections,
  reports_waiting: one.reportsWaiting,
  token: one.token,
  started_at: one.startedAt,
  seen_at: one.seenAt,
})

/** turnpike gateways: lists the gateways with their states, and drains one. */
import { Argument, type Command } from 'commander'
import { drainGateway } from '#desk'
import { systemAuthor } from '#staff'
import { type KnownGateway, listGateways } from '#traffic'
import { json, print, printJson, printTable, withServices } from './terminal/command.ts'

const nameArgument = () => new Argument('<name>', 'the name of the gateway, as the list shows it')

export function gatewayCommands(turnpike: Command): void {
  const gateways = turnpike.command('gateways').description('gateways and their state')
  gateways
    .command('list', { isDefault: true })
    .addOption(json())
    .description('list the gateways of the last seven days, and those that are drained')
    .action(list)
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
    const known = (value: string | number | null) => (value === null ? '–' : String(value))
    const rows = found.map((one) => [
      one.name,
      one.state,
      one.drainAskedAt === null ? 'no' : one.drainAskedAt.toISOString().slice(0, 16),
      known(one.version),
      known(one.address),
      String(one.workers),
      known(one.connections),
      known(one.reportsWaiting),
      one.startedAt.toISOString().slice(0, 19),
      one.seenAt.toISOString().slice(0, 19),
    ])
    const headings = ['NAME', 'STATE', 'DRAINED SINCE', 'VERSION', 'ADDRESS', 'WORKERS', 'CONNECTIONS']
    return printTable(
      [...headings, 'REPORTS WAITING', 'STARTED', 'HEARD'],
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
  started_at: one.startedAt,
  seen_at: one.seenAt,
})

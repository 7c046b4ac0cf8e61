/** turnpike requests: the record of a request. */
import { Argument, type Command } from 'commander'
import { accountById } from '#accounts'
import { showExits } from '#exits'
import { forgivenBytes, type OwnedRequest, requestById } from '#requests'
import { CommandFault, json, printJson, printTable, withServices } from './terminal/command.ts'

export function requestCommands(turnpike: Command): void {
  const requests = turnpike
    .command('requests')
    .description('requests and tunnels of the last CONNECTION_LOG_DAYS days')
  requests
    .command('show')
    .addArgument(new Argument('<id>', 'its X-Request-Id, the request_id of the log'))
    .addOption(json())
    .description('show the account, target, outcome and cost of a request')
    .action(show)
}

function show(id: string, options: { json?: boolean }): Promise<void> {
  return withServices(async ({ database: { db }, secrets }) => {
    const request = await requestById(db, id.trim())
    if (request === null)
      throw new CommandFault(
        `There is no record of ${id}: it is no longer kept, or was lost. The line of the log with this request_id names the account as well.`,
      )
    const customer = await accountById(db, request.account)
    const exit =
      request.exit === null
        ? undefined
        : (await showExits(db, secrets)).find((one) => one.id === request.exit)
    const facts = factsOf(request, { customer, exit: exit?.name ?? null })
    if (options.json) printJson(facts)
    else
      printTable(
        ['REQUEST', request.id],
        Object.entries(facts).map(([name, value]) => [
          name.replaceAll('_', ' '),
          value === null ? '—' : String(value),
        ]),
        '',
      )
  })
}

/** The output, as data and as a table. */
function factsOf(
  request: OwnedRequest,
  known: { customer: Awaited<ReturnType<typeof accountById>>; exit: string | null },
) {
  const { customer } = known
  return {
    account: request.account,
    username: customer?.username ?? null,
    email: customer?.email ?? null,
    blocked: customer === null ? null : customer.blockedAt !== null,
    access: request.access,
    login: request.login,
    pool: request.pool,
    settings: request.settings,
    accepted_at: request.accepted_at.toISOString(),
    protocol: request.protocol,
    target: request.target,
    client: request.client,
    client_port: request.client_port,
    outcome: request.outcome,
    code: request.code,
    sentence: request.sentence,
    exit: request.exit,
    exit_name: known.exit,
    country: request.country,
    ended_ms: request.ended_ms,
    multiplier: request.multiplier,
    up_bytes: request.up_bytes,
    down_bytes: request.down_bytes,
    charged_bytes: request.charged_up_bytes + request.charged_down_bytes,
    forgiven_bytes: forgivenBytes(request),
  }
}

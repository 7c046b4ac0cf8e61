/** turnpike staff: the members of staff. */
import { type Command, Option } from 'commander'
import { momentIn } from '#contract/amounts'
import { type Role, roles } from '#contract/desk/roles'
import {
  blockStaff,
  findStaff,
  inviteStaff,
  linkAddress,
  listStaff,
  type MadeLink,
  resetStaff,
  setStaffRole,
  systemAuthor,
  unblockStaff,
} from '#staff'
import type { Services } from '../services.ts'
import { CommandFault, json, print, printJson, printTable, withServices } from './terminal/command.ts'

interface CommandOptions {
  json?: boolean
}

const role = () => new Option('--role <role>', 'what the person may do').choices(roles)

export function staffCommands(turnpike: Command): void {
  const staff = turnpike.command('staff').description("members of staff, who sign in to the operator's desk")
  staff
    .command('list', { isDefault: true })
    .addOption(json())
    .description('list members of staff with their roles')
    .action(list)
  staff
    .command('add')
    .argument('<name>', '2 to 64 letters, digits, dots, - and _')
    .addOption(role().makeOptionMandatory())
    .addOption(json())
    .description(
      'add a member of staff; prints a link, valid once, at which they set a password and a second factor',
    )
    .action((name: string, asked: CommandOptions & { role: Role }) =>
      withServices(async (services) => {
        const { database } = services
        const given = { name, role: asked.role }
        const made = await inviteStaff(database.db, systemAuthor(), given, database.clock.now())
        return printLink(services, name, made, asked)
      }),
    )
  staff
    .command('role')
    .argument('<name>')
    .addOption(role().makeOptionMandatory())
    .addOption(json())
    .description('change a role, at once')
    .action((name: string, asked: CommandOptions & { role: Role }) =>
      change(name, asked, {
        done: `${name} is ${asked.role} now.`,
        act: ({ database: { db, clock } }, staffId) =>
          setStaffRole(db, systemAuthor(), { staffId, role: asked.role }, clock.now()),
      }),
    )
  staff
    .command('reset')
    .argument('<name>')
    .addOption(json())
    .description('remove the password, second factors and sessions of a member; prints a new link')
    .action((name: string, asked: CommandOptions) =>
      withServices(async (services) => {
        const { database } = services
        const { id } = await memberNamed(services, name)
        return printLink(
          services,
          name,
          await resetStaff(database.db, systemAuthor(), id, database.clock.now()),
          asked,
        )
      }),
    )
  accessCommands(staff)
}

function accessCommands(staff: Command): void {
  staff
    .command('block')
    .argument('<name>')
    .addOption(json())
    .description('block a member of staff, at once')
    .action((name: string, asked: CommandOptions) =>
      change(name, asked, {
        done: `${name} has no access any more.`,
        act: ({ database: { db, clock } }, staffId) => blockStaff(db, systemAuthor(), staffId, clock.now()),
      }),
    )
  staff
    .command('unblock')
    .argument('<name>')
    .addOption(json())
    .description('unblock a member of staff')
    .action((name: string, asked: CommandOptions) =>
      change(name, asked, {
        done: `${name} may sign in again.`,
        act: ({ database: { db, clock } }, staffId) => unblockStaff(db, systemAuthor(), staffId, clock.now()),
      }),
    )
}

async function memberNamed({ database: { db } }: Services, name: string) {
  const found = await findStaff(db, name)
  if (found === null) throw new CommandFault(`There is no member of staff called ${name}.`)
  return found
}

function change(
  name: string,
  asked: CommandOptions,
  { act, done }: { act: (services: Services, staffId: bigint) => Promise<void>; done: string },
): Promise<void> {
  return withServices(async (services) => {
    const { id } = await memberNamed(services, name)
    await act(services, id)
    if (asked.json) printJson({ staff_id: id })
    else print(done)
  })
}

function printLink({ settings }: Services, name: string, made: MadeLink, asked: CommandOptions): void {
  const url = linkAddress(settings.desk.url, made.token)
  if (asked.json) return printJson({ staff_id: made.staffId, url, expires_at: made.expiresAt.toISOString() })
  return print(`${url}\n\nGive it to ${name} only. It works once, until ${momentIn(made.expiresAt, 'en')}.`)
}

function list(asked: CommandOptions): Promise<void> {
  return withServices(async ({ database }) => {
    const people = await listStaff(database.db, database.clock.now())
    const stateOf = (row: (typeof people)[number]) =>
      row.blocked_at !== null ? 'blocked' : row.has_password ? 'active' : 'invited'
    if (asked.json)
      return printJson(
        people.map((row) => ({
          id: row.id,
          name: row.name,
          role: row.role,
          state: stateOf(row),
          sessions: row.sessions,
          seen_at: row.seen_at,
        })),
      )
    const rows = people.map((row) => [
      row.name,
      row.role,
      stateOf(row),
      row.seen_at?.toISOString().slice(0, 16) ?? 'never',
    ])
    return printTable(
      ['NAME', 'ROLE', 'STATE', 'SEEN'],
      rows,
      'There is nobody yet: turnpike staff add <name> --role owner',
    )
  })
}

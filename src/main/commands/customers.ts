/** turnpike customers: lists, shows, blocks and unblocks accounts. */
import { Argument, type Command } from 'commander'
import {
  accountById,
  accountCalled,
  accountNumber,
  type AccountLine,
  endAllSessions,
  searchAccounts,
  setPersPercent,
} from '#accounts'
import { trafficText } from '#contract/traffic'
import { pools } from '#contract/wire'
import type { Database } from '#db'
import { blockCustomer, findPeople, unblockCustomer } from '#desk'
import { referralBalance } from '#ledger'
import { usdText, usdToWire } from '#lib/money'
import { systemAuthor } from '#staff'
import { balancesOf } from '#traffic'
import { load } from '../cli/load.ts'
import {
  CommandFault,
  json,
  momentArgument,
  percentArgument,
  percentText,
  print,
  printJson,
  printTable,
  reasonArgument,
  wholeArgument,
  withServices,
} from './terminal/command.ts'
import { asking, mayProceed } from './terminal/confirm.ts'
import { recorded } from './terminal/recorded.ts'

import type { ConfirmOptions } from './terminal/confirm.ts'
import type { ErasureOptions, ExportOptions } from './customers.personal-data.ts'

interface CommandOptions {
  json?: boolean
}

/** A separate import, because it loads modules that the other commands do not need. */
const person = () => load(() => import('./customers.personal-data.ts'))

const customerArgument = () =>
  new Argument('<customer>', 'a user name, an e-mail, or the number of an account, such as 12 or #12')

/** The commands on all data of a person. */
function personCommands(customers: Command): void {
  customers
    .command('export')
    .addArgument(customerArgument())
    .requiredOption('--reason <text>', 'why; it is recorded', reasonArgument)
    .option('--to <folder>', 'where to', '.')
    .addOption(json())
    .description('write all that the shop holds about a person into a ZIP file')
    .action(async (name: string, options: ExportOptions) =>
      (await person()).exportCustomerData(accountNamed, name, options),
    )
  asking(customers.command('erase'))
    .addArgument(customerArgument())
    .requiredOption(
      '--reason <text>',
      'why, without the name or address of the person; it is recorded',
      reasonArgument,
    )
    .option('--write-off', 'write off what is left on the balances')
    .addOption(json())
    .description('erase what names a person, for ever; the books stay')
    .action(async (name: string, options: ErasureOptions) =>
      (await person()).eraseCustomerData(accountNamed, name, options),
    )
}

function shareCommand(customers: Command): void {
  customers
    .command('set-percent')
    .addArgument(customerArgument())
    .argument(
      '<percent>',
      'their share of the payments of customers they invited; 0 for the default share',
      percentArgument({ min: 0, max: 100 }),
    )
    .addOption(json())
    .description('set the referral share of an account')
    .action(setPercent)
}

export function customerCommands(turnpike: Command): void {
  const customers = turnpike.command('customers').description('customers')
  customers
    .command('list', { isDefault: true })
    .argument('[text]', 'part of a user name or of an e-mail', '')
    .option('--limit <n>', 'this many at most', wholeArgument({ min: 1, max: 100_000 }), 50)
    .option('--before <id>', 'only those made before this account', wholeArgument({ min: 1, max: 1e15 - 1 }))
    .addOption(json())
    .description('accounts, the newest first')
    .action(list)
  customers
    .command('find')
    .argument(
      '<text>',
      'a user name, an e-mail, an account number, a proxy login or a whole line, a whitelisted address, or a request id',
    )
    .addOption(json())
    .description('find the account of a name, a proxy login, an address or a request')
    .action(find)
  customers
    .command('show')
    .addArgument(customerArgument())
    .addOption(json())
    .description('show an account')
    .action(show)
  personCommands(customers)
  customers
    .command('block')
    .addArgument(customerArgument())
    .addOption(json())
    .option('--until <when>', 'until the end of this day, or until this time', momentArgument)
    .option('--reason <text>', 'why; it is recorded')
    .option('--tell', 'tell the customer the reason')
    .description('end all sessions and tunnels of an account and refuse its sign-ins; balances stay')
    .action((name: string, options: CommandOptions & { until?: Date; reason?: string; tell?: boolean }) =>
      change(
        name,
        options,
        (db, accountId, now) => {
          const { until, reason, tell: tells = false } = options
          return blockCustomer(db, systemAuthor(), { accountId, until, reason, tells }, now)
        },
        (who) => [`${who} is blocked.`, `${who} was blocked before.`],
      ),
    )
  customers
    .command('unblock')
    .addArgument(customerArgument())
    .addOption(json())
    .description('unblock an account')
    .action((name: string, options: CommandOptions) =>
      change(
        name,
        options,
        (db, accountId, now) => unblockCustomer(db, systemAuthor(), { accountId }, now),
        (who) => [`${who} may sign in again.`, `${who} was not blocked.`],
      ),
    )
  asking(customers.command('end-sessions'))
    .requiredOption('--reason <text>', 'why; it is recorded', reasonArgument)
    .addOption(json())
    .description('end the sessions of all customers; passwords, API tokens and proxies stay valid')
    .action(endEverySession)
  shareCommand(customers)
}

function list(text: string, options: CommandOptions & { limit: number; before?: number }): Promise<void> {
  return withServices(async ({ database: { db } }) => {
    const { limit, before } = options
    const found = await searchAccounts(db, {
      text,
      limit,
      ...(before === undefined ? {} : { before: BigInt(before) }),
    })
    if (options.json) return printJson(found.map(asJson))
    return printTable(headings, found.map(columnsOf), 'There is no such account.')
  })
}

function find(text: string, options: CommandOptions): Promise<void> {
  return withServices(async ({ database: { db } }) => {
    const found = await findPeople(db, text)
    if (options.json) return printJson(found.map(({ account, by }) => ({ ...asJson(account), found_by: by })))
    const rows = found.map(({ account, by }) => [...columnsOf(account), by])
    return printTable([...headings, 'FOUND BY'], rows, 'No customer matches.')
  })
}

function show(name: string, options: CommandOptions): Promise<void> {
  return withServices(async ({ database }) => {
    const account = await accountNamed(database, name)
    const balances = await balancesOf(database.db, account.id)
    const referral = await referralBalance(database.db, account.id)
    const bytes = pools.map((pool) => [pool, balances.get(pool)?.total ?? 0n] as const)
    if (options.json) {
      const traffic = { referral_balance_usd: usdToWire(referral), bytes: Object.fromEntries(bytes) }
      return printJson({ ...asJson(account), ...traffic })
    }
    return printTable(['ACCOUNT', String(account.id)], factsOf(account, bytes, referral), '')
  })
}

function factsOf(account: AccountLine, bytes: (readonly [string, bigint])[], referral: bigint): string[][] {
  return [
    ['name', account.username ?? '—'],
    [
      'e-mail',
      account.email === null ? '—' : `${account.email}${account.isConfirmed ? '' : ', not confirmed'}`,
    ],
    ['state', stateOf(account)],
    ['language', account.lang],
    ['since', account.createdAt.toISOString()],
    ['invited by', account.invitedBy === null ? '—' : `account ${account.invitedBy}`],
    ['campaign', account.adminReferralCode ?? '—'],
    ['referral share', account.persPercentPpm === 0 ? 'default' : percentText(account.persPercentPpm)],
    ['referral balance', `${usdText(referral, 2)} USD`],
    ...bytes.map(([pool, amount]) => [pool, trafficText(amount)]),
  ]
}

/** Changes an account and prints the result; if it is in that state already, prints that. */
function change(
  name: string,
  options: CommandOptions,
  act: (db: Database['db'], id: bigint, now: Date) => Promise<boolean>,
  sentences: (who: string) => [done: string, before: string],
): Promise<void> {
  return withServices(async ({ database }) => {
    const account = await accountNamed(database, name)
    const changed = await act(database.db, account.id, database.clock.now())
    const [done, before] = sentences(whoIs(account))
    if (options.json) printJson({ user_id: account.id, changed })
    else print(changed ? done : before)
  })
}

function endEverySession(options: ConfirmOptions & { reason: string }): Promise<void> {
  return withServices(async ({ database }) => {
    if (!(await mayProceed(['All customers will have to sign in again.'], options))) return
    const ended = await recorded(database, endAllSessions, (count) => ({
      action: 'end_customer_sessions',
      subject: { kind: 'list', id: 'all customers' },
      after: { ended: count },
      reason: options.reason,
    }))
    if (options.json) printJson({ ended })
    else print(`${ended} ${ended === 1 ? 'session has' : 'sessions have'} ended.`)
  })
}

function setPercent(name: string, ppm: number, options: CommandOptions): Promise<void> {
  return withServices(async ({ database }) => {
    const account = await accountNamed(database, name)
    await recorded(
      database,
      (tx) => setPersPercent(tx, account.id, ppm, database.clock.now()),
      () => ({
        action: 'set_referral_percent',
        subject: { kind: 'customer', id: String(account.id) },
        accountId: account.id,
        before: { ppm: account.persPercentPpm },
        after: { ppm },
      }),
    )
    if (options.json) printJson({ user_id: account.id, percent: ppm / 1e6 })
    else if (ppm === 0) print(`${whoIs(account)} earns the default share.`)
    else print(`${whoIs(account)} earns ${percentText(ppm)} of what those they invited pay.`)
  })
}

/** The account with this name or number. Refuses a number that is also the user name of another account. */
/** The account of a name, an e-mail or a number. */
export async function accountNamed({ db }: Database, name: string): Promise<AccountLine> {
  const number = accountNumber(name)
  const numbered = number === null ? null : await accountById(db, number)
  const named = await accountCalled(db, name)
  const account = named ?? numbered
  if (account === null) throw new CommandFault(`There is no account ${name}.`)
  if (numbered !== null && numbered.id !== account.id)
    throw new CommandFault(
      `${name} is the user name of account ${account.id} and the number of another: write #${number} for the number, or an e-mail.`,
    )
  return account
}

const whoIs = ({ username, email, id }: AccountLine) => username ?? email ?? `Account ${id}`

const headings = ['ID', 'NAME', 'E-MAIL', 'STATE', 'SINCE']

const columnsOf = (account: AccountLine) => [
  String(account.id),
  account.username ?? '—',
  account.email ?? '—',
  stateOf(account),
  account.createdAt.toISOString().slice(0, 10),
]

const stateOf = ({ blockedAt }: AccountLine) => (blockedAt === null ? 'customer' : 'customer, blocked')

const asJson = (account: AccountLine) => ({
  user_id: account.id,
  username: account.username,
  email: account.email,
  confirmed: account.isConfirmed,
  lang: account.lang,
  blocked_at: account.blockedAt?.toISOString() ?? null,
  percent: account.persPercentPpm / 1e6,
  invited_by: account.invitedBy,
  admin_referral_code: account.adminReferralCode,
  created_at: account.createdAt.toISOString(),
})

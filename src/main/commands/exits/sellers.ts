/** turnpike sellers: the operator's accounts at the sellers of traffic. */
import type { Db } from '#db'
import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { sellerCounts, type SellerCounts } from '#contract/desk/choices'
import { checkSellerAccount, createSellerAccount, dropSellerAccount } from '#desk'
import { findExits } from '#exits'
import { parseId } from '#lib/bigint'
import { usdText } from '#lib/money'
import { findSeller, listSellerAccounts, type SellerAccount, sellerAdapters, sellerStocks } from '#sellers'
import { systemAuthor } from '#staff'
import { CommandFault, json, print, printJson, printTable, withServices } from '../terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from '../terminal/confirm.ts'

export function sellersCommands(turnpike: Command): void {
  const sellers = turnpike
    .command('sellers')
    .description('accounts at the sellers of traffic: stock, bills and places')
  sellers
    .command('list', { isDefault: true })
    .addOption(json())
    .description('all accounts, with everything but their credentials')
    .action(list)
  sellers
    .command('add')
    .argument('<seller>', sellerAdapters.map(({ name }) => name).join(', '))
    .argument('<label>', 'a new name for the account')
    .option('--exits <names>', 'the exits whose traffic it pays for, by name or number, joined with commas')
    .addOption(new Option('--counts <what>', 'what the seller counts').choices(sellerCounts).default('both'))
    .option('--credentials <file>', 'where they are; on standard input without it')
    .addOption(json())
    .description('add an account; its credentials are lines of field=value')
    .action(add)
  sellers
    .command('check')
    .argument('<account>', 'its label or number')
    .addOption(json())
    .description('read the account now, also one whose credentials were refused')
    .action(check)
  asking(sellers.command('remove'))
    .argument('<account>', 'its label or number')
    .addOption(json())
    .description('delete an account with its places and what was read of it')
    .action((name: string, options: ConfirmOptions) =>
      withServices(async ({ database: { db, clock } }) => {
        const account = await oneAccount(db, name)
        const sentence = `The account ${account.label} at ${account.title} (${account.id}) will be removed for good, with its places and bills.`
        if (!(await mayProceed([sentence], options))) return
        await dropSellerAccount(db, systemAuthor(), { id: account.id }, clock.now())
        if (options.json === true) return printJson({ removed: { id: account.id, label: account.label } })
        print(`The account ${account.label} is removed.`)
      }),
    )
}

async function oneAccount(db: Db, name: string): Promise<SellerAccount> {
  const id = parseId(name)
  const all = await listSellerAccounts(db)
  const found = all.find(({ label }) => label === name) ?? all.find((account) => account.id === id)
  if (found === undefined) throw new CommandFault(`There is no account ${name}. See: turnpike sellers list`)
  return found
}

const gb = (bytes: bigint | null) =>
  bytes === null ? '-' : `${(Number(bytes / 10_000_000n) / 100).toFixed(2)} GB`

const stateOf = ({ readings }: SellerAccount): string => {
  const failed = readings.find(({ fault }) => fault !== null)
  if (failed === undefined) return readings.some(({ readAt }) => readAt === null) ? 'not read yet' : 'good'
  return `${failed.part}: ${failed.fault?.kind ?? ''}${failed.dueAt === null ? ', stopped' : ''}`
}

const list = (options: { json?: boolean }) =>
  withServices(async ({ database: { db, clock } }) => {
    const accounts = await listSellerAccounts(db)
    const stocks = await sellerStocks(db, accounts, clock.now())
    const daysOf = ({ id }: SellerAccount) =>
      stocks.find((stock) => stock.account.id === id)?.daysLeft ?? null
    if (options.json === true)
      return printJson(accounts.map((account) => ({ ...account, daysLeft: daysOf(account) })))
    const headings = ['NR', 'SELLER', 'LABEL', 'EXITS', 'LEFT', 'MONEY', 'DAYS', 'PLACES', 'STATE']
    const rows = accounts.map((account) => [
      String(account.id),
      account.seller,
      account.label,
      account.exits.map(({ name }) => name).join(' ') || '-',
      gb(account.leftBytes),
      account.leftMicros === null ? '-' : usdText(account.leftMicros, 2),
      daysOf(account)?.toFixed(1) ?? '-',
      account.places === null ? '-' : String(account.places.rows),
      account.asked === null ? stateOf(account) : `${stateOf(account)}; its new places wait for a decision`,
    ])
    printTable(headings, rows, 'There is no account. Add one: turnpike sellers add --help')
    for (const { label, readings } of accounts)
      for (const { part, fault } of readings) if (fault !== null) print(`${label}, ${part}: ${fault.message}`)
  })

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFault(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** The credentials in a file or on standard input, a field on each line. */
async function credentialsIn(seller: string, file: string | undefined): Promise<Record<string, string>> {
  const adapter = findSeller(seller)
  if (adapter === undefined)
    throw new CommandFault(`The sellers are ${sellerAdapters.map(({ name }) => name).join(', ')}.`)
  const fields = adapter.fields
    .map(({ key, isOptional }) => (isOptional === true ? `[${key}]` : key))
    .join(', ')
  if (file === undefined && process.stdin.isTTY)
    print(`Type ${fields}, each as a line of field=value, then Ctrl-D.`)
  const lines = (file === undefined ? await readAll(process.stdin) : contentOf(file))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
      if (key === undefined || value === undefined)
        throw new CommandFault(`Credentials are lines of field=value, of ${fields}.`)
      return [key, value]
    }),
  )
}

const add = (
  seller: string,
  label: string,
  options: { exits?: string; counts: SellerCounts; credentials?: string; json?: boolean },
) =>
  withServices(async ({ database: { db, clock }, secrets }) => {
    const credentials = await credentialsIn(seller, options.credentials)
    const exitIds: bigint[] = []
    for (const name of (options.exits ?? '').split(',').filter((each) => each !== '')) {
      const found = await findExits(db, name)
      const [exit] = found
      if (exit === undefined || found.length > 1)
        throw new CommandFault(
          exit === undefined
            ? `There is no exit ${name}.`
            : `Several exits are called ${name}; say its number.`,
        )
      exitIds.push(exit.id)
    }
    const given = { seller, label, counts: options.counts, credentials, exitIds }
    const id = await createSellerAccount(db, { secrets, author: systemAuthor() }, given, clock.now())
    if (options.json === true) return printJson({ id, seller, label })
    print(`The account ${label} has the number ${id}. A worker reads it within a minute.`)
  })

const check = (name: string, options: { json?: boolean }) =>
  withServices(async ({ database, secrets, settings }) => {
    const { db, clock } = database
    const account = await oneAccount(db, name)
    const by = { secrets, bases: settings.sellerBases, author: systemAuthor() }
    const read = await checkSellerAccount(database, by, account.id, clock.now())
    const parts = read.map(({ part, fault }) => ({ part, fault: fault?.message ?? null }))
    if (options.json === true) return printJson({ account: account.label, parts })
    for (const { part, fault } of parts) print(`${part}: ${fault ?? 'read'}`)
    const { leftBytes, leftMicros } = await oneAccount(db, String(account.id))
    print(`Left: ${gb(leftBytes)}${leftMicros === null ? '' : `, ${usdText(leftMicros, 2)} USD`}`)
    if (parts.some(({ fault }) => fault !== null)) process.exitCode = 1
  })

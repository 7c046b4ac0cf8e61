/**
 * Every command that changes something leaves an entry in the audit trail: the test goes through the table of
 * commands.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedDemoExits } from '#exits'
import { closeMonths } from '#ledger'
import { listAudit } from '#staff'
import { moveBack } from '#test/ledger'
import { app, type App } from '#test/app'
import { openTerminal, type Terminal } from '#test/terminal'
import { planRefund } from '#purchase'
import { catalogCommands } from './catalog.ts'
import { exitsCommands } from './exits/exits.ts'
import { invoiceCommands } from './invoices.ts'
import { ledgerCommands } from './ledger.ts'
import { paymentCommands } from './payments.ts'
import { program } from './program.ts'
import { promoCommands } from './promo.ts'
import { documentCommands } from './documents.ts'
import { referralCommands } from './referral.ts'
import { staffCommands } from './staff.ts'
import { customerCommands } from './customers.ts'

let shop: App
let terminal: Terminal
let number: string
let unclear: string
let planned: string[]
let month: string
beforeAll(async () => {
  shop = await app()
  const { db } = shop.database
  await seedDemoExits(db)
  await shop.customer('going-away')
  const customer = await shop.customer('somebody')
  // Something to archive.
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
  await moveBack(shop.database, 1)
  month = (await closeMonths(db))[0] ?? ''
  number = await shop.buy(customer, { pool: 'residential', gb: 10 })
  unclear = await shop.buy(customer, { pool: 'residential', gb: 10 })
  await shop.database.pool.query(
    `insert into processor_refund (method, refund_id, invoice_id, cause, state, currency, amount_micros, made_at, changed_at)
     select method, 'refund-1', id, 'refund', 'unclear', 'BTC', 50, now(), now() from invoice where number = $1`,
    [unclear],
  )
  const waiting = await shop.buy(customer, { pool: 'residential', gb: 10 })
  const plan = { number: waiting, what: 5_000_000n }
  planned = []
  for (let made = 0; made < 2; made++) planned.push((await planRefund(shop.database, plan, new Date())).name)
  terminal = openTerminal(shop.database, [
    catalogCommands,
    exitsCommands,
    invoiceCommands,
    ledgerCommands,
    paymentCommands,
    promoCommands,
    documentCommands,
    referralCommands,
    staffCommands,
    customerCommands,
  ])
  // Something to hide.
  await terminal.run('rates', 'set', 'EUR', '0.9')
  await terminal.run('rates', 'show', 'EUR')
  await terminal.run('prices', 'set-list', 'Spare', '--price', 'mobile=3')
})
afterAll(async () => {
  terminal.close()
  await shop.close()
})

/** Commands that change nothing in the shop: they show, or start a part of it. */
const reading = new Set(
  'up api worker desk gateway feed migrate doctor backup bot upgrade completion campaigns verify-bill'.split(
    ' ',
  ),
)
const readingWords = new Set(['list', 'lists', 'show', 'find', 'test', 'presets', 'verify'])
const isReading = (name: string) =>
  reading.has(name) || readingWords.has(name.split(' ').at(-1) ?? '') || name === 'key check'

/**
 * Commands that leave no entry. A restore writes into a new folder, before there is a database with an audit
 * trail.
 */
// A move is noted in the database itself, which then opens only at its new place. A rollback changes
// programs, not the shop.
const withoutTrail = new Set(['restore', 'database move', 'database reopen', 'rollback'])

/** Changes that need more than a command line, with the test that checks their entry. */
const provenElsewhere: Record<string, { action: string; test: string }> = {
  'seed-demo': { action: 'fill_demo', test: '../demo/history.test.ts' },
  'key rotate': { action: 'rotate_key', test: 'key.test.ts' },
  'key accept-loss': { action: 'accept_key_loss', test: 'key.test.ts' },
  'sellers add': { action: 'add_seller_account', test: 'exits/sellers.test.ts' },
  'sellers check': { action: 'check_seller_account', test: 'exits/sellers.test.ts' },
  'sellers remove': { action: 'remove_seller_account', test: 'exits/sellers.test.ts' },
  'gateways add': { action: 'add_gateway_token', test: 'gateways.test.ts' },
  'gateways rotate': { action: 'rotate_gateway_token', test: 'gateways.test.ts' },
  'gateways revoke': { action: 'revoke_gateway_token', test: 'gateways.test.ts' },
  'gateways drain': { action: 'drain_gateway', test: 'gateways.test.ts' },
  'gateways undrain': { action: 'undrain_gateway', test: 'gateways.test.ts' },
  'payments replay': { action: 'replay_payment_event', test: 'payments.test.ts' },
  'payments check': { action: 'check_invoice', test: 'payments.test.ts' },
  'payments recover': { action: 'recover_sale', test: 'payments.recover.test.ts' },
  setup: { action: 'invite_staff', test: 'setup.test.ts' },
  'reports dismiss': { action: 'dismiss_report', test: 'reports.test.ts' },
  'reports replay': { action: 'replay_reports', test: 'reports.test.ts' },
}

/** The commands in the order in which they run: the words of each, and the action of its entry. */
const changing: Record<string, { words: () => string[]; action: string }> = {
  'prices set': { words: () => ['mobile', '8'], action: 'change_prices' },
  'prices remove': { words: () => ['mobile'], action: 'change_prices' },
  'prices set-list': { words: () => ['Wholesale', '--price', 'mobile=2'], action: 'create_price_list' },
  'prices assign': { words: () => ['somebody', 'Wholesale'], action: 'assign_price_list' },
  'prices remove-list': { words: () => ['Spare'], action: 'remove_price_list' },
  'tiers set': { words: () => ['50', '3'], action: 'change_prices' },
  'tiers remove': { words: () => ['50'], action: 'change_prices' },
  'promo create-discount': { words: () => ['LESS', '--percent', '5'], action: 'create_promo_codes' },
  'promo create-traffic': {
    words: () => ['MORE', '--pool', 'mobile', '--mb', '5'],
    action: 'create_promo_codes',
  },
  'promo disable': { words: () => ['LESS'], action: 'stop_promo_code' },
  referral: { words: () => ['12'], action: 'set_referral_share' },
  'documents lost': {
    words: () => ['invoice', '7', '--reason', 'a restore'],
    action: 'lose_document_numbers',
  },
  'exits add': {
    words: () => [
      'mobile',
      'new',
      '--http',
      'proxy.example.net:8080',
      '--everywhere',
      '--password',
      'the-secret',
      '--username',
      'me',
    ],
    action: 'add_exit',
  },
  'exits set': { words: () => ['new', '--weight', '3'], action: 'set_exit' },
  'exits cost': { words: () => ['new', '--per-gb', '1.2'], action: 'set_exit_cost' },
  'exits remove': { words: () => ['new', '--yes'], action: 'remove_exit' },
  // A refund is only planned: the invoice is of the demo's payment system, which this command line does not
  // have.
  'invoices refund': { words: () => [number, '--yes'], action: 'plan_refund' },
  'invoices sent': { words: () => [planned[0] ?? ''], action: 'send_refund' },
  'invoices drop': { words: () => [planned[1] ?? ''], action: 'drop_refund' },
  'invoices returned': { words: () => [unclear, 'refund-1', '10.00', '--yes'], action: 'settle_return' },
  'ledger archive': { words: () => [month, '--to', terminal.dataDir, '--yes'], action: 'archive_month' },
  'rates set': { words: () => ['RUB', '92.5'], action: 'set_rate' },
  'rates hide': { words: () => ['EUR'], action: 'set_display_currency' },
  'rates import': {
    words: () => {
      const file = path.join(terminal.dataDir, 'rates.csv')
      writeFileSync(file, 'currency,date,rate\nRUB,2020-01-02,61.9\n')
      return [file]
    },
    action: 'import_rates',
  },
  'fees set': { words: () => ['crypto', '1', '0.1'], action: 'set_fee_terms' },
  'customers set-percent': { words: () => ['somebody', '12'], action: 'set_referral_percent' },
  'customers block': { words: () => ['somebody', '--reason', 'a test'], action: 'block_customer' },
  'customers unblock': { words: () => ['somebody'], action: 'unblock_customer' },
  'customers end-sessions': {
    words: () => ['--reason', 'a leak', '--yes'],
    action: 'end_customer_sessions',
  },
  'customers export': {
    words: () => ['going-away', '--reason', 'asked for it', '--to', terminal.dataDir],
    action: 'export_customer',
  },
  'customers erase': {
    words: () => ['going-away', '--reason', 'asked for it', '--write-off', '--yes'],
    action: 'erase_customer',
  },
  'staff add': { words: () => ['helper', '--role', 'support'], action: 'invite_staff' },
  'staff role': { words: () => ['helper', '--role', 'viewer'], action: 'set_staff_role' },
  'staff reset': { words: () => ['helper'], action: 'reset_staff' },
  'staff block': { words: () => ['helper'], action: 'block_staff' },
  'staff unblock': { words: () => ['helper'], action: 'unblock_staff' },
}

/** Their slices record them, and the tests of the slices check it. */
const ofTheShopPage = /^(?:content|inventory|settings) /

const leaves = (command: Command, words: string[]): string[] =>
  command.commands.length === 0
    ? [words.join(' ')]
    : command.commands.flatMap((one) => leaves(one, [...words, one.name()]))

it('every command is listed as changing or as not changing the shop', async () => {
  const unknown = leaves(await program([]), []).filter(
    (name) =>
      !isReading(name) &&
      !withoutTrail.has(name) &&
      !(name in provenElsewhere) &&
      !(name in changing) &&
      !ofTheShopPage.test(name),
  )
  expect(unknown).toEqual([])
})

it.each(Object.entries(provenElsewhere))(
  '%s is recorded, by a test of its own',
  (_name, { action, test }) => {
    const file = path.join(import.meta.dirname, test)
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain(`'${action}'`)
  },
)

it.each(Object.keys(changing))('%s leaves an entry with the user of this system', async (name) => {
  const { db } = shop.database
  const one = changing[name]
  if (one === undefined) throw new Error('there is no such command')
  const newest = (await listAudit(db, {}, { before: null, limit: 1 }))[0]?.id ?? 0n
  await terminal.run(...name.split(' '), ...one.words())
  const entries = (await listAudit(db, {}, { before: null, limit: 10 })).filter(({ id }) => id > newest)
  expect(entries.map(({ action, actor_kind: kind }) => [action, kind])).toEqual([[one.action, 'system']])
  expect(entries[0]?.actor_name).not.toBe('')
  expect(JSON.stringify([entries[0]?.before, entries[0]?.after])).not.toContain('the-secret')
})

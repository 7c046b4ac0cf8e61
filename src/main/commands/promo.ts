/** turnpike promo: discount codes and traffic codes. */
import type { Command } from 'commander'
import { maxOrderGb } from '#contract/price'
import { trafficText } from '#contract/traffic'
import { bytesPerGb, type Pool } from '#contract/wire'
import { createCodes, stopCode } from '#desk'
import { codeState, type Grant, listCodes, type Promocode } from '#promo'
import { systemAuthor } from '#staff'
import {
  json,
  momentArgument,
  percentArgument,
  percentText,
  poolArgument,
  print,
  printJson,
  printTable,
  wholeArgument,
  withServices,
} from './terminal/command.ts'

interface Limits {
  maxUses?: number
  perPerson: number
  expires?: Date
  firstPurchase?: boolean
  pools?: Pool[]
  json?: boolean
}

const maxUses = wholeArgument({ min: 1, max: 1_000_000_000 })
const perPerson = wholeArgument({ min: 1, max: 1000 })
const poolsArgument = (text: string): Pool[] => text.split(',').map((name) => poolArgument(name.trim()))

export function promoCommands(turnpike: Command): void {
  const promo = turnpike.command('promo').description('promo codes')
  createCommands(promo)
  promo
    .command('list', { isDefault: true })
    .description('all codes, the newest first')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const codes = await listCodes(database.db)
        const now = database.clock.now()
        if (options.json) return printJson(codes.map((code) => asJson(code, now)))
        const rows = codes.map((code) => rowOf(code, now))
        return printTable(
          ['CODE', 'GIVES', 'LIMITS', 'USES', 'EXPIRES', 'STATE'],
          rows,
          'There are no promo codes.',
        )
      }),
    )
  promo
    .command('disable')
    .argument('<code>', 'the code')
    .description('stop a code; open invoices keep its discount')
    .addOption(json())
    .action((code: string, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const now = database.clock.now()
        await stopCode(database.db, systemAuthor(), { code }, now)
        if (options.json) printJson((await listCodes(database.db)).map((one) => asJson(one, now)))
        else print(`The promo code ${code} gives nothing any more.`)
      }),
    )
}

function createCommands(promo: Command): void {
  promo
    .command('create-discount')
    .argument('<code>', '2 to 64 letters, digits, - and _; capitals make no difference')
    .requiredOption(
      '--percent <n>',
      'the discount, such as 12.5',
      percentArgument({ min: 0.0001, max: 99.9999 }),
    )
    .option('--min-gb <n>', 'only from this many GB on', wholeArgument({ min: 1, max: maxOrderGb }), 1)
    .option('--first-purchase', 'only for the first purchase that a customer pays')
    .option('--pools <names>', 'only for these pools, divided by commas; any when left out', poolsArgument)
    .option('--max-uses <n>', 'how often it may be used; unlimited when left out', maxUses)
    .option('--per-person <n>', 'how often each customer may use it', perPerson, 1)
    .option('--expires <when>', 'a day, or a time with its zone; never when left out', momentArgument)
    .addOption(json())
    .description('create a discount code')
    .action((code: string, options: Limits & { percent: number; minGb: number }) =>
      create(code, options, {
        kind: 'discount',
        discountPpm: options.percent,
        minGb: BigInt(options.minGb),
      }),
    )
  promo
    .command('create-traffic')
    .argument('<code>', '2 to 64 letters, digits, - and _; capitals make no difference')
    .requiredOption('--pool <name>', 'the pool', poolArgument)
    .requiredOption('--mb <n>', 'bonus traffic in MB; 1 GB is 1000 MB', wholeArgument({ min: 1, max: 1e9 }))
    .option('--max-uses <n>', 'how often it may be used; unlimited when left out', maxUses)
    .option('--per-person <n>', 'how often each customer may use it', perPerson, 1)
    .option('--expires <when>', 'a day, or a time with its zone; never when left out', momentArgument)
    .addOption(json())
    .description('create a code for bonus traffic')
    .action((code: string, options: Limits & { pool: Pool; mb: number }) =>
      create(code, options, {
        kind: 'traffic',
        pool: options.pool,
        bytes: BigInt(options.mb) * (bytesPerGb / 1000n),
      }),
    )
}

function create(code: string, limits: Limits, grant: Grant): Promise<void> {
  return withServices(async ({ database }) => {
    const order = {
      codes: { kind: 'one', code } as const,
      grant,
      maxUses: limits.maxUses === undefined ? null : BigInt(limits.maxUses),
      usesPerPerson: limits.perPerson,
      firstPurchase: limits.firstPurchase ?? false,
      pools: limits.pools ?? null,
      expiresAt: limits.expires ?? null,
      key: null,
    }
    await createCodes(database.db, systemAuthor(), order, database.clock.now())
    const made = (await listCodes(database.db)).find((one) => one.code === code.trim())
    if (made !== undefined && limits.json === true) printJson(asJson(made, database.clock.now()))
    else print(`The promo code ${code} gives ${grantText(grant)}.`)
  })
}

const grantText = (grant: Grant) =>
  grant.kind === 'traffic'
    ? `${trafficText(grant.bytes)} ${grant.pool}`
    : `${percentText(grant.discountPpm)} off${grant.minGb > 1n ? ` from ${grant.minGb} GB on` : ''}`

const stateOf = (code: Promocode, now: Date) => codeState(code, now).replace('_', ' ')

const limitsText = ({ firstPurchase, pools, usesPerPerson }: Promocode) =>
  [
    ...(firstPurchase ? ['first purchase'] : []),
    ...(pools === null ? [] : [pools.join(', ')]),
    ...(usesPerPerson === 1 ? [] : [`${usesPerPerson} for each customer`]),
  ].join('; ') || '-'

const rowOf = (code: Promocode, now: Date) => [
  code.code,
  grantText(code.grant),
  limitsText(code),
  code.maxUses === null ? String(code.uses) : `${code.uses} of ${code.maxUses}`,
  code.expiresAt?.toISOString() ?? 'never',
  stateOf(code, now),
]

const asJson = (code: Promocode, now: Date) => ({
  code: code.code,
  ...(code.grant.kind === 'discount'
    ? { kind: 'discount', discount: code.grant.discountPpm / 1e6, min_gb: code.grant.minGb }
    : { kind: 'traffic', pool: code.grant.pool, bytes: code.grant.bytes }),
  max_uses: code.maxUses,
  uses_per_person: code.usesPerPerson,
  first_purchase: code.firstPurchase,
  pools: code.pools,
  uses: code.uses,
  expires_at: code.expiresAt,
  disabled_at: code.disabledAt,
  state: stateOf(code, now),
})

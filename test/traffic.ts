/** Customers with traffic, and gateways that report its usage, for tests of slices that count it. */
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import type { Report, ReportLine } from '#feed'
import { verifyLedger } from '#ledger'
import { balancesOf, createFeed, creditTraffic, openMeter, verifyTraffic } from '#traffic'
import { newAccess } from './people.ts'

type Db = Database['db']

/** A new customer with a meter in one pool, and these amounts of each part. */
export async function customerWith(
  db: Db,
  { pool = 'residential', paid = 0n, bonus = 0n }: { pool?: Pool; paid?: bigint; bonus?: bigint },
) {
  const who = await newAccess(db, pool)
  await openMeter(db, who)
  for (const [part, bytes] of [['paid', paid] as const, ['bonus', bonus] as const]) {
    const reference = `${who.accessId} ${part}`
    if (bytes > 0n)
      await creditTraffic(db, { accessId: who.accessId, kind: 'test_credit', part, bytes, reference })
  }
  return { ...who, balance: async () => (await balancesOf(db, who.accountId)).get(pool) }
}

/** One line of a report: this many bytes of a lease, in one request. */
export function line(
  lease: bigint,
  access: bigint,
  bytes: bigint,
  rest: Partial<ReportLine> = {},
): ReportLine {
  return { lease, access, charged_bytes: bytes, requests: 1, close: false, ...rest }
}

let boots = 0

/** A gateway that has just started: its reports are numbered from 1, and are of one noon by default. */
export function newBoot(gateway = 'gw1') {
  const holder = { gateway, boot: `b${++boots}` }
  let sequence = 0
  const report = (lines: ReportLine[], rest: Partial<Report> = {}): Report => ({
    ...holder,
    sequence: ++sequence,
    at_ms: Date.UTC(2026, 4, 17, 12),
    lines,
    ...rest,
  })
  return { ...holder, report }
}

/** The feed of a shop whose other slices contain only the given data. */
export function feedKnowing(database: Database, known: Partial<Parameters<typeof createFeed>[1]> = {}) {
  const nobody = () => Promise.resolve(null)
  const nothing = () => Promise.resolve([])
  return createFeed(database, {
    withholdsHosts: () => Promise.resolve(false),
    findAccess: nobody,
    savedTargeting: nobody,
    savedSlot: nobody,
    whitelistedAccess: nobody,
    addressesToProve: nothing,
    proveAddress: () => Promise.resolve(),
    placesNamed: nothing,
    strangePlaces: nothing,
    keepRequests: () => Promise.resolve(),
    listExits: nothing,
    ...known,
  })
}

/** The result of the checks of the books: empty, or the faults. */
export async function wrongInBooks(db: Db) {
  return [...(await verifyLedger(db)), ...(await verifyTraffic(db))]
}

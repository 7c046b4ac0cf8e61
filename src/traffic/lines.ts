import { type Report, ReportRefused } from '#feed'
import { isProxyUserId, isReservedUserId, payerOf } from '#feed/user.ids'
import { least } from '#lib/bigint'
import { dayAt, type UserPart } from './proxy-users/use.ts'

/** A report that is invalid in itself. It is refused whole and for ever, and the message names the line. */
export class MalformedReport extends ReportRefused {
  /** The report at fault, so that the others of the batch can be settled without it. */
  readonly report: Report

  constructor(report: Report, fault: string) {
    super(`report ${report.sequence} of ${report.gateway} (boot ${report.boot}): ${fault}`)
    this.name = 'MalformedReport'
    this.report = report
  }
}

/**
 * Reports that close leases while earlier reports of their boot, which may still charge those leases, are not
 * settled: to be retried.
 */
export class EarlyReports extends Error {
  readonly reports: readonly Report[]

  constructor(reports: readonly Report[]) {
    const [first] = reports
    super(
      `report ${first?.sequence} of ${first?.gateway} (boot ${first?.boot}) closes leases before its turn`,
    )
    this.name = 'EarlyReports'
    this.reports = reports
  }
}

/** The part of one report on one lease. */
interface UsagePart {
  /** Hours since the epoch. */
  hour: number
  /** 0: none, or the gateway did not report it. */
  exit: bigint
  bytes: bigint
  relayed: bigint
  requests: bigint
  /** When the first of its bytes was relayed, by the gateway's clock, epoch milliseconds. */
  atMs: number
  report: Report
  /** Its index in the report. */
  line: number
}

/** The sums of several reports for one lease. */
export interface LeaseLine {
  lease: bigint
  /** The access who pays. */
  account: bigint
  /** The proxy user whose limits or reserve the lease is a part of; null: it is a part of the balance. */
  user: bigint | null
  bytes: bigint
  close: boolean
  /** Its parts by hour, in the order of the reports; nearly always one. */
  parts: UsagePart[]
  /** The first report with this lease, for error messages. */
  report: Report
  line: number
}

/** Visible ASCII without spaces, so that the three parts of a report's key can be joined by spaces. */
const nameFormat = /^[\x21-\x7e]{1,200}$/
const furthestMs = Date.UTC(9999, 0)
/** The charged bytes of one report, all lines together; leases bound them further. */
const mostBytes = 2n ** 40n
/**
 * The relayed bytes of a report beyond those that it charges: forgiven ones, which no lease bounds. A gateway
 * reports at least every five seconds, so this is more than 100 Gbit/s.
 */
const mostFree = 2n ** 36n
const mostRequests = 2 ** 32
const mostLines = 1_000_000
const mostExits = 2n ** 62n

/** Validates a report by itself, before the database is queried. */
export function checkReport(report: Report): void {
  if (!Number.isSafeInteger(report.sequence) || report.sequence < 1)
    throw new MalformedReport(report, 'its sequence is not a whole number from 1')
  if (!nameFormat.test(report.gateway) || !nameFormat.test(report.boot))
    throw new MalformedReport(report, 'its gateway or its boot is not a name')
  if (!Number.isFinite(report.at_ms) || report.at_ms < 0 || report.at_ms >= furthestMs)
    throw new MalformedReport(report, 'its at_ms is not a time')
  const { oldest = report.sequence } = report
  if (!Number.isSafeInteger(oldest) || oldest < 1 || oldest > report.sequence)
    throw new MalformedReport(report, 'its oldest is no number up to its own')
  if (!Array.isArray(report.lines) || report.lines.length > mostLines)
    throw new MalformedReport(report, 'its lines are none, or too many')
  let [allCharged, allRelayed, allRequests] = [0n, 0n, 0]
  for (const [index, line] of report.lines.entries()) {
    const fault = (text: string) => new MalformedReport(report, `line ${index + 1} ${text}`)
    if (typeof line.lease !== 'bigint' || line.lease < 0n) throw fault('names no lease')
    if (typeof line.access !== 'bigint' || line.access < 1n) throw fault('names no access')
    if (typeof line.charged_bytes !== 'bigint' || line.charged_bytes < 0n || line.charged_bytes > mostBytes)
      throw fault('charges less than nothing, or more than there is')
    if (!Number.isSafeInteger(line.requests) || line.requests < 0) throw fault('counts requests below zero')
    const { exit = 1n, relayed_bytes: relayed = 0n } = line
    if (typeof exit !== 'bigint' || exit < 1n || exit > mostExits) throw fault('names no exit')
    if (typeof relayed !== 'bigint' || relayed < 0n)
      throw fault('has relayed less than nothing, or more than there is')
    // A gateway that was granted nothing holds lease 0, and gives it back like any other.
    if (line.lease === 0n && line.charged_bytes > 0n) throw fault('charges without a lease')
    allCharged += line.charged_bytes
    allRelayed += relayed
    allRequests += line.requests
    if (allCharged > mostBytes || allRequests > mostRequests)
      throw fault('brings the sum of the report above what a gateway can relay')
  }
  if (allRelayed > allCharged + mostFree)
    throw new MalformedReport(report, 'it has relayed more than it charges and a gateway can relay')
}

const msPerHour = 3_600_000

/** The UTC hour in which bytes relayed at this time count, in hours since the epoch. */
export const utcHour = (atMs: number) => Math.floor(atMs / msPerHour)

/** The day of this hour, YYYY-MM-DD. */
export const dayOfHour = (hour: number) => new Date(hour * msPerHour).toISOString().slice(0, 10)

/** Adds up reports by lease, so that each row is updated once. */
export function gather(reports: readonly Report[]): LeaseLine[] {
  const gathered = new Map<bigint, LeaseLine>()
  for (const report of reports) {
    const hour = utcHour(report.at_ms)
    for (const [index, line] of report.lines.entries()) {
      const { lease, charged_bytes: bytes, requests, close } = line
      const account = payerOf(line.access)
      const user = isProxyUserId(line.access) ? line.access : null
      const { exit = 0n, relayed_bytes: relayed = 0n } = line
      if (lease === 0n) continue
      const part = {
        hour,
        exit,
        bytes,
        relayed,
        requests: BigInt(requests),
        atMs: report.at_ms,
        report,
        line: index,
      }
      const known = gathered.get(lease)
      if (known === undefined) {
        gathered.set(lease, { lease, account, user, bytes, close, parts: [part], report, line: index })
        continue
      }
      if (
        known.account !== account ||
        known.user !== user ||
        known.report.gateway !== report.gateway ||
        known.report.boot !== report.boot
      )
        throw new MalformedReport(
          report,
          `line ${index + 1} names lease ${lease} of another account or gateway`,
        )
      known.bytes += bytes
      known.close ||= close
      known.parts.push(part)
    }
  }
  return [...gathered.values()]
}

/** A line with the bytes of it that its lease and the balance covered. */
export interface CoveredLine {
  line: LeaseLine
  covered: bigint
}

/** The charges of one account in one hour for the traffic of one exit. */
export interface HourUsage {
  account: bigint
  /** Hours since the epoch. */
  hour: number
  exit: bigint
  charged: bigint
  /** Payload bytes; more or fewer than were charged, by the tariff and by what is forgiven. */
  relayed: bigint
  bonus: bigint
  requests: bigint
}

/** The charges of each account, one row per hour and exit. */
export function usageOf(lines: readonly CoveredLine[]): Map<bigint, HourUsage[]> {
  const usage = new Map<bigint, HourUsage[]>()
  eachPartOfBalances(lines, ({ account }, { hour, exit, relayed, requests }, charged) => {
    if (charged === 0n && relayed === 0n && requests === 0n) return
    const rows = usage.get(account)
    const known = rows?.find((row) => row.hour === hour && row.exit === exit)
    if (known !== undefined) {
      known.charged += charged
      known.relayed += relayed
      known.requests += requests
      return
    }
    const row = { account, hour, exit, charged, relayed, bonus: 0n, requests }
    if (rows === undefined) usage.set(account, [row])
    else rows.push(row)
  })
  return usage
}

type OnPart = (line: LeaseLine, part: UsagePart, charged: bigint) => void

/** The parts of a line with what each is charged: uncovered bytes are subtracted from the last ones. */
function eachPart({ line, covered }: CoveredLine, on: OnPart): void {
  let left = covered
  for (const part of line.parts) {
    const charged = least(part.bytes, left)
    left -= charged
    on(line, part, charged)
  }
}

/**
 * Whether the ledger is charged for a line. Not for those of proxy users without a reserve, because the same
 * report has their bytes in a line of the account too.
 */
export const isPaid = ({ user }: LeaseLine): boolean => user === null || isReservedUserId(user)

/** The parts of the lines for which the ledger is charged. */
export function eachPartOfBalances(lines: readonly CoveredLine[], on: OnPart): void {
  for (const one of lines) if (isPaid(one.line)) eachPart(one, on)
}

/**
 * The charges of proxy users, one for each part of a line, with its day in the zone. Lines of accounts are
 * left out.
 */
export function userUseOf(lines: readonly CoveredLine[], zone: string): UserPart[] {
  const use: UserPart[] = []
  for (const one of lines) {
    const { user } = one.line
    if (user === null) continue
    eachPart(one, (_line, { atMs, requests }, charged) => {
      if (charged > 0n || requests > 0n) use.push({ user, day: dayAt(zone, atMs), charged, requests })
    })
  }
  return use
}

/** Distributes the bytes that an account's bonus paid for over its usage, earliest hour first. */
export function spreadBonus(
  usage: ReadonlyMap<bigint, readonly HourUsage[]>,
  bonusByAccount: ReadonlyMap<bigint, bigint>,
): void {
  for (const [account, bonus] of bonusByAccount) {
    let left = bonus
    if (left === 0n) continue
    for (const row of (usage.get(account) ?? []).toSorted((a, b) => a.hour - b.hour)) {
      row.bonus = left < row.charged ? left : row.charged
      left -= row.bonus
    }
  }
}

import { type Report, ReportRefused } from '#feed'

/** A report that no honest gateway sends. It is refused whole and for good, and the message names the line. */
export class MalformedReport extends ReportRefused {
  /** The report that is at fault, so that others settled with it can be settled without it. */
  readonly report: Report

  constructor(report: Report, fault: string) {
    super(`report ${report.sequence} of ${report.gateway} (boot ${report.boot}): ${fault}`)
    this.name = 'MalformedReport'
    this.report = report
  }
}

/** Reports that close leases before others of their boot are settled, which may still charge those leases: again later. */
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

/** All that several reports say of one lease. */
export interface LeaseLine {
  lease: bigint
  account: bigint
  bytes: bigint
  close: boolean
  /** Its share of each UTC hour, in the order of the reports; nearly always one. */
  hours: { hour: string; bytes: bigint; requests: bigint }[]
  /** Where it was named first: for complaints. */
  report: Report
  line: number
}

/** Visible ASCII without spaces, so that the three parts of a report's key can be joined by spaces. */
const nameFormat = /^[\x21-\x7e]{1,200}$/
const furthestMs = Date.UTC(9999, 0)
const mostBytes = 2n ** 62n

/** Refuses what is wrong with a report by itself, before the database is asked. */
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
  for (const [index, line] of report.lines.entries()) {
    const fault = (text: string) => new MalformedReport(report, `line ${index + 1} ${text}`)
    if (typeof line.lease !== 'bigint' || line.lease < 0n) throw fault('names no lease')
    if (typeof line.account !== 'bigint' || line.account < 1n) throw fault('names no account')
    if (typeof line.charged_bytes !== 'bigint' || line.charged_bytes < 0n || line.charged_bytes > mostBytes)
      throw fault('charges less than nothing, or more than there is')
    if (!Number.isSafeInteger(line.requests) || line.requests < 0) throw fault('counts requests below zero')
    // A gateway that was granted nothing holds lease 0, and gives it back like any other.
    if (line.lease === 0n && line.charged_bytes > 0n) throw fault('charges without a lease')
  }
}

/** The UTC hour that bytes relayed at this moment count for, as `2026-11-21T22`; its first ten characters are the day. */
export function utcHour(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 13)
}

/** Adds reports up lease by lease, so that each row of the database is touched once. */
export function gather(reports: readonly Report[]): LeaseLine[] {
  const gathered = new Map<bigint, LeaseLine>()
  for (const report of reports) {
    const hour = utcHour(report.at_ms)
    for (const [line, { lease, account, charged_bytes, requests, close }] of report.lines.entries()) {
      if (lease === 0n) continue
      const part = { hour, bytes: charged_bytes, requests: BigInt(requests) }
      const known = gathered.get(lease)
      if (known === undefined) {
        gathered.set(lease, { lease, account, bytes: charged_bytes, close, hours: [part], report, line })
        continue
      }
      if (
        known.account !== account ||
        known.report.gateway !== report.gateway ||
        known.report.boot !== report.boot
      )
        throw new MalformedReport(report, `line ${line + 1} names lease ${lease} of somebody else`)
      known.bytes += charged_bytes
      known.close ||= close
      const last = known.hours.at(-1)
      if (last?.hour === hour) {
        last.bytes += part.bytes
        last.requests += part.requests
      } else {
        known.hours.push(part)
      }
    }
  }
  return [...gathered.values()]
}

/** What was charged to one account on one day. */
export interface DayUsage {
  account: bigint
  day: string
  charged: bigint
  bonus: bigint
  requests: bigint
}

/** A line with what its lease and the balance covered of it. */
export interface CoveredLine {
  line: LeaseLine
  covered: bigint
}

/** Spreads what was covered over the hours, earliest first; what was not covered is missing from the last ones. */
export function* usageHours(
  lines: readonly CoveredLine[],
): Generator<{ account: bigint; hour: string; charged: bigint; requests: bigint }> {
  for (const { line, covered } of lines) {
    let left = covered
    for (const { hour, bytes, requests } of line.hours) {
      const charged = bytes < left ? bytes : left
      left -= charged
      if (charged > 0n || requests > 0n) yield { account: line.account, hour, charged, requests }
    }
  }
}

/** What each account was charged on each day. */
export function usageOf(lines: readonly CoveredLine[]): DayUsage[] {
  const usage = new Map<string, DayUsage>()
  for (const { account, hour, charged, requests } of usageHours(lines)) {
    const day = hour.slice(0, 10)
    const key = `${account} ${day}`
    const known = usage.get(key)
    if (known === undefined) {
      usage.set(key, { account, day, charged, bonus: 0n, requests })
    } else {
      known.charged += charged
      known.requests += requests
    }
  }
  return [...usage.values()]
}

/** Says which part of an account's usage its bonus paid for, earliest day first. */
export function spreadBonus(usage: readonly DayUsage[], bonusByAccount: ReadonlyMap<bigint, bigint>): void {
  const left = new Map(bonusByAccount)
  for (const one of usage.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))) {
    const bonus = left.get(one.account) ?? 0n
    if (bonus === 0n) continue
    one.bonus = bonus < one.charged ? bonus : one.charged
    left.set(one.account, bonus - one.bonus)
  }
}

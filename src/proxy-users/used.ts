/** What proxy users were charged. */
import type { UsedColumns } from './rows.ts'

/** The bytes charged to a proxy user; days and months follow the time zone. */
export interface Used {
  totalBytes: bigint
  dayBytes: bigint
  monthBytes: bigint
  requests: bigint
  lastUsedAt: Date | null
}

export const nothingYet: Used = {
  totalBytes: 0n,
  dayBytes: 0n,
  monthBytes: 0n,
  requests: 0n,
  lastUsedAt: null,
}

/** What a row of a list says. */
export const usedIn = (row: UsedColumns): Used => ({
  totalBytes: row.usedBytes ?? 0n,
  dayBytes: row.usedDayBytes ?? 0n,
  monthBytes: row.usedMonthBytes ?? 0n,
  requests: row.usedRequests ?? 0n,
  lastUsedAt: row.lastUsedAt,
})

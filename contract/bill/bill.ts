/**
 * The file of a customer's bill, and its verification: docs/bill.md. The browser and the command line use the
 * same.
 */

import { hexLength, sha256 } from './digest.ts'

/** The first line of the file. */
export const billHeader =
  'line,hour_utc,pool,credited_bytes,charged_bytes,usd_per_gb,requests,balance_bytes,sha256'

/** The hash before the first line. */
export const billStart = '0'.repeat(64)

/** Larger files are refused: a line for each hour and pool of ten years has fewer. */
export const longestBill = 64 * 1024 * 1024

/** What is wrong with a line. */
export type BillFault =
  /** It is not written as a line of a bill is. */
  | 'form'
  /** Its number is not the next one. */
  | 'number'
  /** Its hour is before that of the line before. */
  | 'hour'
  /** It, or a line before it, was changed after it was made. */
  | 'hash'
  /** The stated balance is not the previous balance plus credits minus charges. */
  | 'balance'

export interface BillPool {
  pool: string
  creditedBytes: bigint
  chargedBytes: bigint
  balanceBytes: bigint
}

/** A hash that the customer kept outside the file. */
export interface KeptHead {
  head: string
  /** The line of the bill, from 1, that has this hash; 0: it is that of a bill without lines; null: none. */
  line: number | null
}

export type BillVerdict =
  | {
      ok: true
      lines: number
      head: string
      from: string | null
      through: string | null
      pools: BillPool[]
      kept: KeptHead[]
    }
  /** `line`: the number of the line in the file, where the header is line 1; `text`: how that line begins. */
  | { ok: false; line: number; fault: BillFault; text: string }

const number = '(?:0|[1-9][0-9]{0,17})'
const lineFormat = new RegExp(
  `^([1-9][0-9]{0,17}),([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:00Z),([a-z][a-z_]{0,40}),(-?${number}),(${number}),((?:${number}\\.[0-9]{6})?),(${number}),(${number}),([0-9a-f]{64})$`,
)
const shownOfLine = 120

/**
 * Verifies that a file is consistent: each line has the hash of all lines before it, and the lines lead to
 * the balances. Anyone who changes a line can compute all hashes anew, and a file that was cut off or
 * continued is consistent too: only a hash that was kept elsewhere proves anything about the shop. `kept` has
 * such hashes; the verdict names the line of each.
 */
export async function verifyBill(file: Uint8Array, kept: readonly string[] = []): Promise<BillVerdict> {
  const text = decoded(file)
  const lines = text.split('\n')
  const bad = (line: number, fault: BillFault): BillVerdict => ({
    ok: false,
    line,
    fault,
    text: (lines[line - 1] ?? '').slice(0, shownOfLine),
  })
  if (file.length > longestBill || lines[0] !== billHeader) return bad(1, 'form')
  // The file ends with the end of a line.
  if (lines.length < 2 || lines.at(-1) !== '') return bad(lines.length, 'form')
  const pools = new Map<string, BillPool>()
  const lineOf = new Map([[billStart, 0]])
  let head = billStart
  let before = ''
  for (let index = 1; index < lines.length - 1; index++) {
    const line = lines[index] ?? ''
    const parts = lineFormat.exec(line)
    if (parts === null) return bad(index + 1, 'form')
    const [, place = '', hour = '', pool = '', credited = '', charged = '', , , balance = '', hash] = parts
    if (place !== String(index)) return bad(index + 1, 'number')
    if (hour < before) return bad(index + 1, 'hour')
    if ((await sha256(`${head},${line.slice(0, -hexLength - 1)}`)) !== hash) return bad(index + 1, 'hash')
    const known = pools.get(pool) ?? { pool, creditedBytes: 0n, chargedBytes: 0n, balanceBytes: 0n }
    known.creditedBytes += BigInt(credited)
    known.chargedBytes += BigInt(charged)
    known.balanceBytes += BigInt(credited) - BigInt(charged)
    if (known.balanceBytes !== BigInt(balance)) return bad(index + 1, 'balance')
    pools.set(pool, known)
    head = hash
    lineOf.set(head, index)
    before = hour
  }
  const hourOf = (line: string | undefined) => (line === undefined ? null : (line.split(',')[1] ?? null))
  const made = lines.slice(1, -1)
  return {
    ok: true,
    lines: made.length,
    head,
    from: hourOf(made[0]),
    through: hourOf(made.at(-1)),
    pools: [...pools.values()],
    kept: kept.map((one) => ({ head: one, line: lineOf.get(one) ?? null })),
  }
}

/**
 * A file that is not UTF-8 keeps its lines, so that the bad one is named: no such byte is in a line of a
 * bill.
 */
const decoded = (file: Uint8Array) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.subarray(0, longestBill + 1))

/** The figures of a report, summed by keys, next to the figures of the ledger. */
import type { ReportName } from '#contract/desk/choices'
import type { DeskOutput } from '#contract/desk/contract'
import { amount } from '../lists/page.ts'

export interface Figures {
  count: bigint
  micros: bigint
  referral: bigint
  bytes: bigint
  bonus: bigint
  /**
   * The cost of the bytes at today's prices of exits: averaged by weight, and if the dearest exit carried all
   * of them.
   */
  cost: bigint
  dearest: bigint
}
type Field = keyof Figures
const nothing: Figures = { count: 0n, micros: 0n, referral: 0n, bytes: 0n, bonus: 0n, cost: 0n, dearest: 0n }

/** The fields of each report; the other fields are null in its rows. */
const fieldsOf: Record<ReportName, readonly Field[]> = {
  sales: ['count', 'micros', 'referral', 'bytes'],
  refunds: ['count', 'micros', 'referral', 'bytes'],
  usage: ['count', 'bytes', 'bonus'],
  liability: ['bytes', 'bonus', 'cost', 'dearest'],
  referral: ['count', 'micros', 'referral'],
}

export function addTo(sum: Figures, part: Partial<Figures>): Figures {
  const added = { ...sum }
  for (const field of Object.keys(part) as Field[]) added[field] += part[field] ?? 0n
  return added
}

/** The figures added up by their keys; times in their order, others the largest first. */
export class Sums {
  readonly #sums = new Map<string, Figures>()

  add(key: string, part: Partial<Figures>): void {
    this.#sums.set(key, addTo(this.#sums.get(key) ?? nothing, part))
  }

  /** Replaces figures of a key. */
  set(key: string, figures: Partial<Figures>): void {
    this.#sums.set(key, addTo(nothing, figures))
  }

  rows(isTime: boolean): [string, Figures][] {
    const size = ({ micros, referral, bytes }: Figures) => [micros + referral, bytes] as const
    return [...this.#sums].toSorted(([key, a], [other, b]) => {
      if (isTime) return key.localeCompare(other)
      const [money, bytes] = [size(b)[0] - size(a)[0], size(b)[1] - size(a)[1]]
      return Number(money) || Number(bytes) || key.localeCompare(other)
    })
  }

  total(): Figures {
    return [...this.#sums.values()].reduce<Figures>((all, sum) => addTo(all, sum), nothing)
  }
}

type Agreement = DeskOutput<'report'>['agrees']

/** The ledger's figures for the same report, read in another way than the rows. */
export interface Books {
  figures: Partial<Figures>
  /**
   * For usage: the allowed difference from the ledger, which counts at the time of settlement. Down by the
   * last hour of the period, up by the hour before it.
   */
  margin?: { down: bigint; up: bigint }
  /** For usage that differs by more: whether both are equal over all time, so that only the times differ. */
  isEqualEver?: boolean
  /** Months whose rows were moved to files. */
  archived: string[]
  /** For usage: months of which the rows lack some, because the hours are no longer kept. */
  dropped?: string[]
  isPart?: boolean
}

function agreementOf(
  total: Figures,
  { figures, margin, isEqualEver, archived, dropped = [], isPart = false }: Books,
): Agreement {
  const fields = Object.keys(figures) as Field[]
  if (archived.length > 0) return 'archived'
  if (dropped.length > 0) return 'dropped'
  if (fields.length === 0) return isPart ? 'part' : 'own'
  const away = fields.map((field) => (figures[field] ?? 0n) - total[field])
  if (away.every((difference) => difference === 0n)) return 'equal'
  const isMargin = margin !== undefined && away.every((one) => one >= -margin.down && one <= margin.up)
  if (isMargin) return 'later'
  return isEqualEver === true ? 'moved' : 'differs'
}

/** The texts in files. */
const words: Record<Agreement, string> = {
  equal: 'equal',
  later: 'differs by what was settled in another hour',
  moved: 'differs by what was settled at other times',
  own: 'of which this is computed',
  part: 'compared as a whole',
  differs: 'DIFFERS',
  archived: 'DIFFERS: months were moved to files',
  dropped: 'DIFFERS: hours are no longer kept of',
}

type Row = DeskOutput<'report'>['rows'][number]

function rowOf(
  report: ReportName,
  { key, name = null }: { key: string; name?: string | null },
  figures: Partial<Figures>,
  hidden: readonly Field[] = [],
): Row {
  const shown = (field: Field) =>
    fieldsOf[report].includes(field) && !hidden.includes(field) && figures[field] !== undefined
      ? amount(figures[field])
      : null
  return {
    key,
    name,
    count: shown('count'),
    micros: shown('micros'),
    referral_micros: shown('referral'),
    bytes: shown('bytes'),
    bonus_bytes: shown('bonus'),
    cost_micros: shown('cost'),
    dearest_cost_micros: shown('dearest'),
  }
}

export interface Reported {
  rows: readonly [string, Figures][]
  total: Figures
  names?: ReadonlyMap<string, string>
  books: Books
  /** Figures of the report that are unknown, by the key of a row; '' stands for all rows. */
  unknown?: ReadonlyMap<string, readonly Field[]>
}

/** The report with its sum, the ledger's figures and, if they differ, the difference. */
export function shownReport(
  report: ReportName,
  zone: string,
  { rows, total, names, books, unknown }: Reported,
): DeskOutput<'report'> {
  const agrees = agreementOf(total, books)
  const { figures } = books
  const archived = [...books.archived, ...(books.dropped ?? [])]
  const difference = Object.fromEntries(
    (Object.keys(figures) as Field[]).map((field) => [field, (figures[field] ?? 0n) - total[field]]),
  )
  return {
    rows: rows.map(([key, sum]) =>
      rowOf(report, { key, name: names?.get(key) ?? null }, sum, unknown?.get(key) ?? unknown?.get('')),
    ),
    next: null,
    foot: [
      rowOf(report, { key: 'total' }, total, unknown?.get('')),
      rowOf(report, { key: 'ledger', name: [words[agrees], ...archived].join(' ') }, figures),
      ...(Object.keys(figures).length === 0 || agrees === 'equal'
        ? []
        : [rowOf(report, { key: 'difference' }, difference)]),
    ],
    agrees,
    archived,
    time_zone: zone,
  }
}

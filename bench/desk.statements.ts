/**
 * The cost of a call's statements in PostgreSQL alone, which hardly depends on other load of the machine.
 */
import pg from 'pg'

interface Statement {
  text: string
  values: unknown[]
}

export interface StatementCost {
  text: string
  /** The shortest execution of several, without planning. */
  ms: number
  /** Pages of 8 KiB that it read, cached or not. */
  pages: number
}

let noted: Statement[] | null = null

/** Watches the statements of all connections that are opened from now on. */
export function watchStatements(): void {
  const send = pg.Client.prototype.query as (...given: unknown[]) => unknown
  pg.Client.prototype.query = function query(this: pg.Client, ...given: unknown[]) {
    const [what, values] = given
    const { text, values: own } =
      typeof what === 'string' ? { text: what, values: undefined } : (what as Partial<Statement>)
    if (noted !== null && text !== undefined)
      noted.push({ text, values: own ?? (Array.isArray(values) ? values : []) })
    return send.apply(this, given)
  } as typeof pg.Client.prototype.query
}

/** The statements that `work` sent. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  noted = sent
  try {
    await work()
  } finally {
    noted = null
  }
  return sent
}

/** Executes each reading statement again, `times` times, and returns what it costs. */
export async function costsOf(
  pool: pg.Pool,
  statements: readonly Statement[],
  times = 3,
): Promise<StatementCost[]> {
  const costs: StatementCost[] = []
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const { text, values } of statements) {
      if (
        !/^\s*(?:\/\*.*?\*\/\s*)?(?:select|with)\b/i.test(text) ||
        /\b(?:insert into|update|for update)\b/i.test(text)
      )
        continue
      const runs: { ms: number; pages: number }[] = []
      for (let run = 0; run < times; run++) {
        const { rows } = await client.query<{ 'QUERY PLAN': [Explained] }>(
          `explain (analyze, buffers, timing off, format json) ${text}`,
          values,
        )
        const [explained] = rows[0]?.['QUERY PLAN'] ?? []
        if (explained === undefined) throw new Error('EXPLAIN came without its row')
        const { Plan: plan } = explained
        runs.push({
          ms: explained['Execution Time'],
          pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
        })
      }
      costs.push({ text, ms: Math.min(...runs.map(({ ms }) => ms)), pages: runs.at(-1)?.pages ?? 0 })
    }
    await client.query('rollback')
  } finally {
    client.release()
  }
  return costs
}

interface Explained {
  'Execution Time': number
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
}

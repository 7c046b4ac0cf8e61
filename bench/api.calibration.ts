/** The units of a run: what fixed work costs on this machine at this time. */
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { passwordMatches } from '#accounts'
import type { Database } from '#db'
import { cpuMs, family } from './load.ts'

/** Milliseconds of CPU. */
export interface Units {
  /** One turn of the JSON loop in this process. */
  json: number
  /** One `select 1` in PostgreSQL. */
  select: number
  /** One hash of a password, which takes memory rather than computation, so no turn of a loop predicts it. */
  hash: number
}

/** About as much as a page of rows. */
const document = Array.from({ length: 20 }, (_, n) => ({
  id: n,
  name: `a text of row ${n}`,
  at: '2026-11-28T12:00:00.000Z',
  flags: [true, false, null],
  amount: n * 1.25,
}))

const turns = 4000
const selects = 4000
const hashes = 8
const atOnce = 8

/** Measures each for some tenths of a second; JSON is parsed and printed once a turn. */
export async function calibrate({ pool }: Database, database: number): Promise<Units> {
  const json = await jsonMs()
  const hash = await hashMs()
  const before = exactMs(family(database))
  let left = selects
  const ask = async () => {
    while (left-- > 0) await pool.query({ name: 'bench', text: 'select 1', values: [] })
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  return { json, hash, select: (exactMs(family(database)) - before) / selects }
}

/** As `cpuMs`, to the nanosecond where the kernel reports it; processes that have ended are left out. */
function exactMs(pids: readonly number[]): number {
  try {
    const nanos = pids.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]))
    return nanos.reduce((sum, each) => sum + each, 0) / 1e6
  } catch {
    return cpuMs([...pids])
  }
}

async function jsonMs(): Promise<number> {
  const text = JSON.stringify(document)
  let characters = 0
  const before = process.cpuUsage()
  for (let turn = 0; turn < turns; turn++) {
    characters += JSON.stringify(JSON.parse(text)).length
    if (turn % 100 === 0) await setImmediate()
  }
  const { user, system } = process.cpuUsage(before)
  if (characters !== turns * text.length) throw new Error('the JSON came back changed')
  return (user + system) / 1000 / turns
}

async function hashMs(): Promise<number> {
  // The first call makes the hash that it compares with.
  await passwordMatches(null, 'a password')
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: hashes }, () => passwordMatches(null, 'a password')))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / hashes
}

import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** A change of one file: what stands there, and what a careless hand might have written. */
type Change = [file: string, right: string, wrong: string]

/** Bugs as they are made, and what the simulation must say of them. */
const bugs: { name: string; changes: Change[]; symptom: RegExp }[] = [
  {
    name: 'a payment is counted outside of the transaction that credits it',
    changes: [
      ['src/purchase/settlement.ts', 'notification: judged }', 'notification: judged, apart: database.db }'],
      [
        'src/purchase/settlement.ts',
        'invoice, notification }, now)',
        'invoice, notification, apart: database.db }, now)',
      ],
      [
        'src/purchase/settlement.ts',
        'invoice, notification }: Application',
        'invoice, notification, apart }: Application',
      ],
      ['src/purchase/settlement.ts', 'await countPayment(tx,', 'await countPayment(apart,'],
      // With the stricter lock it would wait for itself.
      ['src/purchase/invoice.ts', 'query.forUpdate()', 'query.forNoKeyUpdate()'],
    ],
    symptom: /what it received is \d+, and should be|the sum of its payments is/,
  },
  {
    name: 'a payment that was told before is counted again',
    changes: [['src/purchase/settlement.ts', 'result.numInsertedOrUpdatedRows === 1n', 'true']],
    symptom: /what it received is \d+, and should be/,
  },
  {
    name: 'a repeated operation is done again',
    changes: [
      ['src/promo/gift.ts', 'use !== null && use.operation !== null && use.operation === operation', 'false'],
    ],
    symptom: /traffic codes were used .+, and given/,
  },
  {
    name: 'a report that comes again is settled again',
    changes: [
      ['src/traffic/sequence.ts', 'report.sequence > through && !settled.has(report.sequence) && ', ''],
      ['src/traffic/sequence.ts', '.filter((sequence) => sequence > through)', ''],
    ],
    symptom: /relayed \d+ B; \d+ B were charged|was posted before/,
  },
  {
    name: 'the leases of a killed gateway are not given back',
    changes: [
      [
        'src/traffic/lease.ts',
        'return closeLeases(db, sql<boolean>`l.gateway = ${gateway} and l.boot <> ${boot}`)',
        'return Promise.resolve(gateway === boot && db === null ? 1 : 0)',
      ],
    ],
    symptom: /still has \d+ leases, and no gateway/,
  },
  {
    name: 'the last use of a code goes to everybody who holds it',
    changes: [
      ['src/promo/discount.ts', '|| !(await isFree(db, code, wish.accountId, now))', ''],
      ['src/promo/discount.ts', 'if (!stands) return false', ''],
    ],
    symptom: /promocode_never_overused/,
  },
  {
    name: 'a refund is told to the processor by every worker that sees it',
    changes: [
      ['src/purchase/refund.sending.ts', "await note({ state: 'sent',", "await note({ state: 'due',"],
    ],
    symptom: /the refund of \w+ is/,
  },
]

it.concurrent.each(bugs)(
  'is caught: $name',
  async ({ changes, symptom }) => {
    const copy = mkdtempSync(path.join(tmpdir(), 'turnpike-planted-'))
    try {
      for (const part of ['src', 'contract', 'migrations', 'test', 'package.json'])
        cpSync(path.join(root, part), path.join(copy, part), { recursive: true })
      symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
      for (const [file, right, wrong] of changes) {
        const text = readFileSync(path.join(copy, file), 'utf8')
        expect(text, `${file} holds what the bug is planted in`).toContain(right)
        writeFileSync(
          path.join(copy, file),
          text.replace(right, () => wrong),
        )
      }
      const { code, said } = await simulateIn(copy)
      expect(said).toMatch(symptom)
      expect(said).toMatch(/SIMULATION_SEED=\d+ npm run simulate/)
      expect(code).toBe(1)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  },
  600_000,
)

/** Runs it until two seeds have failed. */
function simulateIn(folder: string): Promise<{ code: number; said: string }> {
  const env = { ...process.env, SIMULATION_SEEDS: '150', SIMULATION_ENOUGH: '2', SIMULATION_LANES: '1' }
  return new Promise((resolve) => {
    const main = path.join(folder, 'test/simulation/simulate.ts')
    execFile(process.execPath, [main], { env, cwd: folder, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, said: stdout + stderr }),
    )
  })
}

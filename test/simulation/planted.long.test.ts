/**
 * The simulation detects faults: one function of the shop is replaced by a faulty one (`planted/`), and a
 * seed must fail.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

interface Bug {
  /** The replaced function, and the module that exports it. */
  symbol: string
  module: string
  /** The file of `planted/` that exports the faulty one. */
  fault: string
  /** The report expected from the simulation. */
  symptom: RegExp
}

const bugs: Bug[] = [
  {
    symbol: 'judge',
    module: 'src/payments/judge.ts',
    fault: 'recounted.payment',
    symptom: /what it received is \d+, and should be/,
  },
  {
    symbol: 'takeUnsettled',
    module: 'src/traffic/sequence.ts',
    fault: 'resettled.report',
    symptom: /relayed \d+ B; \d+ B were charged|was posted before/,
  },
  {
    symbol: 'findInvoice',
    module: 'src/purchase/invoices/invoice.ts',
    fault: 'unlocked.invoice',
    symptom: /what it received is \d+, and should be|is settled and stays/,
  },
  {
    symbol: 'activateTrafficCode',
    module: 'src/promo/traffic.code.ts',
    fault: 'repeated.gift',
    symptom: /traffic codes were used .+, and given/,
  },
  {
    symbol: 'recover',
    module: 'src/traffic/lease.ts',
    fault: 'unrecovered.leases',
    symptom: /still has \d+ leases, and no gateway/,
  },
  {
    symbol: 'isOpen',
    module: 'src/promo/code.ts',
    fault: 'overused.code',
    symptom: /promocode_never_overused/,
  },
  {
    symbol: 'ownOf',
    module: 'src/purchase/rules/refund.ts',
    fault: 'unrecognised.refund',
    symptom: /has \d+ returned, not|its customer kept/,
  },
  {
    symbol: 'crossed',
    module: 'src/topup/rules.ts',
    fault: 'repeated.crossing',
    symptom: /was charged \d+ times, and used/,
  },
  {
    symbol: 'addToUser',
    module: 'src/proxy-users/amount.ts',
    fault: 'repeated.amount',
    symptom: /a change of -?\d+ B was done, and made not|may use \d+ B, and was given/,
  },
  {
    symbol: 'closeReserves',
    module: 'src/proxy-users/reserve.ts',
    fault: 'returned.lease',
    symptom:
      /the house bore|stay_within_their_reserves|customer_never_below_zero|reserve_is_what_proxy_users_have_left/,
  },
]

it.concurrent.each(bugs)(
  'a planted fault is detected: $fault',
  async ({ symptom, ...bug }) => {
    const { code, said } = await simulateWith(bug)
    expect(said).toMatch(symptom)
    expect(said).toMatch(/SIMULATION_SEED=\d+ npm run simulate/)
    expect(code).toBe(1)
  },
  600_000,
)

it.each([
  { what: 'function', module: 'src/payments/judge.ts', said: "does not provide an export named 'renamed'" },
  { what: 'module', module: 'src/payments/moved.ts', said: 'ERR_MODULE_NOT_FOUND' },
])('a fault is not planted silently in a $what that does not exist', async ({ module, said }) => {
  const ended = await simulateWith({ symbol: 'renamed', module, fault: 'recounted.payment' })
  expect(ended.said).toContain(said)
  expect(ended.code).toBe(1)
})

/** Runs it until two seeds have failed. */
function simulateWith({
  symbol,
  module,
  fault,
}: Omit<Bug, 'symptom'>): Promise<{ code: number; said: string }> {
  const env = {
    ...process.env,
    PLANTED_SYMBOL: symbol,
    PLANTED_MODULE: module,
    PLANTED_FAULT: `test/simulation/planted/${fault}.ts`,
    SIMULATION_SEEDS: '600',
    SIMULATION_ENOUGH: '2',
    SIMULATION_LANES: '3',
  }
  const [plant, main] = ['planted/plant.ts', 'simulate.ts'].map((file) =>
    path.join(import.meta.dirname, file),
  )
  const parameters = ['--import', String(plant), String(main)]
  return new Promise((resolve) => {
    execFile(process.execPath, parameters, { env, cwd: root, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, said: stdout + stderr }),
    )
  })
}

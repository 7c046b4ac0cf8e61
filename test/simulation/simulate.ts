/**
 * Simulates many seeds, or the one of SIMULATION_SEED: `npm run simulate`. SIMULATION_SEEDS is their number,
 * SIMULATION_FROM the first one, SIMULATION_ENOUGH the number of failures after which it stops,
 * SIMULATION_LANES the concurrency. Exits with 1 when an invariant was violated.
 */
import { simulate } from './simulation.ts'

const whole = (name: string, usual: number): number => {
  const value = Number(process.env[name] ?? usual)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} must be a whole number`)
  return value
}

const one = process.env['SIMULATION_SEED']
const { failed, text } = await simulate({
  from: one === undefined ? whole('SIMULATION_FROM', 1) : whole('SIMULATION_SEED', 1),
  seeds: one === undefined ? whole('SIMULATION_SEEDS', 5000) : 1,
  enough: whole('SIMULATION_ENOUGH', 10),
  atOnce: whole('SIMULATION_LANES', 5),
  say: (line) => void process.stdout.write(`${line}\n`),
})
process.stdout.write(`${text}\n`)
if (failed > 0) process.exitCode = 1

/**
 * Steps of a run: programs that are started one after the other or side by side, each with a line that says
 * how it ended.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'

/** A program of node_modules, or a file of ours, with its parameters. */
export interface Step {
  name: string
  file: string
  parameters: readonly string[]
  /** The Node.js to run it with. Default: the one that runs this. */
  node?: string
  /** In addition to the environment of this process. */
  env?: Readonly<Record<string, string>>
}

const root = path.resolve(import.meta.dirname, '../..')

const bin = (file: string) => (name: string, parameters: readonly string[]) => ({ name, file, parameters })
export const oxlint = bin('node_modules/oxlint/bin/oxlint')
export const oxfmt = bin('node_modules/oxfmt/bin/oxfmt')
export const knip = bin('node_modules/knip/bin/knip.js')
export const vitest = bin('node_modules/vitest/vitest.mjs')
export const playwright = bin('node_modules/@playwright/test/cli.js')

export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** The running child processes; the end of the run must end them too. */
const running = new Set<ReturnType<typeof spawn>>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of running) child.kill(signal)
    process.exitCode = 1
  })

/**
 * Runs a step; `shown` shows its output as it comes, otherwise it is printed only after a failure. Resolves
 * to whether it passed.
 */
export async function runStep(step: Step, { shown = false } = {}): Promise<boolean> {
  const startedMs = Date.now()
  if (shown) print(`… ${step.name}`)
  const { code, output } = await start(step, shown)
  print(`${code === 0 ? '✓' : '✗'} ${step.name} (${((Date.now() - startedMs) / 1000).toFixed(1)} s)`)
  if (code !== 0 && output !== '') print(output.trimEnd())
  return code === 0
}

function start(
  { file, parameters, node = process.execPath, env = {} }: Step,
  shown: boolean,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [file, ...parameters], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: shown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void (output += text))
    child.once('error', reject)
    child.once('close', (code) => {
      running.delete(child)
      resolve({ code: code ?? 1, output })
    })
  })
}

/**
 * Runs steps two at a time; resolves to the names of those that failed. After a failure no further one
 * starts.
 */
export async function runTwoAtATime(steps: readonly Step[]): Promise<string[]> {
  const waiting = [...steps]
  const failed: string[] = []
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined && failed.length === 0; step = waiting.shift())
      if (!(await runStep(step))) failed.push(step.name)
  }
  await Promise.all([worker(), worker()])
  return failed
}

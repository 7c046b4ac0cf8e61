import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * A clone in a temporary folder: the real bootstrap with a fake npm, build and Turnpike, each of which
 * records its calls.
 */

const npm = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('npm.calls', process.argv.slice(2).join(' ') + '\\n')
await new Promise((resolve) => setTimeout(resolve, Number(process.env.PRETENDED_INSTALL_MS ?? 0)))
if (process.env.PRETENDED_FAILURE) { console.error('E404 no such package'); process.exit(1) }
mkdirSync('node_modules', { recursive: true })
`

const build = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('build.calls', 'build\\n')
for (const out of process.argv.slice(2)) {
  mkdirSync(out, { recursive: true })
  writeFileSync(out + '/index.html', 'built')
}
`

export class Clone {
  readonly path = mkdtempSync(join(tmpdir(), 'turnpike-clone-'))
  readonly #children: ChildProcess[] = []

  constructor(turnpike = 'console.log(process.argv.slice(2).join(" "))') {
    const bootstrap = import.meta.dirname
    for (const file of readdirSync(bootstrap).filter((name) => name.endsWith('.mjs')))
      cpSync(join(bootstrap, file), join(this.path, 'bootstrap', file))
    this.write('package.json', '{"type":"module"}')
    this.write('package-lock.json', '{"packages":{"":{}}}')
    this.write('pretended/npm-cli.js', npm)
    this.write('web/build/build.ts', build)
    this.write('src/main/commands/turnpike.ts', turnpike)
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true })
    writeFileSync(join(this.path, file), text)
  }

  /** The number of calls of the fake program. */
  calls(program: 'npm' | 'build'): number {
    const log = join(this.path, `${program}.calls`)
    return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0
  }

  start(parameters: string[], environment: Record<string, string> = {}): Run {
    const child = spawn(process.execPath, [join(this.path, 'bootstrap/turnpike.mjs'), ...parameters], {
      cwd: this.path,
      env: { ...process.env, npm_execpath: join(this.path, 'pretended/npm-cli.js'), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.push(child)
    return new Run(child)
  }

  /** Ends running processes and removes the folder. */
  async remove(): Promise<void> {
    const running = this.#children.filter((child) => child.exitCode === null && child.signalCode === null)
    await Promise.all(running.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))))
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** A started bootstrap: what it wrote so far and how it ended. */
export class Run {
  output = ''
  errors = ''
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => void (this.output += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.errors += text))
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }))
    })
  }
}

/** LibreOffice without a window, to test how spreadsheets read our files. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const program = '/usr/bin/soffice'
const installer = '/usr/bin/apt-get'
const debian = 'libreoffice-calc-nogui'
const conversionMs = 120_000

/**
 * Installs LibreOffice where that needs no password (root on Debian or Ubuntu); otherwise fails and says what
 * to do.
 */
export function ensureSpreadsheet(): void {
  if (existsSync(program)) return
  const help = `The test needs LibreOffice: install it (Debian: apt-get install --no-install-recommends ${debian}) and run it again.`
  if (process.getuid?.() !== 0 || !existsSync(installer)) throw new Error(help)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    for (const parameters of [['update'], ['install', '-y', '--no-install-recommends', debian]])
      execFileSync(installer, parameters, { env, stdio: 'pipe' })
  } catch (error) {
    throw new Error(`${help}\n${error instanceof Error ? error.message : ''}`, { cause: error })
  }
  if (!existsSync(program)) throw new Error(help)
}

/**
 * Converts a file with LibreOffice to each of these formats. `filter`: the value of `--infilter`, which says
 * how to read the file. Each conversion has its own profile, so that none depends on another or on the user.
 */
export async function convert(
  bytes: Buffer,
  { name, filter, to }: { name: string; filter?: string; to: 'xlsx' | 'fods' | 'csv' | 'pdf' },
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'spreadsheet-'))
  try {
    const file = path.join(folder, name)
    await writeFile(file, bytes)
    const parameters = [
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      '--norestore',
      ...(filter === undefined ? [] : [`--infilter=${filter}`]),
      '--convert-to',
      to,
      '--outdir',
      path.join(folder, 'out'),
      file,
    ]
    await run(parameters, folder)
    return await readFile(path.join(folder, 'out', `${path.parse(name).name}.${to}`))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function run(parameters: string[], folder: string): Promise<void> {
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' }
  const child = spawn(program, parameters, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: conversionMs })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += String(chunk)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`soffice ended with ${code}:\n${said}`)),
    )
  })
}

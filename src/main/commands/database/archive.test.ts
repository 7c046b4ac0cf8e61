import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ArchiveFault, ArchiveWriter, unpackArchive } from './archive.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-archive-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** An archive of one folder with two files; the second takes many reads. */
async function archived(): Promise<Buffer> {
  const file = path.join(folder, 'whole.tar.gz')
  const large = path.join(folder, 'large')
  writeFileSync(
    large,
    Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at * 2_654_435_761) >>> 24)),
  )
  const archive = new ArchiveWriter(file)
  await archive.folder('things')
  await archive.text('things/small', 'a few bytes')
  await archive.file('things/large', large)
  await archive.finish()
  return readFileSync(file)
}

/** Unpacks these bytes into a new folder; the fault, or the names of the files in it. */
async function unpacked(bytes: Buffer, name: string): Promise<unknown> {
  const file = path.join(folder, `${name}.tar.gz`)
  writeFileSync(file, bytes)
  const into = path.join(folder, name)
  return await unpackArchive(file, into).then(
    () => readdirSync(into, { recursive: true }).map(String).toSorted(),
    (error: unknown) => error,
  )
}

describe('an archive', () => {
  it('is unpacked unchanged', async () => {
    const whole = await archived()
    expect(await unpacked(whole, 'again')).toEqual(['things', 'things/large', 'things/small'])
    expect(readFileSync(path.join(folder, 'again/things/small'), 'utf8')).toBe('a few bytes')
    expect(readFileSync(path.join(folder, 'again/things/large'))).toEqual(
      readFileSync(path.join(folder, 'large')),
    )
  })

  it('that is truncated anywhere is refused, and nothing waits for the rest', async () => {
    const whole = await archived()
    const tar = gunzipSync(whole)
    // Cut as a file, and cut before it was compressed: inside a head, between two entries, inside the large
    // one.
    const ends = [1, 10, 200, 1000, 100_000, whole.length - 20, whole.length - 1]
    const inside = [100, 512, 1000, 1536, 2048, 3000, 200_000, 303_616, tar.length - 1024, tar.length - 1600]
    for (const end of ends)
      expect(await unpacked(whole.subarray(0, end), `cut-${end}`)).toBeInstanceOf(ArchiveFault)
    for (const end of inside.filter((at) => at < tar.length - 1024))
      expect(await unpacked(gzipSync(tar.subarray(0, end)), `tar-${end}`)).toBeInstanceOf(ArchiveFault)
  })
})

/** A backup as one file: a gzipped tar, with an entry at its end that proves it complete. */
import { createReadStream, createWriteStream, writeFileSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, type Extract, type Headers, pack, type Pack } from 'tar-stream'

/** The last entry of a complete archive; its text is the number of entries before it. */
const endMark = 'turnpike-backup-end'

/** The file is not a backup, or incomplete. */
export class ArchiveFault extends Error {}

/** The error of a system call, which says nothing of the file. */
export const isSystemFault = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && !ofNames.has((error as NodeJS.ErrnoException).code ?? '')

/** What the names of a file that is no backup may cause, and the name of a folder. */
const ofNames = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'])

/** Writes an archive under a temporary name, and renames it when every byte is on the disk. */
export class ArchiveWriter {
  readonly #file: string
  readonly #tar: Pack = pack()
  readonly #written: Promise<void>
  /** Never resolves; rejects when writing fails. */
  readonly #failed: Promise<never>
  #entries = 0

  constructor(file: string) {
    this.#file = file
    // The archive contains the key that opens the customers' passwords.
    const sink = createWriteStream(`${file}.part`, { mode: 0o600, flush: true })
    this.#written = pipeline(this.#tar, createGzip({ level: 4 }), sink)
    this.#failed = this.#written.then(() => new Promise<never>(() => undefined))
    // Handled where it is awaited; without this it would be an unhandled rejection.
    this.#failed.catch(() => undefined)
  }

  folder(name: string): Promise<void> {
    return this.#entry({ name, type: 'directory', mode: 0o700 }, () => undefined)
  }

  text(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    return this.#entry({ name, size: bytes.length, mode: 0o600 }, (entry) => void entry.end(bytes))
  }

  /** Adds a file up to its present length; skips one that does not exist any more. */
  async file(name: string, path: string): Promise<void> {
    const found = await stat(path).catch(unlessGone)
    if (found === null) return
    const { size } = found
    await this.#entry({ name, size, mode: 0o600 }, async (entry) => {
      // A database has thousands of small files: a pipeline for each costs more CPU time than their bytes.
      if (size > chunkSize) return pipeline(exactly(path, size), entry)
      for await (const bytes of exactly(path, size)) entry.write(bytes)
      entry.end()
    })
  }

  /** Ends the archive; returns its size in bytes. */
  async finish(): Promise<number> {
    await this.text(endMark, String(this.#entries))
    this.#tar.finalize()
    await this.#written
    await rename(`${this.#file}.part`, this.#file)
    const folder = await open(dirname(this.#file), 'r')
    await folder.sync()
    await folder.close()
    return (await stat(this.#file)).size
  }

  async giveUp(): Promise<void> {
    this.#tar.destroy()
    await this.#written.catch(() => undefined)
    await rm(`${this.#file}.part`, { force: true })
  }

  /** Resolves when the entry is completely written; rejects when the archive cannot be written. */
  async #entry(header: Headers, fill: (entry: Writable) => void | Promise<void>): Promise<void> {
    const packed = new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve())
      void Promise.resolve(fill(this.#tar.entry(header, done) as unknown as Writable)).catch(reject)
    })
    await Promise.race([packed, this.#failed])
    this.#entries++
  }
}

/**
 * The first `size` bytes of a file. One that is truncated meanwhile is padded; replaying the write-ahead log
 * corrects it.
 */
async function* exactly(path: string, size: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r').catch(unlessGone)
  try {
    for (let at = 0; at < size;) {
      const chunk = Buffer.alloc(Math.min(size - at, chunkSize))
      const read = (await file?.read(chunk, 0, chunk.length, at))?.bytesRead ?? 0
      const bytes = read === 0 ? chunk : chunk.subarray(0, read)
      at += bytes.length
      yield bytes
    }
  } finally {
    await file?.close()
  }
}

const chunkSize = 256 * 1024

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/**
 * Unpacks a complete archive into a new folder. Throws ArchiveFault for any other file, and errors of the
 * system as they are; files unpacked until then stay.
 */
export async function unpackArchive(file: string, folder: string): Promise<void> {
  const tar = extract()
  const unpacked = pipeline(createReadStream(file), createGunzip(), tar)
  const broken = new AbortController()
  // tar-stream's iterator and entries report a broken archive only to callers that wait at that moment.
  const failed = unpacked.then(() => new Promise<never>(() => undefined))
  failed.catch((error: unknown) => broken.abort(error))
  try {
    const found = await Promise.race([unpackEntries(tar, folder, broken.signal), failed])
    await unpacked
    if (found.mark !== String(found.entries))
      throw new ArchiveFault('Its end is missing: the backup is incomplete.')
  } catch (error) {
    if (error instanceof ArchiveFault || isSystemFault(error)) throw error
    throw new ArchiveFault(`It cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  } finally {
    tar.destroy()
  }
}

/** Written files are on the disk, readable by their owner only. */
const asNew = { mode: 0o600, flush: true }

async function whole(entry: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of entry) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The number of entries, and the text of the last one; null: it is missing. */
async function unpackEntries(
  tar: Extract,
  folder: string,
  signal: AbortSignal,
): Promise<{ entries: number; mark: string | null }> {
  let entries = 0
  let mark: string | null = null
  for await (const entry of tar) {
    const { name, type } = entry.header
    const parts = name.replace(/\/$/, '').split('/')
    if (parts.some((part) => part === '' || part === '..' || part === '.') || name.includes('\0'))
      throw new ArchiveFault(`It names a file outside: ${JSON.stringify(name)}.`)
    const path = join(folder, ...parts)
    if (name === endMark) {
      mark = ''
      for await (const chunk of entry) mark += (chunk as Buffer).toString()
    } else if (type === 'directory') {
      await mkdir(path, { recursive: true, mode: 0o700 })
      entry.resume()
      entries++
    } else {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // Nothing else runs in a process that restores, so small files are written synchronously, which costs least.
      if ((entry.header.size ?? 0) > chunkSize)
        await pipeline(entry, createWriteStream(path, { ...asNew, flags: 'wx' }), { signal })
      else writeFileSync(path, await whole(entry), { ...asNew, flag: 'wx' })
      entries++
    }
  }
  return { entries, mark }
}

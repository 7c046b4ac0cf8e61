/**
 * The user of gateway workers, which are exposed to clients. When started by root, they change to a user that
 * owns only the gateway's folder, after loading their code, which may be readable by root only.
 */
import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { closeFolder, mayBecome, ownUser, type User } from '#lib/unprivileged'
import type { CertificateFiles } from '#gateway'
import type { Log } from '../process/log.ts'
import { SettingFault, type Settings } from '../settings/settings.ts'

interface Rights {
  /** The user that the workers change to; null: they keep the user of this process. */
  user: User | null
  /** The files of the certificates as the workers can read them. */
  certificates: CertificateFiles[]
  /** Replaces the workers' file names in a sentence by those of the settings. */
  explain: (sentence: string) => string
  stop: () => void
}

/**
 * Prepares the user of the workers: their folder is closed to all others and given to that user. They stay
 * root in a container whose root may not change its user, and when their feed is a unix socket, which only
 * its owner may use. Refuses, with a sentence, certificates that cannot be read.
 */
export function workerRights(
  { dataDir, gateway: { certificates }, feed }: Pick<Settings, 'dataDir' | 'gateway' | 'feed'>,
  folder: string,
  log: Log,
): Rights {
  const wanted = process.geteuid?.() === 0 ? ownUser(dataDir, 'gateway') : null
  const isFeedClosed = feed.connect?.addresses.some((address) => 'path' in address) === true
  const user = wanted !== null && !isFeedClosed && mayBecome(wanted) ? wanted : null
  closeFolder(folder, user)
  if (user !== null) {
    const copies = new CertificateCopies(certificates, { folder, user, log })
    const explain = (sentence: string) => copies.inOriginalNames(sentence)
    return { user, certificates: copies.files, explain, stop: () => copies.stop() }
  }
  if (wanted !== null)
    log.warn(
      isFeedClosed
        ? 'gateway workers keep the rights of root: a socket of FEED_URL is for its owner only'
        : 'gateway workers keep the rights of root: it may not become another user here',
    )
  return { user, certificates, explain: (sentence) => sentence, stop: () => undefined }
}

/** Gives files that a command of root has written into the workers' folder to their user. */
export function giveBack(folder: string): void {
  const { uid, gid } = statSync(folder)
  if (process.geteuid?.() === 0 && uid !== 0) closeFolder(folder, { uid, gid })
}

const lookEveryMs = 5_000

interface Pair {
  from: CertificateFiles
  to: CertificateFiles
  /** The state of the originals at the last attempt to copy them. */
  seen: string
}

/**
 * Copies of certificates and keys that the workers' user can read; the originals are often readable by root
 * only. Copied again when they change, which the workers notice like a change of the originals.
 */
class CertificateCopies {
  readonly #pairs: Pair[]
  readonly #folder: string
  readonly #user: User
  readonly #log: Log
  readonly #timer: NodeJS.Timeout

  /** Refuses, with a sentence, files that cannot be read. */
  constructor(
    files: readonly CertificateFiles[],
    { folder, user, log }: { folder: string; user: User; log: Log },
  ) {
    this.#folder = folder
    this.#user = user
    this.#log = log
    rmSync(path.join(folder, copies), { recursive: true, force: true })
    mkdirSync(path.join(folder, copies), { mode: 0o700 })
    chownSync(path.join(folder, copies), user.uid, user.gid)
    this.#pairs = files.map((from, index) => {
      const nameOf = (file: string) => path.join(copies, `${index}-${path.basename(file)}`)
      return { from, to: { cert: nameOf(from.cert), key: nameOf(from.key) }, seen: '' }
    })
    for (const pair of this.#pairs) this.#copy(pair)
    this.#timer = setInterval(() => this.#look(), lookEveryMs).unref()
  }

  /** The copies, by their paths relative to the gateway's folder. */
  get files(): CertificateFiles[] {
    return this.#pairs.map(({ to }) => to)
  }

  /** A worker's sentence about them, with the file names of the settings. */
  inOriginalNames(sentence: string): string {
    return this.#pairs.reduce(
      (text, { from, to }) => text.replaceAll(to.cert, from.cert).replaceAll(to.key, from.key),
      sentence,
    )
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    for (const pair of this.#pairs) {
      try {
        if (pair.seen !== signOf(pair.from)) this.#copy(pair)
      } catch (error) {
        if (!(error instanceof SettingFault)) throw error
        this.#log.error(`${error.message} The one before stays in use.`)
      }
    }
  }

  #copy(pair: Pair): void {
    const { from, to } = pair
    pair.seen = signOf(from)
    for (const part of ['cert', 'key'] as const) {
      const target = path.join(this.#folder, to[part])
      writeFileSync(`${target}.new`, read(from[part]), { mode: 0o400 })
      chownSync(`${target}.new`, this.#user.uid, this.#user.gid)
      renameSync(`${target}.new`, target)
    }
  }
}

const copies = 'certificates'

/** Changes whenever one of the files is written or replaced. */
const signOf = ({ cert, key }: CertificateFiles): string =>
  [cert, key]
    .map((file) => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false })
      return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeNs}`
    })
    .join(', ')

function read(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as { code?: string }
    throw new SettingFault(
      `The certificate or key ${file} cannot be read (${code}). Check GATEWAY_TLS_CERT and GATEWAY_TLS_KEY.`,
    )
  }
}

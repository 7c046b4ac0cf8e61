/**
 * The certificates of the entry ports: read from files, chosen by the name the client asks for, and read again when the
 * files change. A new pair that does not fit together changes nothing: the old one goes on being shown.
 */

import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { GatewayLog } from '../engine.ts'

/** A certificate chain and its key, as PEM files. */
export interface CertificateFiles {
  cert: string
  key: string
}

/** A certificate cannot be used; the message is a sentence for the operator. */
export class CertificateFault extends Error {}

/** Forward secrecy and authenticated ciphers only: nothing that pads, nothing that a stolen key could open later. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** OpenSSL's SSL_OP_NO_RENEGOTIATION, which Node's table of constants leaves out. */
const NO_RENEGOTIATION = 1 << 30

/** Watching a folder misses changes on some file systems: the files are looked at this often all the same. */
const LOOK_EVERY_MS = 5000
/** Whoever replaces a pair writes two files; both are waited for a little. */
const SETTLE_MS = 100

interface Pair {
  files: CertificateFiles
  /** What the files looked like when they were last read, well or not. */
  seen: string
  certificate: X509Certificate
  context: SecureContext
}

/** Changes whenever one of the files is written or replaced. */
function signOf({ cert, key }: CertificateFiles): string {
  return [cert, key]
    .map((file) => {
      try {
        const { ino, size, mtimeNs } = statSync(file, { bigint: true })
        return `${ino} ${size} ${mtimeNs}`
      } catch {
        return 'missing'
      }
    })
    .join(', ')
}

function readPair(files: CertificateFiles): Pair {
  const seen = signOf(files)
  try {
    const [cert, key] = [readFileSync(files.cert), readFileSync(files.key)]
    const certificate = new X509Certificate(cert)
    const context = createSecureContext({
      cert,
      key,
      ciphers: CIPHERS,
      honorCipherOrder: true,
      minVersion: 'TLSv1.2',
      secureOptions: NO_RENEGOTIATION,
    })
    return { files, seen, certificate, context }
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault)
    throw new CertificateFault(
      `The certificate ${files.cert} with the key ${files.key} cannot be used: ${reason}.`,
      { cause: fault },
    )
  }
}

export class Certificates {
  readonly #log: GatewayLog
  readonly #pairs: Pair[]
  #watchers: FSWatcher[] = []
  #timer: NodeJS.Timeout | null = null
  #settling: NodeJS.Timeout | null = null

  /** Throws `CertificateFault` when one of them cannot be used. */
  constructor(files: readonly CertificateFiles[], log: GatewayLog) {
    this.#log = log
    this.#pairs = files.map(readPair)
  }

  /** The context for the name a client asks for: the first certificate made out to it, else the first of all. */
  contextFor(name: string): SecureContext | undefined {
    const fitting = this.#pairs.find(({ certificate }) => certificate.checkHost(name) !== undefined)
    return (fitting ?? this.#pairs[0])?.context
  }

  /** What clients get that ask for no name. */
  get fallback(): SecureContext | undefined {
    return this.#pairs[0]?.context
  }

  /** Reads changed files again from now on. */
  watch(): void {
    const folders = new Set(this.#pairs.flatMap(({ files }) => [files.cert, files.key]).map(path.dirname))
    for (const folder of folders) {
      const watcher = watch(folder, { persistent: false }, () => this.#soon())
      // A folder that goes away is no reason to fail: the clock still looks.
      watcher.on('error', () => watcher.close())
      this.#watchers.push(watcher)
    }
    this.#timer = setInterval(() => this.refresh(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** Looks at the files now, and reads those that have changed. */
  refresh(): void {
    for (const [index, pair] of this.#pairs.entries()) {
      if (signOf(pair.files) === pair.seen) continue
      try {
        const fresh = readPair(pair.files)
        this.#pairs[index] = fresh
        this.#log.info(
          { cert: pair.files.cert, valid_to: fresh.certificate.validTo },
          'certificate read anew',
        )
      } catch (fault) {
        pair.seen = signOf(pair.files)
        if (!(fault instanceof CertificateFault)) throw fault
        this.#log.error({ cert: pair.files.cert }, `${fault.message} The one before stays in use.`)
      }
    }
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#settling !== null) clearTimeout(this.#settling)
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  #soon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = null
      this.refresh()
    }, SETTLE_MS).unref()
  }
}

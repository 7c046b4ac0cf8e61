/**
 * TLS towards clients: the operator's certificates, and the handshake, which returns a socket like any other,
 * over which the same protocols are served.
 */

import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, watch, type FSWatcher } from 'node:fs'
import path from 'node:path'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import type { Log } from '#lib/log'
import type { SocketReader } from './reader.ts'
import { streamOf } from './socket.factory.ts'
import type { AnySocket } from './source.ts'

/** A certificate chain and its key, as PEM files. */
export interface CertificateFiles {
  cert: string
  key: string
}

/** A certificate cannot be used; the message is a sentence for the operator. */
export class CertificateFault extends Error {}

/**
 * Forward secrecy and authenticated encryption only: no padding, and no key that could decrypt recorded
 * traffic later.
 */
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

/** Watching a folder misses changes on some file systems, so the files are also checked this often. */
const CHECK_EVERY_MS = 5000
/** A pair is replaced by writing two files: the wait for the second one. */
const SETTLE_MS = 100

interface Pair {
  files: CertificateFiles
  /** State of the files when they were last read, successfully or not. */
  fileState: string
  certificate: X509Certificate
  context: SecureContext
}

/** Changes whenever one of the files is written or replaced. */
function fileStateOf({ cert, key }: CertificateFiles): string {
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
  const fileState = fileStateOf(files)
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
    return { files, fileState, certificate, context }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CertificateFault(
      `The certificate ${files.cert} with the key ${files.key} cannot be used: ${reason}.`,
      { cause: error },
    )
  }
}

/**
 * The certificates of the entry ports: read from files, chosen by the client's SNI name, and read again when
 * the files change. A new pair that does not fit together changes nothing: the old one stays in use.
 */
export class Certificates {
  readonly #log: Log
  readonly #pairs: Pair[]
  #watchers: FSWatcher[] = []
  #timer: NodeJS.Timeout | null = null
  #settleTimer: NodeJS.Timeout | null = null

  /** Throws `CertificateFault` when one of them cannot be used. */
  constructor(files: readonly CertificateFiles[], log: Log) {
    this.#log = log
    this.#pairs = files.map(readPair)
  }

  /** The context for a client's SNI name: the first certificate issued for it, else the first of all. */
  contextFor(name: string): SecureContext | undefined {
    const fitting = this.#pairs.find(({ certificate }) => certificate.checkHost(name) !== undefined)
    return (fitting ?? this.#pairs[0])?.context
  }

  /** For clients without SNI. */
  get fallback(): SecureContext | undefined {
    return this.#pairs[0]?.context
  }

  /** Reads changed files again from now on. */
  watch(): void {
    const folders = new Set(this.#pairs.flatMap(({ files }) => [files.cert, files.key]).map(path.dirname))
    for (const folder of folders) {
      const watcher = watch(folder, { persistent: false }, () => this.#refreshSoon())
      // When the folder is removed the timer still checks the files.
      watcher.on('error', () => watcher.close())
      this.#watchers.push(watcher)
    }
    this.#timer = setInterval(() => this.refresh(), CHECK_EVERY_MS)
    this.#timer.unref()
  }

  /** Reads the files that have changed. */
  refresh(): void {
    for (const [index, pair] of this.#pairs.entries()) {
      if (fileStateOf(pair.files) === pair.fileState) continue
      try {
        const fresh = readPair(pair.files)
        this.#pairs[index] = fresh
        this.#log.info(
          { cert: pair.files.cert, valid_to: fresh.certificate.validTo },
          'certificate read anew',
        )
      } catch (error) {
        pair.fileState = fileStateOf(pair.files)
        if (!(error instanceof CertificateFault)) throw error
        this.#log.error({ cert: pair.files.cert }, `${error.message} The one before stays in use.`)
      }
    }
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#settleTimer !== null) clearTimeout(this.#settleTimer)
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  #refreshSoon(): void {
    this.#settleTimer ??= setTimeout(() => {
      this.#settleTimer = null
      this.refresh()
    }, SETTLE_MS).unref()
  }
}

/** The TCP socket under each TLS socket. */
const transports = new WeakMap<AnySocket, AnySocket>()

/**
 * Does the handshake over the reader's socket, which the TLS socket owns from here on. Null when the client
 * closed the connection, was too slow, or offers nothing acceptable; the connection is closed then.
 */
export function acceptTls(
  reader: SocketReader,
  certificates: Certificates,
  timeoutMs: number,
): Promise<TLSSocket | null> {
  const early = reader.release()
  const socket = streamOf(reader.socket)
  if (early.length > 0) socket.unshift(early)
  const { fallback } = certificates
  const tls = new TLSSocket(socket, {
    isServer: true,
    ...(fallback === undefined ? {} : { secureContext: fallback }),
    SNICallback: (name, done) => done(null, certificates.contextFor(name)),
    ALPNProtocols: ['http/1.1'],
  })
  transports.set(tls, socket)
  return new Promise((resolve) => {
    const settle = (accepted: TLSSocket | null) => {
      clearTimeout(timer)
      tls.off('secure', done)
      tls.off('_tlsError', failed)
      tls.off('close', failed)
      if (accepted === null) {
        tls.destroy()
        socket.destroy()
      }
      resolve(accepted)
    }
    const done = () => settle(tls)
    const failed = () => settle(null)
    const timer = setTimeout(failed, timeoutMs)
    // The user of the socket gets 'close' after an error.
    tls.on('error', () => undefined)
    tls.on('secure', done)
    tls.on('_tlsError', failed)
    tls.on('close', failed)
  })
}

/** Ends a connection with RST, through TLS too. */
export function resetConnection(socket: AnySocket): void {
  const transport = transports.get(socket)
  if (transport === undefined) {
    // A TLS connection to an exit hides its TCP socket, so it cannot be reset.
    if (socket instanceof TLSSocket) socket.destroy()
    else resetTransport(socket)
    return
  }
  resetTransport(transport)
  socket.destroy()
}

/**
 * Closes a TCP socket with RST. While its end is being sent libuv refuses that, and Node.js then keeps the
 * handle open for good, without a 'close': such a socket is closed as usual, and its peer has the end
 * already.
 */
function resetTransport(socket: AnySocket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy()
  else socket.resetAndDestroy()
}

/** Certificates made with openssl, and a TLS client. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { CertificateFiles } from '../sockets/tls.ts'

/** Writes a self-signed certificate for these names to the two files. */
export function writeCertificate(files: CertificateFiles, names: readonly string[]): void {
  const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map(altName).join(',')}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', files.key, '-out', files.cert], {
    stdio: 'ignore',
  })
}

const altName = (name: string) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)

export interface CertificateFolder {
  /** Makes a pair of files with a certificate for these names. */
  make: (file: string, names: readonly string[]) => CertificateFiles
  files: (file: string) => CertificateFiles
  remove: () => void
}

export function certificateFolder(): CertificateFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-tls-'))
  const files = (file: string) => ({
    cert: path.join(folder, `${file}.crt`),
    key: path.join(folder, `${file}.key`),
  })
  return {
    files,
    make: (file, names) => {
      writeCertificate(files(file), names)
      return files(file)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Does the TLS handshake with the port, without verifying the certificate; rejects when it fails. */
export function shake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const carrier = connectTcp({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
    const socket = connect({ socket: carrier, rejectUnauthorized: false, ...options })
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
    carrier.once('error', reject)
    socket.once('close', () => reject(new Error('closed during the handshake')))
  })
}

/**
 * When the certificates of this process's listeners expire, read from their files whenever metrics are asked
 * for.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'
import type { Settings } from '../settings/settings.ts'

type Listener = 'gateway' | 'feed'

/** Registers the series for these listeners. `registry` is null where no metrics are served. */
export function certificateMetrics(
  { gateway, feed }: Pick<Settings, 'gateway' | 'feed'>,
  listeners: readonly Listener[],
  registry: Registry | null,
): void {
  if (registry === null) return
  const cert = feed.listen?.files?.cert
  const files: Record<Listener, string[]> = {
    gateway: gateway.certificates.map((pair) => pair.cert),
    feed: cert === undefined ? [] : [cert],
  }
  const gauge: Gauge<'listener' | 'host'> = new Gauge({
    name: 'turnpike_certificate_expires_seconds',
    help: 'Until the certificate of a listener expires, by the host names in it; negative afterwards.',
    labelNames: ['listener', 'host'],
    registers: [registry],
    collect: () => {
      gauge.reset()
      for (const listener of listeners)
        for (const file of files[listener])
          for (const [host, seconds] of expiryOf(file)) gauge.set({ listener, host }, seconds)
    },
  })
}

/** Skips a file that cannot be read: the listener that uses it reports it. */
function expiryOf(file: string): [host: string, seconds: number][] {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(readFileSync(file))
  } catch {
    return []
  }
  const { subject, subjectAltName = '', validToDate } = certificate
  const names = [...subjectAltName.matchAll(/(?:DNS|IP Address):([^,]+)/g)].map(([, name = '']) => name)
  const [, commonName = subject] = /^CN=(.*)$/m.exec(subject) ?? []
  const seconds = (validToDate.getTime() - Date.now()) / 1000
  return (names.length > 0 ? names : [commonName]).map((name) => [name, seconds])
}

/** The checks of doctor on certificates, and on the servers of FEED_URL. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { askState } from '#feed/ask-state'
import { dialFeed, type FeedDial } from '#feed/dial'
import type { CertificateFiles } from '#gateway'
import { readPem } from '../../feed.ts'
import { SettingFault, type Settings } from '../../settings/settings.ts'
import { printFeedAddress } from '../../settings/settings.feed.ts'
import { type Check, checkOf, wholeDays } from './check.ts'

/** Automatic renewal happens earlier than this many days before the end. */
const leastDays = 7

/** Checks each certificate that this machine presents, and that they cover the host names of lines. */
export function certificateChecks({ gateway, feed }: Settings, now: Date): Check[] {
  const shown = [...gateway.certificates, ...(feed.listen?.files ? [feed.listen.files] : [])]
  const read = shown.map((files) => readCertificate(files, now))
  const ofGateway = read.slice(0, gateway.certificates.length).flatMap(({ certificate }) => certificate ?? [])
  const checks = read.map(({ check }, index) => ({ ...check, about: shown[index]?.cert ?? '' }))
  if (ofGateway.length === 0) return checks
  const hosts = new Set([gateway.host, ...gateway.hosts.values()])
  const uncovered = [...hosts].filter((host) => !ofGateway.some((certificate) => isFor(certificate, host)))
  return uncovered.length === 0
    ? checks
    : [
        ...checks,
        checkOf('certificates')(
          'trouble',
          `None of GATEWAY_TLS_CERT is made out to ${uncovered.join(', ')}, which customers' lines name.`,
        ),
      ]
}

const isFor = (certificate: X509Certificate, host: string) =>
  (isIP(host) > 0 ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined

function readCertificate(
  { cert, key }: CertificateFiles,
  now: Date,
): { check: Check; certificate?: X509Certificate } {
  const found = checkOf('certificate')
  try {
    const certificate = new X509Certificate(readFileSync(cert))
    const fits = certificate.checkPrivateKey(createPrivateKey(readFileSync(key)))
    if (!fits) return { check: found('trouble', `The key ${key} does not belong to ${cert}.`) }
    return { check: ageCheck(certificate, cert, now), certificate }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { check: found('trouble', `${cert} with ${key} cannot be used: ${reason}.`) }
  }
}

function ageCheck(certificate: X509Certificate, file: string, now: Date): Check {
  const check = checkOf('certificate')
  const until = certificate.validToDate
  const day = until.toISOString().slice(0, 10)
  if (now < certificate.validFromDate)
    return check('trouble', `${file} is not valid yet. Is the clock of this machine right?`)
  if (now >= until) return check('trouble', `${file} has been out of date since ${day}. Renew it.`)
  return wholeDays(now, until) < leastDays
    ? check('warning', `${file} is valid only until ${day}. Is it renewed by itself?`)
    : check('ok', `${file} is valid until ${day}.`)
}

/**
 * Whether each server of FEED_URL is reachable, presents a valid certificate, accepts the token, and can do
 * its work.
 */
export async function feedChecks({ feed: { connect } }: Settings): Promise<Check[]> {
  if (connect === null) return []
  const { addresses, token, caFile } = connect
  try {
    const ca = caFile === null ? null : readPem(caFile)
    return await Promise.all(addresses.map((address) => feedCheck({ address, token, ca })))
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error
    return [checkOf('feed')('trouble', error.message)]
  }
}

async function feedCheck(dial: FeedDial): Promise<Check> {
  const check = checkOf('feed')
  const where = printFeedAddress(dial.address)
  const trouble = (reason: string) => check('trouble', `The server at ${where} cannot be used: ${reason}.`)
  try {
    const fault = await askState(await dialFeed(dial))
    return fault === null ? check('ok', `The server at ${where} knows this gateway.`) : trouble(fault)
  } catch (error) {
    return trouble(error instanceof Error ? error.message : String(error))
  }
}

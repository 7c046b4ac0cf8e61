/**
 * The targets that the settings allow and deny: validated here, before a worker is started that could not use
 * them.
 */
import { domainToASCII } from 'node:url'
import { type OwnServer, parseAllow, parseDeny } from '#gateway'
import { shopAuthority, shopOf } from './shop.ts'
import { SettingFault, type Settings } from '../settings/settings.ts'
import { metricsPortsOf } from '../settings/settings.feed.ts'

function check(name: string, read: () => unknown): void {
  try {
    read()
  } catch (fault) {
    throw new SettingFault(`${name}: ${fault instanceof Error ? fault.message : String(fault)}.`)
  }
}

/** Refuses with a sentence that names the setting and the invalid item. */
export function checkTargetRules({ gateway, publicUrl }: Pick<Settings, 'gateway' | 'publicUrl'>): void {
  check('GATEWAY_ALLOW', () => gateway.allow.forEach(parseAllow))
  check('GATEWAY_DENY', () => parseDeny(gateway.deny))
  check('PUBLIC_URL', () => shopOf(shopAuthority(publicUrl)))
}

const postgresPort = 5432

/** The servers of a PostgreSQL address, which may name several hosts, or none when it uses a socket. */
function databaseServers(databaseUrl: string | null): OwnServer[] {
  const [, authority = '', query = ''] =
    /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#@]*)[^?#]*\??(.*)$/i.exec(databaseUrl ?? '') ?? []
  const parameters = new URLSearchParams(query)
  const parts = [authority, ...parameters.getAll('host')].flatMap((list) => list.split(','))
  const otherPorts = parameters.getAll('port')
  return parts.flatMap((part) => {
    const [, bracketed, bare = '', port = postgresPort] =
      /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(part) ?? []
    const host = onTheWire(bracketed ?? bare)
    if (host === '' || host.startsWith('/')) return []
    return [port, ...otherPorts].map((one) => ({ host, port: Number(one) }))
  })
}

/**
 * The host name in the form for lookups: URL does not decode percent-encoding or convert letters in schemes
 * other than http.
 */
function onTheWire(host: string): string {
  const decoded = new URLSearchParams(`host=${host.replaceAll('+', '%2B')}`).get('host') ?? ''
  return domainToASCII(decoded) || decoded
}

const serverAt = ({ hostname, port, protocol }: URL): OwnServer => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
})

/** The ports of this machine on which the shop itself listens, where it trusts clients on loopback. */
function portsHere({ port, metricsListen, feed }: Settings): number[] {
  const listens = feed.listen?.address
  return [
    port,
    ...(metricsListen === null ? [] : metricsPortsOf(metricsListen)),
    ...(listens === undefined || 'path' in listens ? [] : [listens.port]),
  ]
}

/**
 * The servers behind the shop. Customers may not reach them, because they may trust the gateway's address.
 */
export function ownServers(settings: Settings): OwnServer[] {
  const { databaseUrl, feed, mail, payments, telegram } = settings
  // Each processor's settings name its server by a URL.
  const processors = Object.values(payments).flatMap((one): unknown[] => Object.values(one ?? {}))
  const bases = [...processors.filter((value) => value instanceof URL), new URL(telegram.apiRoot)]
  return [
    ...portsHere(settings).map((port) => ({ host: '127.0.0.1', port })),
    ...databaseServers(databaseUrl),
    ...(feed.connect?.addresses ?? []).flatMap((far) =>
      'path' in far ? [] : [{ ...far, host: onTheWire(far.host) }],
    ),
    ...(mail.smtp === null ? [] : [{ host: onTheWire(mail.smtp.host), port: mail.smtp.port }]),
    ...bases.map((base) => ({ ...serverAt(base), isPublicService: true })),
  ]
}

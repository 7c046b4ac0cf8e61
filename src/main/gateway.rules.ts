/** What customers may reach and may not, by the settings: read before a worker is started that could not read it. */
import { type OwnServer, parseAllow, parseDeny } from '#gateway'
import { shopAuthority, shopOf } from './gateway.shop.ts'
import { SettingFault, type Settings } from './settings.ts'

function check(name: string, read: () => unknown): void {
  try {
    read()
  } catch (fault) {
    throw new SettingFault(`${name}: ${fault instanceof Error ? fault.message : String(fault)}.`)
  }
}

/** Refuses with a sentence that names the setting and the part of it that is wrong. */
export function checkTargetRules({ gateway, publicUrl }: Pick<Settings, 'gateway' | 'publicUrl'>): void {
  check('GATEWAY_ALLOW', () => gateway.allow.forEach(parseAllow))
  check('GATEWAY_DENY', () => parseDeny(gateway.deny))
  check('PUBLIC_URL', () => shopOf(shopAuthority(publicUrl)))
}

const postgresPort = 5432

/** The servers of a PostgreSQL address, which may name several, or none beside a socket. */
function databaseServers(databaseUrl: string | null): OwnServer[] {
  const [, authority = '', query = ''] =
    /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#@]*)[^?#]*\??(.*)$/i.exec(databaseUrl ?? '') ?? []
  const named = new URLSearchParams(query).get('host')?.split(',') ?? []
  return [...authority.split(','), ...named].flatMap((part) => {
    const [, bracketed, bare = '', port = postgresPort] =
      /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(part) ?? []
    const host = bracketed ?? bare
    return host === '' || host.startsWith('/') ? [] : [{ host, port: Number(port) }]
  })
}

const serverAt = ({ hostname, port, protocol }: URL): OwnServer => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
})

/** The servers behind the shop. No customer may reach them: they may trust the gateway's address. */
export function ownServers({ databaseUrl, feed, mail, payments, telegram }: Settings): OwnServer[] {
  const { card, yookassa, cryptobot, crypto } = payments
  const bases = [card?.apiBase, yookassa?.apiBase, cryptobot?.apiBase, crypto?.url, new URL(telegram.apiRoot)]
  const far = feed.connect?.address ?? null
  return [
    ...databaseServers(databaseUrl),
    ...(far === null || 'path' in far ? [] : [far]),
    ...(mail.smtp === null ? [] : [{ host: mail.smtp.host, port: mail.smtp.port }]),
    ...bases
      .filter((base) => base !== undefined)
      .map((base) => ({ ...serverAt(base), isPublicService: true })),
  ]
}

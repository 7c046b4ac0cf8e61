/** Targets as records store them: the host apart from the port, so that either can be searched. */
import { hostAndPort } from '#lib/ip'

export interface StoredTarget {
  /** Without the brackets of an IPv6 address. */
  host: string | null
  port: number | null
}

const longestHost = 300

/** Splits host:port; all of it is the host when it has no port. */
export function splitTarget(target: string | null): StoredTarget {
  if (target === null) return { host: null, port: null }
  const [, bracketed, bare, port] = /^(?:\[(.*)\]|([^:]*)):(\d{1,5})$/.exec(target) ?? []
  const host = (bracketed ?? bare ?? target).slice(0, longestHost)
  return { host, port: port === undefined ? null : Number(port) }
}

/** host:port, as far as it is kept. */
export const printTarget = ({ host, port }: StoredTarget) =>
  host === null || port === null ? host : hostAndPort(host, port)

/**
 * The entry ports of a gateway whose workers accept on them as they are needed: bound here, once for all
 * workers.
 */
import { lookup } from 'node:dns/promises'
import type { Pool } from '#contract/wire'
import { bindSocket, type BoundHandle } from '#gateway'
import type { WorkerOptions } from './messages.ts'
import { SettingFault } from '../settings/settings.env.ts'

export interface EntryPorts {
  bound: ReadonlyMap<Pool, BoundHandle>
  /** They accept no more connections once the workers have closed their copies too. */
  close: () => void
}

/** Binds them; throws a sentence for the operator when one is in use. */
export async function openEntryPorts({
  ports,
  host,
}: Pick<WorkerOptions, 'ports' | 'host'>): Promise<EntryPorts> {
  const { address } = await lookup(host)
  const bound = new Map<Pool, BoundHandle>()
  const close = () => {
    for (const handle of bound.values()) handle.close()
    bound.clear()
  }
  try {
    for (const { pool, port } of ports) bound.set(pool, bindSocket(address, port))
  } catch (error) {
    close()
    const sentence = listenSentence(error)
    throw sentence === null ? error : new SettingFault(sentence)
  }
  return { bound, close }
}

/** The sentence for an error of listening that the operator can correct; null for any other. */
export function listenSentence(error: unknown): string | null {
  const { code, syscall, port, address } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
  }
  if (syscall !== 'listen') return null
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Stop it, or set GATEWAY_PORT_BASE to a free range.`
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return `The gateway cannot listen on ${address}:${port} (${code}).`
  return null
}

import { ipv4Seen } from './address.ts'

const timeoutMs = 5000

/** The IPv4 address this browser comes from, as the server sees it; null when it comes by IPv6. */
export async function ownAddress(): Promise<string | null> {
  const answer = await fetch('/api/echo?format=text', { signal: AbortSignal.timeout(timeoutMs) })
  if (!answer.ok) throw new Error(`/api/echo answered ${answer.status}`)
  return ipv4Seen((await answer.text()).trim())
}

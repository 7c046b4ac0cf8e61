import { ipv4Of } from './address.ts'

const timeoutMs = 5000

/** The IPv4 address from which the server sees this browser; null when the browser connects by IPv6. */
export async function ownAddress(): Promise<string | null> {
  const answer = await fetch('/api/echo?format=text', { signal: AbortSignal.timeout(timeoutMs) })
  if (!answer.ok) throw new Error(`/api/echo answered ${answer.status}`)
  return ipv4Of((await answer.text()).trim())
}

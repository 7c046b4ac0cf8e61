/** Requests to YooKassa. */
import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import type { Cidr } from '#lib/ip'
import { ask, ProcessorFault } from '../ask.ts'

export interface YookassaOptions {
  shopId: string
  secretKey: string
  apiBase: URL
  /** The networks that notifications come from. */
  networks: Cidr[]
  publicUrl: URL
  timeoutMs: number
}

export const to = ({ shopId, secretKey, apiBase }: YookassaOptions, path: string) => ({
  url: new URL(`/v3/${path}`, apiBase),
  headers: { authorization: `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString('base64')}` },
})

/** Posts under one key until the outcome is known: repetitions under the same key have no further effect. */
export async function post<T>(
  options: YookassaOptions,
  { path, key, body }: { path: string; key: string; body: unknown },
  shape: z.ZodType<T>,
): Promise<T> {
  const { url, headers } = to(options, path)
  const { timeoutMs } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(
        { method: 'POST', url, headers: { ...headers, 'idempotence-key': key }, body, timeoutMs },
        shape,
      )
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error
      // An earlier attempt, before the key was changed, may have been carried out.
      if (error.isDenied && attempt > 1) throw new ProcessorFault('unknown', error.message)
      if (error.outcome === 'refused' || attempt === 3) throw error
      await sleep(250 * attempt)
    }
  }
}

/**
 * The client of the operator's desk: `call(name, input)` over fetch; the cookie of the session is the
 * browser's.
 */
import { deadline, exchange, type Sending, withQuery } from '../transport.ts'
import type { DeskInput, DeskOutput } from './contract.ts'
import { type CsvName, deskFilePath, type DeskName, deskPath, deskWire, type FileFormat } from './wire.ts'

export interface DeskClientOptions extends Sending {
  /** The origin of the desk; empty for that of the page. */
  baseUrl?: string
}

export type DeskClient = <N extends DeskName>(
  name: N,
  input: DeskInput<N>,
  options?: { signal?: AbortSignal },
) => Promise<DeskOutput<N>>

/**
 * Creates a client. Calls reject with a `CallError`: the server's refusal, `timeout` after 15 s, or
 * `network`. On 401 nobody is signed in (any more); `second_factor_missing` and `step_up_needed` are 403.
 */
export function createDeskClient(options: DeskClientOptions): DeskClient {
  return async (name, input, { signal } = {}) => {
    const headers: Record<string, string> = { 'accept-language': options.language() }
    const url = `${options.baseUrl ?? ''}${deskPath(name)}`
    const until = deadline(signal, options.timeoutMs ?? 15_000)
    const common = { headers, signal: until, credentials: 'same-origin' } as const
    const sent =
      deskWire[name].method === 'GET'
        ? { url: withQuery(url, input as Record<string, unknown>), init: common }
        : {
            url,
            init: {
              ...common,
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify(input),
            },
          }
    return (await exchange(sent, 'json', options)) as never
  }
}

/** The address of a list as a file, with the filters of the list; for a link that downloads it. */
export function fileAddress<N extends CsvName>(
  name: N,
  format: FileFormat,
  filters: Omit<DeskInput<N>, 'after' | 'limit'>,
): string {
  return withQuery(deskFilePath(name, format), filters)
}

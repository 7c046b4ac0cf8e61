/**
 * The client of the operator's desk: `call(name, input)` over fetch; the cookie of the session is the
 * browser's.
 */
import { deadline, exchange, type Sending, withQuery } from '../transport.ts'
import type { DeskInput, DeskOutput } from './contract.ts'
import { type CsvName, deskFilePath, type DeskName, deskPath, deskWire, type FileFormat } from './wire.ts'

interface Posting {
  headers: Record<string, string>
  signal: AbortSignal
  credentials: 'same-origin'
}

export interface DeskClientOptions extends Sending {
  /** The origin of the desk; empty for that of the page. */
  baseUrl?: string
}

/** The type of a call's answer: pictures and documents are a Blob. */
export type DeskAnswer<N extends DeskName> =
  DeskOutput<N> extends { bytes: Uint8Array } ? Blob : DeskOutput<N>

export type DeskClient = <N extends DeskName>(
  name: N,
  input: DeskInput<N>,
  options?: { signal?: AbortSignal },
) => Promise<DeskAnswer<N>>

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
        ? { url: withQuery(url, input), init: common }
        : posted(url, input, common)
    return (await exchange(sent, deskWire[name].answer, options)) as never
  }
}

/** A POST request: the body is JSON, or the bytes in the input, with the other fields in the URL. */
function posted(url: string, input: Record<string, unknown>, { headers, ...common }: Posting) {
  const bytes = Object.entries(input).find(([, value]) => value instanceof Uint8Array)
  const type = bytes === undefined ? 'application/json' : 'application/octet-stream'
  return {
    url: bytes === undefined ? url : withQuery(url, { ...input, [bytes[0]]: undefined }),
    init: {
      ...common,
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body: bytes === undefined ? JSON.stringify(input) : (bytes[1] as Uint8Array<ArrayBuffer>),
    },
  }
}

/** The address of a picture, for the `src` of an image: the browser sends the session's cookie. */
export const pictureAddress = <N extends 'banner_picture' | 'brand_picture'>(
  name: N,
  input: DeskInput<N>,
): string => withQuery(deskPath(name), input)

/** The address of a list as a file, with the filters of the list; for a link that downloads it. */
export function fileAddress<N extends CsvName>(
  name: N,
  format: FileFormat,
  filters: Omit<DeskInput<N>, 'after' | 'limit'>,
): string {
  return withQuery(deskFilePath(name, format), filters)
}

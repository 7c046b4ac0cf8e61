/** A story's call, and the request that is sent for it. */
import type { RefusalCode } from '#contract/refusals'
import { type Name, pathOf, wire } from '#contract/wire'
import type { Exchange } from './exchange.ts'

export interface CallRequest {
  /** The customer whose token is sent. */
  as?: string
  /** The fields, in the query or in a JSON body. */
  input?: Record<string, unknown>
  language?: 'ru' | 'en'
  /** The caller's address. */
  from?: string
  headers?: Record<string, string>
  /** Set when it differs from the call's own. */
  method?: string
  path?: string
  /** The raw body, instead of `input`. */
  body?: string
  /**
   * The expected outcome: 200 by default. A field's own code, such as `invalid_code`, is written with its
   * status.
   */
  ends?: RefusalCode | { status: number; code?: string }
  /**
   * Values to remember from the answer: a name, and a pattern with one group in the body or in `name: header`
   * lines.
   */
  learn?: Record<string, RegExp>
}

/** Calls, and paths that are not calls. */
export type Folder = Name | 'elsewhere'

type Request = Exchange['request']

/** The request for `asked`. `tokenOf` returns the token of a customer. */
export function requestOf(
  folder: Folder,
  asked: CallRequest,
  tokenOf: (customer: string) => string,
): Request {
  const { provider, ...fields } = asked.input ?? {}
  const call = folder === 'elsewhere' ? null : wire[folder]
  const method = asked.method ?? call?.method ?? 'GET'
  const isQuery = method === 'GET' || method === 'OPTIONS'
  const ownPath = folder === 'elsewhere' ? '/' : pathOf(folder, provider as string | undefined)
  const query = new URLSearchParams(
    Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
  const path = asked.path ?? (isQuery && query !== '' ? `${ownPath}?${query}` : ownPath)
  const body = isQuery ? '' : (asked.body ?? JSON.stringify(fields))
  const headers: [string, string][] = [
    ...(asked.language === undefined ? [] : [['accept-language', asked.language] as [string, string]]),
    ...(asked.as === undefined ? [] : [['authorization', `Bearer ${tokenOf(asked.as)}`] as [string, string]]),
    ...(body === '' ? [] : [['content-type', 'application/json'] as [string, string]]),
    ...(asked.from === undefined ? [] : [['x-forwarded-for', asked.from] as [string, string]]),
  ]
  const own = Object.entries(asked.headers ?? {})
  const kept = headers.filter(([name]) => !own.some(([other]) => other === name))
  return { method, path, headers: [...kept, ...own], body }
}

/** Values that the database's own clock and generators produce. */
const alwaysHidden: [RegExp, string][] = [
  // The time that a trial took.
  [/(?<="latency_ms":)\d+/g, '250'],
  [
    /"(created_at|updated_at|reg_date|added_at|proven_at|lost_at|last_at)":"\d{4}-[^"]+Z"/g,
    '"$1":"{{time}}"',
  ],
  [/("proven_at":null,"expires_at":)"\d{4}-[^"]+Z"/g, '$1"{{time}}"'],
  [/"tgcode":"[^"]+"/g, '"tgcode":"{{link code}}"'],
  [/-sid-[0-9a-f]{12}/g, '-sid-{{session}}'],
  [/-set-[0-9a-f]+/g, '-set-{{settings}}'],
  [/"position":"\d{13}_[\d:,]+"/g, '"position":"{{position}}"'],
  [/(.)\1{999,}/g, '{{very many $1}}'],
]

export const hideGenerated = (text: string) =>
  alwaysHidden.reduce((hidden, [pattern, name]) => hidden.replaceAll(pattern, name), text)

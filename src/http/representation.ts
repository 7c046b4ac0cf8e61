/** The choice between text and JSON for answers that have both. */
import { type JsonName, jsonOf, type Name } from '#contract/contract'
import type { Context, JsonAnswers } from '#db/call'
import { printedJson } from './admission/printed.ts'

/** The weight that an Accept field (RFC 9110, section 12.5.1) gives to a media range; null: it names none. */
function weightOf(accept: string, range: string): number | null {
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    if (type !== range) continue
    const quality = parameters.find((one) => one.startsWith('q='))?.slice(2)
    const weight = quality === undefined ? 1 : Number(quality)
    return Number.isFinite(weight) ? weight : 0
  }
  return null
}

/**
 * Whether an Accept field prefers JSON to text. With equal weights it does not: programs that accept anything
 * get text, as before there was JSON.
 */
export function prefersJson(accept: string | undefined): boolean {
  const given = (accept ?? '').slice(0, 500)
  const weight = (...ranges: string[]) =>
    ranges.map((range) => weightOf(given, range)).find((one) => one !== null) ?? 0
  return weight('application/json', 'application/*') > weight('text/plain', 'text/*', '*/*')
}

const isJsonName = (name: string): name is JsonName => Object.hasOwn(jsonOf, name)

/** Makes the JSON answer of a call from its text. */
type ToJson = (text: string, context: Context, headers: Record<string, string>) => Promise<string>

/** Makes the JSON of a call's answer; null: the call answers only text. */
export function toJson(answers: JsonAnswers, name: Name): ToJson | null {
  if (!isJsonName(name)) return null
  return async (...given) => printedJson(name, await answers[name](...given))
}

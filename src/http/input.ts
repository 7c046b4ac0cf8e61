/**
 * Parses what callers send, for both contracts: by the schema of the call, and without texts that no database
 * can hold.
 */
import * as z from 'zod'
import { isRefusalCode } from '#contract/refusals'
import { isStorable, judgedTexts } from '#contract/texts'
import { Refusal } from '#lib/refusal'

/** Parses input, and refuses with the field of the first fault. */
export function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (!result.success) throw refusalOf(result.error.issues, value as Record<string, unknown>)
  for (const [field, given] of Object.entries(result.data as object))
    if (!isHeld(given) && !isJudged(schema, field)) throw new Refusal('invalid_field', { field })
  return result.data
}

function refusalOf(issues: readonly z.core.$ZodIssue[], given: Record<string, unknown>): Refusal {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys')
  if (unknown?.code === 'unrecognized_keys')
    return new Refusal('unknown_field', { field: unknown.keys[0] ?? '' })
  const own = issues[0]?.message ?? ''
  if (isRefusalCode(own)) return new Refusal(own)
  const [first, index, ofRow] = issues[0]?.path ?? []
  // A field of one of many rows, where it has a refusal of its own.
  if (typeof index === 'number' && typeof ofRow === 'string' && isRefusalCode(`invalid_${ofRow}`)) {
    const row = (given[String(first)] as Record<string, unknown>[] | undefined)?.[index]
    return new Refusal(row?.[ofRow] === undefined ? 'missing_field' : 'invalid_field', {
      field: ofRow,
      row: index + 1,
    })
  }
  const field = String(first ?? 'body')
  return new Refusal(given[field] === undefined ? 'missing_field' : 'invalid_field', { field })
}

/**
 * Whether a database can hold every text in the data, names of fields too. Without recursion: the data may be
 * nested deeply.
 */
function isHeld(data: unknown): boolean {
  const left = [data]
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === 'string' && !isStorable(each)) return false
    if (typeof each !== 'object' || each === null) continue
    for (const [name, value] of Object.entries(each)) {
      if (!isStorable(name)) return false
      left.push(value)
    }
  }
  return true
}

/** Whether the call judges the texts of the field itself. */
function isJudged(schema: z.ZodType, field: string): boolean {
  let inner: unknown = schema instanceof z.ZodObject ? schema.shape[field] : undefined
  while (inner !== undefined) {
    if (judgedTexts.has(inner as z.ZodType)) return true
    inner =
      inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault
        ? inner.unwrap()
        : undefined
  }
  return false
}

/**
 * Masks contacts in the answers to members who may not see them. Each call has a function that is made once
 * from the schema of its answer: it masks contacts and free texts by the type of the field
 * (`contract/desk/masks.ts`), and e-mail addresses in all other texts by a scan that reads each character at
 * most twice.
 */
import * as z from 'zod'
import { type Mask, masks } from '#contract/masks'

type Masked = (value: unknown) => unknown

const emailMask = (email: string) => {
  const [name = '', domain = ''] = email.split('@')
  return `${[...name][0] ?? ''}…@${[...domain][0] ?? ''}…`
}

const hidden = '…'

/** The characters that end an e-mail address, besides blanks. */
const ends = new Set('@<>"\',;:')
const isEnd = (character: string) => ends.has(character) || character.trim() === ''

/** The text with its addresses of e-mail masked. */
export function scanned(text: string): string {
  let shown = ''
  let from = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', Math.max(at + 1, from))) {
    let begin = at
    while (begin > from && !isEnd(text.charAt(begin - 1))) begin -= 1
    let end = at + 1
    while (end < text.length && !isEnd(text.charAt(end))) end += 1
    if (begin === at || end === at + 1) continue
    shown += text.slice(from, begin) + emailMask(text.slice(begin, end))
    from = end
  }
  return shown + text.slice(from)
}

/** Facts of an event that contain a contact, or a text written by a person. */
const hiddenFacts = new Set(['ip', 'text', 'reason', 'fault'])

const byType: Record<Mask, Masked> = {
  email: (value) => (typeof value === 'string' ? emailMask(value) : value),
  hidden: () => hidden,
  facts: (value) =>
    Object.fromEntries(
      Object.entries(value as Record<string, string | null>).map(([name, fact]) => [
        name,
        fact === null ? null : hiddenFacts.has(name) ? hidden : scanned(fact),
      ]),
    ),
}

/** Masks addresses in every text of data without a schema. */
function scannedDeep(data: unknown): unknown {
  if (typeof data === 'string') return scanned(data)
  if (Array.isArray(data)) return data.map(scannedDeep)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, scannedDeep(value)]))
}

const each =
  (of: Masked): Masked =>
  (value) =>
    Array.isArray(value) ? value.map(of) : value

/** Whether texts of this schema can contain neither a contact nor free text, by their form. */
const formed = (schema: unknown) =>
  schema instanceof z.ZodStringFormat || (schema instanceof z.ZodString && schema.format !== null)

/** Makes the masking function of a schema; null: it has nothing to mask. */
function maskOf(schema: unknown): Masked | null {
  const own = masks.get(schema as z.ZodType)
  if (own !== undefined) {
    const mask = byType[own.mask]
    return (value) => (value === null || value === undefined ? value : mask(value))
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).flatMap(([name, field]) => {
      const mask = maskOf(field)
      return mask === null ? [] : [[name, mask] as const]
    })
    if (fields.length === 0) return null
    return (value) => {
      if (typeof value !== 'object' || value === null) return value
      const shown: Record<string, unknown> = { ...value }
      for (const [name, mask] of fields) if (name in shown) shown[name] = mask(shown[name])
      return shown
    }
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return maskOf(schema.unwrap())
  if (schema instanceof z.ZodPipe) return maskOf(schema.out)
  if (schema instanceof z.ZodArray) {
    const mask = maskOf(schema.element)
    return mask === null ? null : each(mask)
  }
  if (schema instanceof z.ZodRecord) {
    const mask = maskOf(schema.valueType)
    if (mask === null) return null
    return (value) =>
      Object.fromEntries(Object.entries(value as object).map(([name, field]) => [name, mask(field)]))
  }
  const isPlain =
    schema instanceof z.ZodEnum ||
    schema instanceof z.ZodLiteral ||
    schema instanceof z.ZodBoolean ||
    schema instanceof z.ZodNumber ||
    formed(schema)
  return isPlain ? null : scannedDeep
}

const made = new WeakMap<object, Masked>()

/** The masking function of the answers of a schema. */
export function maskFor(schema: z.ZodType): Masked {
  const known = made.get(schema) ?? maskOf(schema) ?? ((value: unknown) => value)
  made.set(schema, known)
  return known
}

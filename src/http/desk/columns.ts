/**
 * The columns of lists as files: the fields of a row in the order of the contract, and the kind of each by
 * its schema.
 */
import * as z from 'zod'
import { deskContract } from '#contract/desk/contract'
import { amount, day, dayOrText, time } from '#contract/desk/schemas'
import type { CsvName } from '#contract/desk/wire'

export interface FileColumn {
  name: string
  /** `usd`: micro-USD in the row. `dated`: a day or another text. */
  kind: 'text' | 'number' | 'usd' | 'time' | 'day' | 'dated'
}

/** The schema inside nullable and optional wrappers. */
function bare(schema: unknown): unknown {
  let inner = schema
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap()
  return inner
}

function kindOf(name: string, schema: unknown): FileColumn['kind'] {
  if (schema === amount) return name.endsWith('micros') ? 'usd' : 'number'
  if (schema === time) return 'time'
  if (schema === day) return 'day'
  if (schema === dayOrText) return 'dated'
  return schema instanceof z.ZodNumber ? 'number' : 'text'
}

export function columnsOf(name: CsvName): FileColumn[] {
  const { rows } = deskContract[name].output.shape
  const { shape } = rows.element as z.ZodObject
  return Object.entries(shape).map(([field, schema]) => ({ name: field, kind: kindOf(field, bare(schema)) }))
}

import type * as z from 'zod'
import type { PartFault } from '#contract/desk/content'

/** Content of the operator that cannot be published; the message is a sentence for the operator. */
export class ContentFault extends Error {
  /** The field and the fault in it; null: the fault is in the part as a whole. */
  readonly at: { field: string; kind: PartFault; facts: Readonly<Record<string, unknown>> } | null

  constructor(message: string, at: ContentFault['at'] = null) {
    super(message)
    this.at = at
  }
}

function faultOf(issue: z.core.$ZodIssue | undefined): { kind: PartFault; facts: Record<string, unknown> } {
  if (issue?.code === 'custom') {
    const { kind = 'other', ...facts } = (issue.params ?? {}) as { kind?: PartFault }
    return { kind, facts }
  }
  if (issue?.code === 'too_big') return { kind: 'long', facts: { most: Number(issue.maximum) } }
  const kind = issue?.code === 'too_small' ? 'empty' : issue?.code === 'invalid_format' ? 'link' : 'other'
  return { kind, facts: {} }
}

/** Parses and trims a value. Throws `ContentFault`, naming the field, when it does not match its schema. */
export function checked<S extends z.ZodType>(schema: S, name: string, value: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  const field = [name, ...(issue?.path ?? [])].map(String).join('.')
  throw new ContentFault(`${field}: ${issue?.message ?? 'is not valid'}.`, { field, ...faultOf(issue) })
}

import { CallError } from '#contract/client'

/** The field that the server refused, by the code of its refusal, with the sentence to show there. */
export function refusedField<F extends string>(
  error: unknown,
  fields: Readonly<Record<string, F>>,
): { field: F; text: string } | null {
  if (!(error instanceof CallError)) return null
  const field = fields[error.code]
  return field === undefined ? null : { field, text: error.message }
}

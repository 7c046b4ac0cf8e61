import { useState } from 'react'
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

/**
 * The same of the failure of a form's last attempt, until `onEdit` says that something was typed. A failure
 * that is older than the form is not shown.
 */
export function useRefusedField<F extends string>(failure: unknown, fields: Readonly<Record<string, F>>) {
  const [edited, setEdited] = useState(failure)
  const refused = failure === edited ? null : refusedField(failure, fields)
  return { refused, onEdit: () => setEdited(failure) }
}

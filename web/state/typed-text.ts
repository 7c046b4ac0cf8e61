/**
 * Unsent text that was typed on a page, kept during a sign-in. A field is identified by its dialog, its label
 * and its index. Passwords and codes are never kept.
 */
export interface TypedField {
  /** The title of the dialog, or empty. */
  dialog: string
  label: string
  /** The index among the fields with the same dialog and label. */
  index: number
  value: string
}

export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const kept = new Set([
  'text',
  'email',
  'search',
  'number',
  'tel',
  'url',
  'date',
  'datetime-local',
  'textarea',
  'select-one',
])
const secret = /password|one-time-code|cc-/
const mostFields = 60
const longest = 4000

const dialogOf = (field: Field): string => {
  const titles = field.closest('[role="dialog"]')?.getAttribute('aria-labelledby')
  return (titles == null ? '' : document.getElementById(titles)?.textContent) ?? ''
}

const labelOf = (field: Field): string =>
  (field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? field.name).trim()

const isKept = (field: Field): boolean =>
  kept.has(field.type) &&
  field.dataset['secret'] === undefined &&
  !secret.test(field.autocomplete) &&
  !field.disabled &&
  !field.hidden &&
  !('readOnly' in field && field.readOnly)

/** The fields of the page, each with the values that identify it. */
export function fieldsOf(page: ParentNode): { field: Field; dialog: string; label: string; index: number }[] {
  const counts = new Map<string, number>()
  return [...page.querySelectorAll<Field>('input, textarea, select')].filter(isKept).map((field) => {
    const [dialog, label] = [dialogOf(field), labelOf(field)]
    const name = JSON.stringify([dialog, label])
    const index = counts.get(name) ?? 0
    counts.set(name, index + 1)
    return { field, dialog, label, index }
  })
}

/** The text typed on the page now. */
export function typedText(): TypedField[] {
  return fieldsOf(document)
    .filter(({ field: { value } }) => value !== '' && value.length <= longest)
    .slice(0, mostFields)
    .map(({ field, ...name }) => ({ ...name, value: field.value }))
}

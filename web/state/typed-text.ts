/**
 * Text that was typed on a page and not sent yet, kept over a sign-in by the name of each field and of the
 * dialog around it. Never a password or a code.
 */
export interface TypedField {
  /** The title of the dialog, or empty. */
  dialog: string
  label: string
  /** Which of the fields of this name. */
  index: number
  value: string
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

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
/** Dialogs have to be opened again before their fields are there. */
const waitMs = 10 * 60_000

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

/** The fields of the page with what identifies each. */
function fieldsOf(page: ParentNode): { field: Field; dialog: string; label: string; index: number }[] {
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

function fill(field: Field, value: string): void {
  if (field.value === value) return
  // The setter of the element: React has its own on top, which would hide the change from it.
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value')?.set
  setter?.call(field, value)
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

/**
 * Fills the fields as they appear on the page at this address; ends when all are filled, or on leaving it.
 */
export function fillTypedText(typed: readonly TypedField[], path: string): void {
  let left = [...typed]
  const end = () => {
    observer.disconnect()
    clearTimeout(timer)
  }
  const fillFound = () => {
    const { pathname } = window.location
    // The page of signing in is still there until the next one has loaded.
    if (pathname === '/login') return
    if (pathname !== path) return end()
    for (const { field, dialog, label, index } of fieldsOf(document)) {
      const found = left.find((one) => one.dialog === dialog && one.label === label && one.index === index)
      if (found === undefined) continue
      left = left.filter((one) => one !== found)
      fill(field, found.value)
    }
    if (left.length === 0) end()
  }
  const observer = new MutationObserver(fillFound)
  const timer = setTimeout(end, waitMs)
  observer.observe(document.body, { childList: true, subtree: true })
  fillFound()
}

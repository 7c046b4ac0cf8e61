/** Fills in what was typed before a session ended. Loaded only after the sign-in that follows. */
import { type Field, fieldsOf, type TypedField } from './typed-text.ts'

/** How long to wait for fields: those of a dialog exist only after the user has opened it again. */
const waitMs = 10 * 60_000

function fill(field: Field, value: string): void {
  if (field.value === value) return
  // The prototype's setter: React overrides the setter of the element and would not notice the change.
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
    // The sign-in page stays until the next page has loaded.
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

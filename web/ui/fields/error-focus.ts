/**
 * Moves the focus to the first field with an error after a form was sent: at once for errors that the form
 * finds, later for refusals of the server, unless the user has typed meanwhile.
 */
import { useEffect } from 'react'

const sent = new WeakSet<HTMLFormElement>()
const invalid = '[aria-invalid="true"]'

function focusFirst(form: HTMLFormElement): void {
  const first = [...form.elements].find((field) => field.matches(invalid))
  if (!(first instanceof HTMLElement)) return
  sent.delete(form)
  if (document.activeElement?.matches(invalid) !== true) first.focus()
}

if (typeof document !== 'undefined') {
  document.addEventListener('submit', ({ target }) => {
    if (!(target instanceof HTMLFormElement)) return
    sent.add(target)
    // By the next frame the page shows the errors that the form found.
    requestAnimationFrame(() => focusFirst(target))
  })
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element ? target.closest('form') : null
    if (form !== null) sent.delete(form)
  })
}

/** Brings the focus to a field whose error appears after its form was sent. */
export function useErrorFocus(id: string, error: string | undefined): void {
  useEffect(() => {
    const field = error === undefined ? null : document.getElementById(id)
    if (!(field instanceof HTMLInputElement) && !(field instanceof HTMLTextAreaElement)) return
    if (field.form !== null && sent.has(field.form)) focusFirst(field.form)
  }, [id, error])
}

/**
 * The digits of a typed text as a whole number of at most `max`; other characters are dropped, and so is
 * everything from a decimal separator on: 12.5 is 12 and not 125. Null without digits.
 */
export function wholeNumberIn(text: string, max: number): number | null {
  const digits = text.replace(/(\d)[.,].*$/s, '$1').replace(/\D/g, '')
  return digits === '' ? null : Math.min(Number(digits), max)
}

/** The attribute of fields for whole numbers. */
export const wholeNumber = { 'data-whole': '' } as const

/** Fields in which a decimal separator was typed: the separator and the digits after it are dropped. */
const ended = new WeakSet<EventTarget>()

if (typeof document !== 'undefined') {
  document.addEventListener('beforeinput', (event) => {
    const { target, inputType, data } = event
    if (!(target instanceof HTMLInputElement) || target.dataset['whole'] === undefined) return
    if (inputType !== 'insertText' || data === null) ended.delete(target)
    else if (/^[.,]$/.test(data)) {
      if (target.value !== '') ended.add(target)
      event.preventDefault()
    } else if (ended.has(target)) event.preventDefault()
  })
  // Moving the focus or the caret ends this: digits are accepted again.
  for (const name of ['focusin', 'pointerdown'] as const)
    document.addEventListener(name, ({ target }) => target !== null && ended.delete(target))
}

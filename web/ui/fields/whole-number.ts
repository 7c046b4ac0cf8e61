/** The digits of a typed text as a whole number of at most `max`; other characters are dropped. Null without digits. */
export function wholeNumberIn(text: string, max: number): number | null {
  const digits = text.replace(/\D/g, '')
  return digits === '' ? null : Math.min(Number(digits), max)
}

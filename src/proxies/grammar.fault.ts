/** A user name that is not understood. The message is a sentence for the person; it holds printable ASCII only. */
export class GrammarFault extends Error {
  /** The key at fault; `login` or `username` when it is not a pair that is wrong. */
  readonly key: string
  readonly value: string
  /** The nearest valid spelling of what is wrong, or null when nothing is near. */
  readonly nearest: string | null

  constructor(fault: { key: string; value: string; nearest?: string | null; sentence: string }) {
    const hint = fault.nearest == null ? '' : ` Did you mean "${fault.nearest}"?`
    super(`${fault.sentence}${hint}`)
    this.name = 'GrammarFault'
    this.key = printable(fault.key)
    this.value = printable(fault.value)
    this.nearest = fault.nearest ?? null
  }
}

/** A stranger's text made fit for a header, a log line and a terminal. */
function printable(text: string): string {
  const clean = text.slice(0, 48).replace(/[^\x20-\x7e]/g, '?')
  return text.length > 48 ? `${clean}...` : clean
}

export const quote = (text: string): string => `"${printable(text).replaceAll('"', "'")}"`

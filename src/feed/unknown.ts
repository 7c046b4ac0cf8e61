/** Fields and calls of other releases that this one does not know: they are ignored, and logged. */

import { type Frame, knownCalls, knownFields } from './frames.ts'

/** The most reports per connection. */
const MOST_TOLD = 20
const MOST_CHARS = 40

const quoted = (text: unknown) => JSON.stringify(String(text).slice(0, MOST_CHARS))

/** A reader of frames that reports unknown fields and calls, each once. */
export function unknownTeller(onUnknown: ((what: string) => void) | undefined): (frame: Frame) => void {
  if (onUnknown === undefined) return () => undefined
  const told = new Set<string>()
  const tell = (what: string) => {
    if (told.has(what) || told.size >= MOST_TOLD) return
    told.add(what)
    onUnknown(what)
  }
  return (frame) => {
    for (const field of Object.keys(frame))
      if (!knownFields.has(field)) tell(`the field ${quoted(field)} of a frame`)
    if ('call' in frame && !knownCalls.has(frame.call)) tell(`the call ${quoted(frame.call)}`)
  }
}

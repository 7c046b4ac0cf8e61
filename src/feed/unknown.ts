/** What another release sends and this one does not know: it is ignored, and the log says so. */

import { type Frame, knownCalls, knownFields } from './frames.ts'

/** Of each connection. */
const MOST_TOLD = 20
const MOST_CHARS = 40

const quoted = (text: unknown) => JSON.stringify(String(text).slice(0, MOST_CHARS))

/** A reader of frames that tells of unknown fields and calls, of each once. */
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

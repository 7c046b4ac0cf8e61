/** Keys that act on a page: ignored while something is typed, and while a dialog is open. */
import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, () => void>>

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  )
}

const isDialogOpen = () => document.querySelector('[role="dialog"]') !== null

/** The time within which the second key of a sequence follows. */
const sequenceMs = 1500

/** Keys by their names; two with a space between them are pressed one after the other. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  const first = useRef<{ key: string; atMs: number } | null>(null)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || isDialogOpen()) return
      const begun = first.current
      first.current = null
      const isSequence = begun !== null && event.timeStamp - begun.atMs < sequenceMs
      const act =
        (isSequence ? latest.current[`${begun.key} ${event.key}`] : undefined) ?? latest.current[event.key]
      if (act === undefined) {
        const begins = Object.keys(latest.current).some((each) => each.startsWith(`${event.key} `))
        if (begins) first.current = { key: event.key, atMs: event.timeStamp }
        return
      }
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

import { useEffect, useRef, useState } from 'react'
import { commonPrefixLength } from './sample-line.ts'

const msPerCharacter = 16

/**
 * How many characters of `text` are typed so far. After a change, typing continues from the first changed
 * character.
 */
export function useTyping(text: string): number {
  const [typed, setTyped] = useState(0)
  const previous = useRef('')
  useEffect(() => {
    const start = commonPrefixLength(previous.current, text)
    previous.current = text
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      setTyped(text.length)
      return
    }
    const startedMs = performance.now()
    let frame = 0
    const step = (now: number) => {
      const length = Math.min(text.length, start + Math.floor(Math.max(0, now - startedMs) / msPerCharacter))
      setTyped(length)
      if (length < text.length) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [text])
  return Math.min(typed, text.length)
}

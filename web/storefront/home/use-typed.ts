import { useEffect, useRef, useState } from 'react'
import { commonLength } from './sample-line.ts'

const msPerCharacter = 16

/** How much of `text` has been typed so far: on a change, typing goes on from where the two texts part. */
export function useTyped(text: string): number {
  const [typed, setTyped] = useState(0)
  const before = useRef('')
  useEffect(() => {
    const start = commonLength(before.current, text)
    before.current = text
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      setTyped(text.length)
      return
    }
    const began = performance.now()
    let frame = 0
    const step = (now: number) => {
      const length = Math.min(text.length, start + Math.floor(Math.max(0, now - began) / msPerCharacter))
      setTyped(length)
      if (length < text.length) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [text])
  return Math.min(typed, text.length)
}

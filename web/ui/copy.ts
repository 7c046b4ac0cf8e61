import { useEffect, useRef, useState } from 'react'

/** Puts text on the clipboard. The modern way needs a secure page; a shop on a plain LAN address has the old one. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined && window.isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.className = 'sr-only'
  // Inside the open window, if there is one: it would take the focus back from anywhere else.
  const home = document.activeElement?.closest('[role=dialog]') ?? document.body
  const focused = document.activeElement
  home.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

export type CopyState = 'idle' | 'copied' | 'failed'

/** Copies on demand and answers for two seconds. */
export function useCopy(): { state: CopyState; copy: (text: string) => void } {
  const [state, setState] = useState<CopyState>('idle')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = (text: string) => {
    void copyText(text).then((copied) => {
      setState(copied ? 'copied' : 'failed')
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setState('idle'), 2000)
    })
  }
  return { state, copy }
}

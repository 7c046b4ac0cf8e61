import { useEffect, useRef, useState } from 'react'

/**
 * Copies text to the clipboard. `navigator.clipboard` exists on secure origins only; elsewhere `execCommand`
 * copies.
 */
async function copyText(text: string): Promise<boolean> {
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
  // An open dialog traps the focus, so the element has to be inside it.
  const parent = document.activeElement?.closest('[role=dialog]') ?? document.body
  const focused = document.activeElement
  parent.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

export type CopyState = 'idle' | 'copied' | 'failed'

/** Copies text; the state shows the result for two seconds. */
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

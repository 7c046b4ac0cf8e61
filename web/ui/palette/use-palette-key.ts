import { useEffect } from 'react'

/**
 * Calls `onOpen` for Ctrl-K and ⌘K. The key is also recognised by its position, because in a Russian layout
 * it types another letter.
 */
export function usePaletteKey(onOpen: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      if (event.key.toLowerCase() !== 'k' && event.code !== 'KeyK') return
      event.preventDefault()
      onOpen()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [onOpen])
}

/**
 * What charts on a canvas share: the colours of the design tokens, the hatching, and the theme that they
 * follow.
 */
import { useEffect, useState } from 'react'

/** Resolves a colour token for the current theme: a canvas does not accept custom properties. */
export function colourResolver(container: HTMLElement) {
  const probe = document.createElement('span')
  return (token: string) => {
    probe.style.color = `var(--${token})`
    container.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}

/** The fill of bonus traffic: hatched, as in the bars of lists. */
export function hatched(front: string, back: string): CanvasPattern | string {
  const scale = devicePixelRatio
  const size = 6 * scale
  const tile = document.createElement('canvas')
  tile.width = tile.height = size
  const context = tile.getContext('2d')
  if (context === null) return back
  context.fillStyle = back
  context.fillRect(0, 0, size, size)
  context.strokeStyle = front
  context.lineWidth = 1.6 * scale
  for (const shift of [-size, 0, size]) {
    context.beginPath()
    context.moveTo(shift, size)
    context.lineTo(shift + size, 0)
    context.stroke()
  }
  return context.createPattern(tile, 'repeat') ?? back
}

const themeNow = () =>
  document.documentElement.dataset['theme'] ??
  (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

/**
 * The theme on the screen: that of the system, or the one chosen on the page. A canvas has to be drawn again
 * when it changes.
 */
export function useShownTheme(): string {
  const [theme, setTheme] = useState(themeNow)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const change = () => setTheme(themeNow())
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    media.addEventListener('change', change)
    return () => {
      observer.disconnect()
      media.removeEventListener('change', change)
    }
  }, [])
  return theme
}

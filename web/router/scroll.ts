/** Where a page was scrolled to, restored when the visitor goes back to it, also after a reload. */

const key = 'scroll'
const positions = new Map<string, number>(readPositions())

function readPositions(): [string, number][] {
  try {
    return Object.entries(JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, number>)
  } catch {
    return []
  }
}

/** From now on the browser leaves scrolling to this module. */
export function takeOverScrolling(current: () => string): void {
  window.history.scrollRestoration = 'manual'
  window.addEventListener('pagehide', () => {
    keepPosition(current())
    window.history.scrollRestoration = 'auto'
    try {
      sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(positions)))
    } catch {
      // Without storage a reloaded page starts at its top.
    }
  })
  window.addEventListener('pageshow', () => {
    window.history.scrollRestoration = 'manual'
  })
}

/** Remembers the position of the page on the screen. */
export const keepPosition = (of: string): void => void positions.set(of, window.scrollY)

/** Scrolls a page that was just shown: to where it was left, to the fragment of its address, or to its top. */
export function scrollTo(page: { key: string; hash: string; isReturn: boolean }): void {
  const known = page.isReturn ? positions.get(page.key) : undefined
  if (known !== undefined) return window.scrollTo(0, known)
  const target = page.hash === '' ? null : document.getElementById(decode(page.hash.slice(1)))
  if (target !== null) target.scrollIntoView()
  else window.scrollTo(0, 0)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

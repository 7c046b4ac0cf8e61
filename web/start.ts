/**
 * Starts the scripts of a page that came written: once it is painted, or sooner when somebody touches it. Until then
 * they lie in a template, where no browser fetches them, so that nothing comes before what is read. A program of its
 * own that imports nothing: it is the one script a page waits with.
 */
const scripts = document.querySelector<HTMLTemplateElement>('template#scripts')
const app = document.getElementById('app')

/** A paint that is not told of within this time is not waited for. */
const patienceMs = 1500
/** What is pressed before the page can answer is pressed again when it can; links need no script. */
const pressable = 'button, label, input[type="radio"], input[type="checkbox"]'
const touches = ['pointerdown', 'keydown', 'focusin'] as const

let pressed: HTMLElement | null = null

function start(): void {
  if (scripts?.isConnected !== true) return
  scripts.remove()
  document.head.append(scripts.content)
}

function keep(event: MouseEvent): void {
  if (!(event.target instanceof Element)) return
  const target = event.target.closest<HTMLElement>(pressable)
  if (target === null || event.target.closest('a') !== null) return
  event.preventDefault()
  event.stopPropagation()
  pressed = target
}

function whenLive(): void {
  for (const touch of touches) removeEventListener(touch, start, true)
  removeEventListener('click', keep, true)
  if (pressed?.isConnected === true) pressed.click()
}

/** Nobody looks at a page that is hidden, and it is never painted. */
function startHidden(): void {
  if (document.visibilityState === 'hidden') start()
}

/** Who has chosen a language may have to be led to the page's twin: the sooner, the less they see of this one. */
function isReturning(): boolean {
  try {
    return localStorage.getItem('lang') !== null || localStorage.getItem('user') !== null
  } catch {
    return false
  }
}

for (const touch of touches) addEventListener(touch, start, true)
addEventListener('click', keep, true)
app?.addEventListener('live', whenLive, { once: true })
if (isReturning() || !PerformanceObserver.supportedEntryTypes.includes('paint')) start()
else {
  new PerformanceObserver((entries) => {
    if (entries.getEntriesByName('first-contentful-paint').length > 0) start()
  }).observe({ type: 'paint', buffered: true })
  document.addEventListener('visibilitychange', startHidden)
  startHidden()
  setTimeout(start, patienceMs)
}

export {}

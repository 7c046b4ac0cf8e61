/** The theme of the desk: that of the system unless one is chosen in this browser. */
import { readStored, removeStored, writeStored } from '../../state/storage.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export function storedTheme(): Theme {
  const stored = readStored('theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') removeStored('theme')
  else writeStored('theme', theme)
  applyTheme(theme)
}

import { useEffect, useRef, useState } from 'react'
import { clearSettings, defaultSettings, loadSettings, saveSettings, type Settings } from './settings.ts'

const undoMs = 5000

/** The current settings, saved on every change. A reset can be undone for five seconds. */
export function useSettings() {
  const [settings, setSettings] = useState(loadSettings)
  const [previous, setPrevious] = useState<Settings | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const change = (next: Settings) => {
    setSettings(next)
    saveSettings(next)
    setPrevious(null)
  }
  const reset = () => {
    setPrevious(settings)
    setSettings(defaultSettings)
    clearSettings()
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setPrevious(null), undoMs)
  }
  const undo = previous === null ? null : () => change(previous)
  return { settings, change, reset, undo }
}
